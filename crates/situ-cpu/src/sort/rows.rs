//! Sequences, sorted one by one, or one after another by all threads.

use situ_hal::{Sort, Strided};
use situ_ir::order::{Key, Ordered};
use situ_types::{DType, DTypeKind};

use super::quick::Sortable;
use super::{by_dtype, call_with, choose_element, cost, counting, packed, spread, top, values};
use crate::elementwise::{Fork, Machine, load};
use crate::isa::Isa;

/// Sequences of at least so many elements are worth all threads.
const LONG: usize = 1 << 15;

/// Sequences of at least so many elements get all threads even if there are many.
const VERY_LONG: usize = 1 << 20;

/// Scratch memory that the stack has room for.
const ON_STACK: usize = 1 << 14;

/// How a sequence is sorted that is not in order already.
#[derive(Clone, Copy, Debug)]
enum Method {
    /// All elements are one in memory.
    Uniform,
    Top,
    Counting,
    CountingValues,
    Values,
    Packed,
}

impl Method {
    fn of(command: &Sort) -> Method {
        let length = command.length();
        let only_values = command.indices.is_none() && command.count == length;
        match command.dtype.size() {
            _ if command.input.strides.last() == Some(&0) => Method::Uniform,
            _ if top::suits(command) => Method::Top,
            1 => Method::Counting,
            2 if only_values && length >= counting::WORTHWHILE => Method::CountingValues,
            4 | 8 if only_values && command.dtype.kind() != DTypeKind::Complex => Method::Values,
            _ => Method::Packed,
        }
    }
}

/// How a command is divided among threads, and what each part needs.
#[derive(Debug)]
struct Division {
    /// Whether all threads work on one sequence after another, and not each on its own.
    is_shared: bool,
    /// Into how many parts the sequences are divided otherwise, at most.
    parts: usize,
    /// Bytes of scratch memory of each part.
    bytes: usize,
}

impl Division {
    fn of(command: &Sort, machine: &Machine) -> Division {
        let (length, sequences) = (command.length(), command.sequences());
        let is_few = sequences < 2 * machine.threads || length >= VERY_LONG;
        let is_shared = machine.threads > 1 && length >= LONG && is_few;
        let parts = if is_shared { 1 } else { machine.chunks(cost::sort(command)).min(sequences).max(1) };
        let threads = if is_shared { machine.threads } else { 1 };
        let bytes = match Method::of(command) {
            Method::Top => top::bytes(command, threads),
            Method::Values => values::bytes(command, machine.isa, threads),
            Method::Packed => packed::bytes(length, command.dtype),
            Method::Uniform | Method::Counting | Method::CountingValues => 0,
        };
        Division { is_shared, parts, bytes: bytes.next_multiple_of(64) }
    }

    fn total(&self) -> usize {
        let total = self.parts.saturating_mul(self.bytes);
        if total <= ON_STACK { 0 } else { total }
    }
}

/// Bytes of scratch memory that a command needs.
pub(crate) fn scratch(command: &Sort, machine: &Machine) -> usize {
    Division::of(command, machine).total()
}

#[repr(align(64))]
struct OnStack([std::mem::MaybeUninit<u8>; ON_STACK]);

/// Executes the command.
///
/// # Safety
///
/// As for [`situ_hal::Queue::submit`], and everything the command waits for is over. There are as many bytes of scratch memory
/// as [`scratch`] says, aligned to cache lines. The processor has the machine's instruction set.
#[inline(never)]
pub(crate) unsafe fn sort(command: &Sort, machine: &Machine, fork: Fork<'_>, scratch: *mut u8) {
    if command.count == 0 || command.sequences() == 0 {
        return;
    }
    let division = Division::of(command, machine);
    if division.total() == 0 {
        let mut few = OnStack([const { std::mem::MaybeUninit::uninit() }; ON_STACK]);
        // SAFETY: the caller's promise; there is enough on the stack.
        unsafe { run(command, &division, machine, fork, few.0.as_mut_ptr().cast()) }
    } else {
        // SAFETY: the caller's promise.
        unsafe { run(command, &division, machine, fork, scratch) }
    }
}

/// # Safety
///
/// As for [`sort`], with as much scratch memory as the division says.
unsafe fn run(command: &Sort, division: &Division, machine: &Machine, fork: Fork<'_>, scratch: *mut u8) {
    if division.is_shared {
        for row in 0..command.sequences() {
            let crew = Crew { isa: machine.isa, threads: machine.threads, fork };
            // SAFETY: the caller's promise.
            unsafe { by_dtype!(command.dtype, sort_row(command, row, &crew, scratch)) }
        }
        return;
    }
    let scratch = Shared(scratch);
    spread(command.sequences(), division.parts, fork, &|n, from, to| {
        let crew = Crew { isa: machine.isa, threads: 1, fork: &|count, body| (0..count).for_each(body) };
        for row in from..to {
            // SAFETY: the caller's promise; parts are different sequences and have scratch memory of their own.
            unsafe { by_dtype!(command.dtype, sort_row(command, row, &crew, scratch.at(n * division.bytes))) }
        }
    });
}

/// Who works on a sequence.
pub(super) struct Crew<'a> {
    pub(super) isa: Isa,
    pub(super) threads: usize,
    pub(super) fork: Fork<'a>,
}

impl Crew<'_> {
    /// Runs `part(n, from, to)` over `0..size`, in as many pieces as [`pieces`](Self::pieces) says at most.
    pub(super) fn spread(&self, size: usize, part: &(dyn Fn(usize, usize, usize) + Sync)) {
        spread(size, self.pieces(), self.fork, part);
    }

    /// Into how many pieces work is divided.
    pub(super) fn pieces(&self) -> usize {
        if self.threads == 1 { 1 } else { 4 * self.threads }
    }
}

/// Sorts one sequence.
///
/// # Safety
///
/// As for [`run`], and the elements are of this type.
unsafe fn sort_row<T: Ordered>(command: &Sort, row: usize, crew: &Crew<'_>, scratch: *mut u8) {
    let length = command.length();
    let task = Task::<T> {
        input: Row::of(&command.input, &command.shape, row),
        length,
        count: command.count,
        descending: command.descending,
        values: command.values.as_ref().map(|values| Row::of(values, &command.shape, row)),
        indices: command.indices.as_ref().map(|indices| Row::of(indices, &command.shape, row)),
    };
    // SAFETY: the caller's promise, for all of these.
    unsafe {
        let method = Method::of(command);
        let known_order = if let Method::Uniform = method { None } else { task.known_order() };
        match known_order {
            Some(Direction::Forwards) => return task.emit(crew, &|n| n),
            Some(Direction::Backwards) => return task.emit(crew, &|n| length - 1 - n),
            None => {}
        }
        match method {
            Method::Uniform => task.emit(crew, &|n| n),
            Method::Top => top::sort(&task, crew, scratch),
            Method::Counting => counting::sort(&task, crew),
            Method::CountingValues => counting::sort_values(&task, crew),
            Method::Values if size_of::<T>() == 4 => values::sort::<T, u32>(&task, crew, scratch.cast()),
            Method::Values => values::sort::<T, u64>(&task, crew, scratch.cast()),
            Method::Packed => packed::sort(&task, crew, scratch),
        }
    }
}

/// A sequence that already has an order.
enum Direction {
    Forwards,
    Backwards,
}

/// One sequence, and where its elements go.
pub(super) struct Task<T> {
    pub(super) input: Row<T>,
    pub(super) length: usize,
    pub(super) count: usize,
    pub(super) descending: bool,
    pub(super) values: Option<Row<T>>,
    pub(super) indices: Option<Row<i64>>,
}

impl<T: Ordered> Task<T> {
    /// The element at a position.
    ///
    /// # Safety
    ///
    /// It is inside, and the input can be read.
    #[inline(always)]
    pub(super) unsafe fn element(&self, n: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { load(self.input.at(n)) }
    }

    /// The place of the element at a position in the order that is wanted.
    ///
    /// # Safety
    ///
    /// As for [`element`](Self::element).
    #[inline(always)]
    pub(super) unsafe fn key(&self, n: usize) -> T::Key {
        // SAFETY: the caller's promise.
        let key = unsafe { self.element(n) }.key();
        if self.descending { key.complement() } else { key }
    }

    /// The order in which the elements are already, if they are in one: backwards only if no two are equal, because those
    /// would change places.
    unsafe fn known_order(&self) -> Option<Direction> {
        // SAFETY: the input can be read, up to its length.
        let key = |n: usize| unsafe { self.key(n) };
        let (mut last, mut n) = (key(0), 1);
        let goes_back = self.length > 1 && key(1) < last;
        while n < self.length {
            let next = key(n);
            if if goes_back { next >= last } else { next < last } {
                return None;
            }
            (last, n) = (next, n + 1);
        }
        Some(if goes_back { Direction::Backwards } else { Direction::Forwards })
    }

    /// Writes what is at these positions.
    ///
    /// # Safety
    ///
    /// The outputs can be written, and the positions are inside.
    pub(super) unsafe fn emit(&self, crew: &Crew<'_>, position: &(dyn Fn(usize) -> usize + Sync)) {
        crew.spread(self.count, &|_, from, to| {
            // SAFETY: the caller's promise; parts write places of their own.
            (from..to).for_each(|n| unsafe { self.put(n, position(n)) });
        });
    }

    /// Writes the element at a position to the n-th place.
    ///
    /// # Safety
    ///
    /// The outputs can be written there, and the position is inside.
    #[inline(always)]
    pub(super) unsafe fn put(&self, n: usize, position: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            if let Some(indices) = &self.indices {
                indices.at(n).write(position as i64);
            }
            if let Some(values) = &self.values {
                values.at(n).write(self.element(position));
            }
        }
    }
}

/// One sequence of an operand.
pub(super) struct Row<T> {
    start: *mut T,
    step: isize,
}

// SAFETY: the pointer is a number until the code that runs the command dereferences it, whose caller vouches that the memory
// is valid on any thread.
unsafe impl<T> Sync for Row<T> {}

impl<T> Row<T> {
    #[cfg(test)]
    pub(super) fn dense(start: *mut T) -> Row<T> {
        Row { start, step: 1 }
    }

    fn of(operand: &Strided, shape: &[usize], row: usize) -> Row<T> {
        let last = shape.len() - 1;
        let (mut offset, mut rest) = (0, row);
        for axis in (0..last).rev() {
            offset += (rest % shape[axis]) as isize * operand.strides[axis];
            rest /= shape[axis];
        }
        Row { start: operand.address.0.cast::<T>().wrapping_offset(offset), step: operand.strides[last] }
    }

    /// Where an element is.
    #[inline(always)]
    pub(super) fn at(&self, n: usize) -> *mut T {
        self.start.wrapping_offset(self.step * n as isize)
    }

    /// Whether elements are neighbours.
    pub(super) fn is_dense(&self) -> bool {
        self.step == 1
    }
}

/// A pointer that threads share, each of which uses places of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared<T>(pub(super) *mut T);

// SAFETY: whoever dereferences it vouches that no other thread uses the same place.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// The place so many elements on. (A method, so that closures capture the whole, not the pointer in it.)
    #[inline(always)]
    pub(super) fn at(self, elements: usize) -> *mut T {
        self.0.wrapping_add(elements)
    }
}

/// Bytes of a key and a position, side by side.
pub(super) fn pair_bytes(dtype: DType) -> usize {
    if dtype.size() > size_of::<u64>() { size_of::<(u128, u64)>() } else { size_of::<(u64, u64)>() }
}

/// A key as one of a type that can be sorted.
#[inline(always)]
pub(super) fn sortable<T: Ordered, K: Sortable>(key: T::Key) -> K {
    K::narrowed(key.widened())
}
