//! Fourier transforms as cuFFT takes them: sequences with one distance from element to element and one from sequence to
//! sequence. What lies in memory in another way is brought to scratch memory first, or from there afterwards.

use situ_hal::{Address, Fft, FftKind, Sequences};
use situ_types::{DType, Dims, Space, Strides};

/// What the library makes for sequences of a kind, and keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) kind: FftKind,
    pub(crate) is_double: bool,
    pub(crate) length: i64,
    pub(crate) input: Distances,
    pub(crate) out: Distances,
    /// Sequences that are transformed by one call.
    pub(crate) count: i64,
}

/// Elements from one of a sequence to the next, and from a sequence to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Distances {
    pub(crate) step: i64,
    pub(crate) next: i64,
}

/// The calls for a command.
#[derive(Clone, Debug)]
pub(crate) struct Dft {
    pub(crate) shape: Shape,
    /// How far input and output move from one call to the next, in bytes; the first do not move.
    pub(crate) moves: Vec<[isize; 2]>,
    /// Whether the library reads a copy of the input.
    pub(crate) copies_input: bool,
    /// Whether the library writes to scratch memory.
    pub(crate) copies_out: bool,
}

/// More calls than this for one command cost more than copying everything.
const MANY_CALLS: usize = 64;

impl Dft {
    /// The calls for a command.
    pub(crate) fn of(command: &Fft) -> Dft {
        let is_short = command.given < command.kind.reads(command.length);
        // The library uses the input of such transforms as scratch memory.
        let spoils_input = command.kind == FftKind::RealInverse;
        let wanted = [[false, false], [true, false], [false, true]];
        let possible = wanted.into_iter().filter(|[copies_input, _]| *copies_input || !(is_short || spoils_input));
        let found = possible.into_iter().find_map(|[input, out]| calls(command, input, out));
        // Everything side by side is one call. There is one for it, or else none that would do.
        found.or_else(|| calls(command, true, true)).unwrap_or_else(|| side_by_side(command))
    }

    /// Bytes of a copy of the input.
    pub(crate) fn input_bytes(&self, command: &Fft) -> usize {
        let elements = command.count() * command.kind.reads(command.length);
        if self.copies_input { elements * command.input_dtype().size() } else { 0 }
    }

    /// Bytes of the scratch memory that the library writes to.
    pub(crate) fn out_bytes(&self, command: &Fft) -> usize {
        let elements = command.count() * command.kind.writes(command.length);
        if self.copies_out { elements * command.out_dtype().size() } else { 0 }
    }
}

/// The same sequences side by side, at an address.
pub(crate) fn dense(batch: &[usize], length: usize, address: Address) -> Sequences {
    let mut next = length as isize;
    let mut batch_steps = Strides::from_elem(0, batch.len());
    for (step, &length) in batch_steps.iter_mut().zip(batch).rev() {
        *step = next;
        next *= length as isize;
    }
    Sequences { address, step: 1, batch_steps }
}

/// One call for sequences that are side by side in both places.
fn side_by_side(command: &Fft) -> Dft {
    let Fft { kind, length, .. } = *command;
    let distances = |length: usize| Distances { step: 1, next: length as i64 };
    let (input, out) = (distances(kind.reads(length)), distances(kind.writes(length)));
    let is_double = command.dtype == DType::F64;
    let shape = Shape { kind, is_double, length: length as i64, input, out, count: command.count() as i64 };
    Dft { shape, moves: vec![[0; 2]], copies_input: true, copies_out: true }
}

/// The calls for a command with input and output where they are, or side by side in scratch memory; `None` if the library
/// does not take them.
fn calls(command: &Fft, copies_input: bool, copies_out: bool) -> Option<Dft> {
    let Fft { kind, length, .. } = *command;
    let nowhere = Address(std::ptr::null_mut());
    let side = |is_copied: bool, own: &Sequences, length: usize| {
        if is_copied { dense(&command.batch, length, nowhere) } else { own.clone() }
    };
    let input = side(copies_input, &command.input, kind.reads(length));
    let out = side(copies_out, &command.out, kind.writes(length));
    let mut space = Space::new(&command.batch, [&input.batch_steps[..], &out.batch_steps]);
    space.drop_unit_axes();
    space.merge();
    let batch: Dims = space.lengths().collect();
    // The longest axis of the batch is the library's, the others are walked through.
    let inner = (0..batch.len()).max_by_key(|&axis| batch[axis]);
    let outer: Vec<usize> = (0..batch.len()).filter(|axis| Some(*axis) != inner).collect();
    let count = outer.iter().map(|&axis| batch[axis]).product::<usize>();
    if count > MANY_CALLS {
        return None;
    }
    let steps = [0, 1].map(|operand| space.steps(operand).collect::<Strides>());
    let dtypes = [command.input_dtype(), command.out_dtype()];
    // Even real numbers are read and written as complex ones.
    let aligned = command.complex().size();
    let distances = |n: usize, own: &Sequences| -> Option<Distances> {
        let is_aligned = own.address.value().is_multiple_of(aligned)
            && outer.iter().all(|&axis| (steps[n][axis].unsigned_abs() * dtypes[n].size()).is_multiple_of(aligned));
        let is_forward = own.step > 0 && steps[n].iter().all(|&step| step > 0);
        let next = inner.map_or(length as isize, |axis| steps[n][axis]);
        // An even number of real numbers is as many pairs, which have to be aligned in every sequence.
        let comes_in_pairs = dtypes[n] == command.dtype && own.step == 1 && length.is_multiple_of(2);
        let is_even = !comes_in_pairs || next % 2 == 0;
        (is_aligned && is_forward && is_even).then_some(Distances { step: own.step as i64, next: next as i64 })
    };
    let (input, out) = (distances(0, &input)?, distances(1, &out)?);
    let moved = |call: usize| {
        let (mut rest, mut moved) = (call, [0; 2]);
        for &axis in outer.iter().rev() {
            let at = (rest % batch[axis]) as isize;
            rest /= batch[axis];
            for n in 0..2 {
                moved[n] += at * steps[n][axis] * dtypes[n].size() as isize;
            }
        }
        moved
    };
    let is_double = command.dtype == DType::F64;
    let each = inner.map_or(1, |axis| batch[axis]) as i64;
    let shape = Shape { kind, is_double, length: length as i64, input, out, count: each };
    Some(Dft { shape, moves: (0..count).map(moved).collect(), copies_input, copies_out })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequences(step: isize, batch_steps: &[isize]) -> Sequences {
        Sequences { address: Address(4096 as *mut u8), step, batch_steps: batch_steps.into() }
    }

    fn command(kind: FftKind, batch: &[usize], input: Sequences, out: Sequences) -> Fft {
        let (length, given) = (8, kind.reads(8));
        Fft { kind, dtype: DType::F32, length, given, scale: 1.0, batch: batch.into(), input, out }
    }

    fn distances(of: Distances) -> (i64, i64) {
        (of.step, of.next)
    }

    #[test]
    fn rows_and_columns_are_taken_as_they_are() {
        let rows = Dft::of(&command(FftKind::Forward, &[5], sequences(1, &[8]), sequences(1, &[8])));
        assert_eq!((rows.copies_input, rows.copies_out, rows.moves.len()), (false, false, 1));
        assert_eq!((distances(rows.shape.input), distances(rows.shape.out), rows.shape.count), ((1, 8), (1, 8), 5));
        let columns = Dft::of(&command(FftKind::RealForward, &[5], sequences(5, &[1]), sequences(5, &[1])));
        assert_eq!((columns.copies_input, columns.copies_out), (false, false));
        assert_eq!((distances(columns.shape.input), distances(columns.shape.out)), ((5, 1), (5, 1)));
    }

    #[test]
    fn axes_in_the_middle_take_several_calls() {
        let middle = || sequences(7, &[56, 1]);
        let few = Dft::of(&command(FftKind::Forward, &[3, 7], middle(), middle()));
        assert_eq!((distances(few.shape.input), few.shape.count), ((7, 1), 7));
        assert_eq!(few.moves, [[0, 0], [448, 448], [896, 896]]);
        let many = Dft::of(&command(FftKind::Forward, &[100, 7], middle(), middle()));
        // The longest axis is the library's: seven calls.
        assert_eq!((distances(many.shape.input), many.shape.count, many.moves.len()), ((7, 56), 100, 7));
        let both =
            Dft::of(&command(FftKind::Forward, &[100, 100], sequences(100, &[800, 1]), sequences(100, &[800, 1])));
        assert_eq!((both.copies_input, both.copies_out, both.shape.count, both.moves.len()), (true, true, 10_000, 1));
        assert_eq!((distances(both.shape.input), distances(both.shape.out)), ((1, 8), (1, 8)));
    }

    #[test]
    fn what_the_library_does_not_take_is_copied() {
        let dense = || sequences(1, &[8]);
        let backwards = Dft::of(&command(FftKind::Forward, &[5], sequences(-1, &[8]), dense()));
        assert_eq!((backwards.copies_input, backwards.copies_out), (true, false));
        let repeated = Dft::of(&command(FftKind::Forward, &[5], sequences(1, &[0]), dense()));
        assert_eq!((repeated.copies_input, repeated.copies_out), (true, false));
        let real = Dft::of(&command(FftKind::RealInverse, &[5], sequences(1, &[5]), dense()));
        assert_eq!((real.copies_input, real.copies_out), (true, false));
        let mut short = command(FftKind::Forward, &[5], dense(), dense());
        short.given = 3;
        assert!(Dft::of(&short).copies_input);
        let mut unaligned = command(FftKind::RealForward, &[5], dense(), sequences(1, &[5]));
        unaligned.input.address = Address(4100 as *mut u8);
        assert!(Dft::of(&unaligned).copies_input);
        let odd = Dft::of(&command(FftKind::RealForward, &[5], sequences(1, &[9]), sequences(1, &[5])));
        assert_eq!((odd.copies_input, odd.copies_out), (true, false));
        let mut out = command(FftKind::RealInverse, &[5], sequences(1, &[5]), dense());
        out.out.address = Address(4100 as *mut u8);
        assert_eq!((Dft::of(&out).copies_out, Dft::of(&out).out_bytes(&out)), (true, 160));
        assert_eq!(Dft::of(&out).input_bytes(&out), 5 * 5 * 8);
    }

    #[test]
    fn a_single_sequence_is_a_batch_of_one() {
        let one = Dft::of(&command(FftKind::Forward, &[], sequences(1, &[]), sequences(1, &[])));
        assert_eq!((one.shape.count, one.moves.len(), one.copies_input), (1, 1, false));
    }
}
