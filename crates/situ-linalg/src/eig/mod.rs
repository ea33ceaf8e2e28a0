//! Eigenvalues and eigenvectors of any matrix.
//!
//! * `steps`: real matrices of a few rows; `hessenberg`, `francis`, `substitution`: what is done for them in turn.
//! * `balance`: what is done to all first; `schur`: what comes where the others fail.

mod balance;
mod francis;
mod hessenberg;
mod schur;
mod steps;
mod substitution;

use faer::diag::DiagMut;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::evd::{ComputeEigenvectors, evd_cplx, evd_real, evd_scratch};
use faer::{MatMut, MatRef};
use num_complex::Complex;

use self::balance::Balance;
#[cfg(test)]
pub(crate) use self::schur::eig as schur;
pub(crate) use self::schur::schur_needs;
use crate::columns::sum_of_squares;
use crate::probe;
use crate::scale::{Scale, greatest};
use crate::vectors::vectorised;
use crate::{Element, Failure, Number, Part, Room, Threads, bytes, stack};

/// An element that has a complex counterpart, of which eigenvalues are.
pub trait General: Element {
    /// The complex number with the same parts.
    type Complex: Number<Part = Self::Part>;
    /// The element with twice as many digits, or this one if none has.
    type Double: General;

    /// The same number.
    fn complex(self) -> Self::Complex;

    /// The same number.
    #[doc(hidden)]
    fn double(self) -> Self::Double;

    /// The nearest number with fewer digits.
    #[doc(hidden)]
    fn single(number: <Self::Double as General>::Complex) -> Self::Complex;

    /// Eigenvalues, and vectors of any length, by the library.
    #[doc(hidden)]
    fn decompose(
        matrix: &[Self],
        values: &mut [Self::Complex],
        vectors: Option<&mut [Self::Complex]>,
        stack: &mut MemStack,
        threads: Threads,
    ) -> Result<(), Failure>;

    /// What that needs.
    #[doc(hidden)]
    fn needs(order: usize, wants_vectors: bool, threads: Threads) -> StackReq;
}

/// Bytes of room for [`eig`].
pub(crate) fn eig_room<T: General>(order: usize, wants_vectors: bool, threads: Threads) -> usize {
    let found = StackReq::any_of(&[
        T::needs(order, wants_vectors, threads),
        in_double_needs::<T>(order, wants_vectors, threads),
        schur_needs::<T::Complex>(order),
        probe::needs::<T::Complex>(order),
        balance::needs::<T::Complex>(order),
    ]);
    bytes(&[found, StackReq::new::<i32>(order).array(2)])
}

/// `A V = V W`, of which the matrix is used up: eigenvalues in any order, and where they are wanted vectors of length 1.
pub(crate) fn eig<T: General>(
    matrix: &mut [T],
    order: usize,
    values: &mut [T::Complex],
    vectors: Option<&mut [T::Complex]>,
    room: Room<'_>,
    threads: Threads,
) -> Result<(), Failure> {
    let scale = Scale::normalise(matrix).ok_or(Failure::NotConverged)?;
    let mut size = [sum_of_squares(matrix).root()];
    let (mut origins, stack) = stack(room).make_with(order, |_| 0);
    let (mut exponents, stack) = stack.make_with(order, |_| 0);
    let balance = Balance::of(matrix, &mut origins, &mut exponents, stack);
    let balanced_scale = Scale::normalise(matrix).ok_or(Failure::NotConverged)?;
    balanced_scale.inverse().restore(&mut size);
    let mut vectors = vectors;
    // In single precision, the library loses vectors of matrices whose values are far apart.
    let ways = [T::decompose, in_double::<T>];
    let ways = &ways[..if is_single::<T>() { 2 } else { 1 }];
    let is_found = ways.iter().any(|decompose| {
        decompose(matrix, values, vectors.as_deref_mut(), stack, threads).is_ok()
            && vectorised(
                #[inline(always)]
                || holds(matrix, order, values),
            )
            && vectors.as_deref_mut().is_none_or(|vectors| {
                vectorised(
                    #[inline(always)]
                    || vectors.chunks_exact_mut(order).all(normalise),
                ) && {
                    balance.restore(vectors, stack);
                    vectors_hold(matrix, &balance, values, vectors, size[0], stack)
                }
            })
    });
    if !is_found {
        // Vectors that belong to multiple eigenvalues can become too long for the library.
        schur::eig(matrix, order, values, vectors.as_deref_mut(), stack)?;
        if let Some(vectors) = vectors {
            balance.restore(vectors, stack);
        }
    }
    scale.then(balanced_scale).restore(values);
    Ok(())
}

fn is_single<T: General>() -> bool {
    size_of::<T::Part>() < size_of::<<T::Double as Number>::Part>()
}

/// What [`in_double`] needs, if it is called.
fn in_double_needs<T: General>(order: usize, wants_vectors: bool, threads: Threads) -> StackReq {
    if !is_single::<T>() {
        return StackReq::EMPTY;
    }
    let vectors = if wants_vectors { order * order } else { 0 };
    StackReq::all_of(&[
        StackReq::new::<T::Double>(order * order),
        StackReq::new::<<T::Double as General>::Complex>(order + vectors),
        T::Double::needs(order, wants_vectors, threads),
    ])
}

/// Eigenvalues, and vectors, by the library in double precision.
fn in_double<T: General>(
    matrix: &[T],
    values: &mut [T::Complex],
    vectors: Option<&mut [T::Complex]>,
    stack: &mut MemStack,
    threads: Threads,
) -> Result<(), Failure> {
    let order = values.len();
    let zero = |_| <T::Double as General>::Complex::default();
    let (matrix, stack) = stack.make_with(matrix.len(), |at| matrix[at].double());
    let (mut found, stack) = stack.make_with(order + vectors.as_ref().map_or(0, |vectors| vectors.len()), zero);
    let (found_values, found_vectors) = found.split_at_mut(order);
    T::Double::decompose(&matrix, found_values, vectors.is_some().then_some(&mut *found_vectors), stack, threads)?;
    // They may be too long for numbers with fewer digits.
    found_vectors.chunks_exact_mut(order).for_each(|vector| {
        normalise(vector);
    });
    let round =
        |to: &mut [T::Complex], from: &[_]| to.iter_mut().zip(from).for_each(|(to, &from)| *to = T::single(from));
    round(values, found_values);
    if let Some(vectors) = vectors {
        round(vectors, found_vectors);
    }
    Ok(())
}

/// The eigenvalues add up to the diagonal, and their squares to the diagonal of the matrix's square.
#[inline(always)]
fn holds<T: General>(matrix: &[T], order: usize, values: &[T::Complex]) -> bool {
    let zero = T::Complex::default();
    let trace = (0..order).fold(zero, |sum, at| sum + matrix[at * (order + 1)].complex());
    let mut squares = zero;
    for (n, column) in matrix.chunks_exact(order).enumerate() {
        let row = matrix[n..].iter().step_by(order);
        squares += column.iter().zip(row).fold(T::default(), |sum, (&x, &y)| sum + x * y).complex();
    }
    let sum = values.iter().fold(zero, |sum, &x| sum + x);
    let sum_squares = values.iter().fold(zero, |sum, &x| sum + x * x);
    let size = sum_of_squares(matrix);
    let tolerance = probe::tolerance::<T::Part>(order);
    let count = T::Part::from_count(order).root();
    (trace - sum).magnitude() <= size.root() * count * tolerance
        && (squares - sum_squares).magnitude() <= size * count * tolerance
}

/// Whether the matrix as it was before it was balanced, and of that size, does to a sum of its vectors what the values do.
fn vectors_hold<T: General>(
    matrix: &[T],
    balance: &Balance<'_>,
    values: &[T::Complex],
    vectors: &[T::Complex],
    size: T::Part,
    stack: &mut MemStack,
) -> bool {
    let order = values.len();
    probe::room(
        order,
        stack,
        #[inline(always)]
        |[x, y, z]: [&mut [T::Complex]; 3]| {
            probe::signs(x);
            // A sum of two conjugates, or a difference, would hide one of their parts.
            x.iter_mut().skip(1).step_by(2).for_each(|x| *x = T::Complex::of(T::Part::default(), x.parts()[0]));
            probe::apply(vectors, x, y);
            balance.balanced_vector(y, z);
            y.fill(T::Complex::default());
            for (column, &z) in matrix.chunks_exact(order).zip(z.iter()) {
                y.iter_mut().zip(column).for_each(|(y, &element)| *y += element.complex() * z);
            }
            balance.original_vector(y, z);
            x.iter_mut().zip(values).for_each(|(x, &value)| *x *= value);
            probe::apply(vectors, x, y);
            // Sums of vectors that are nearly one have lost some digits.
            probe::agree(y, z, size * T::Part::from_count(3))
        },
    )
}

/// Brings a vector to length 1; false if it has none.
#[inline(always)]
pub(crate) fn normalise<C: Number>(vector: &mut [C]) -> bool {
    let one = C::Part::from_count(1);
    let mut squares = sum_of_squares(vector);
    if !(squares > C::Part::power_of_two(-50) && squares < C::Part::power_of_two(100)) {
        let greatest = greatest(vector);
        if !greatest.is_a_number() || greatest == C::Part::default() {
            return false;
        }
        // Squares may be out of range.
        Scale::normalise(vector);
        squares = sum_of_squares(vector);
    }
    let length = squares.root();
    vector.iter_mut().for_each(|x| *x = x.times(one / length));
    true
}

fn is_wanted(wants_vectors: bool) -> ComputeEigenvectors {
    if wants_vectors { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No }
}

macro_rules! general {
    ($part:ident) => {
        impl General for Complex<$part> {
            type Complex = Complex<$part>;
            type Double = Complex<f64>;

            fn complex(self) -> Complex<$part> {
                self
            }

            fn double(self) -> Complex<f64> {
                Complex::new(self.re.into(), self.im.into())
            }

            fn single(number: Complex<f64>) -> Complex<$part> {
                Complex::new(number.re as $part, number.im as $part)
            }

            fn decompose(
                matrix: &[Self],
                values: &mut [Self],
                vectors: Option<&mut [Self]>,
                stack: &mut MemStack,
                threads: Threads,
            ) -> Result<(), Failure> {
                let order = values.len();
                let matrix = MatRef::from_column_major_slice(matrix, order, order);
                let vectors = vectors.map(|vectors| MatMut::from_column_major_slice_mut(vectors, order, order));
                let (par, values) = (threads.par(), DiagMut::from_slice_mut(values));
                evd_cplx(matrix, values, None, vectors, par, stack, Default::default())
                    .map_err(|_| Failure::NotConverged)
            }

            fn needs(order: usize, wants_vectors: bool, threads: Threads) -> StackReq {
                let right = is_wanted(wants_vectors);
                evd_scratch::<Self>(order, ComputeEigenvectors::No, right, threads.par(), Default::default())
            }
        }

        impl General for $part {
            type Complex = Complex<$part>;
            type Double = f64;

            fn complex(self) -> Complex<$part> {
                Complex::new(self, 0.0)
            }

            fn double(self) -> f64 {
                self.into()
            }

            fn single(number: Complex<f64>) -> Complex<$part> {
                Complex::new(number.re as $part, number.im as $part)
            }

            fn decompose(
                matrix: &[Self],
                values: &mut [Complex<$part>],
                vectors: Option<&mut [Complex<$part>]>,
                stack: &mut MemStack,
                threads: Threads,
            ) -> Result<(), Failure> {
                let order = values.len();
                if order <= FEW_ROWS {
                    return steps::by_double_steps(matrix, values, vectors, stack);
                }
                let (mut real, stack) = stack.make_with(order, |_| 0.0);
                let (mut imaginary, stack) = stack.make_with(order, |_| 0.0);
                let (mut room, stack) = stack.make_with(vectors.as_ref().map_or(0, |_| order * order), |_| 0.0);
                let matrix = MatRef::from_column_major_slice(matrix, order, order);
                let packed = vectors.as_ref().map(|_| &mut room[..]);
                let packed = packed.map(|packed| MatMut::from_column_major_slice_mut(packed, order, order));
                let re = DiagMut::from_slice_mut(&mut real[..]);
                let im = DiagMut::from_slice_mut(&mut imaginary[..]);
                evd_real(matrix, re, im, None, packed, threads.par(), stack, Default::default())
                    .map_err(|_| Failure::NotConverged)?;
                for (value, (&re, &im)) in values.iter_mut().zip(real.iter().zip(imaginary.iter())) {
                    *value = Complex::new(re, im);
                }
                if let Some(vectors) = vectors {
                    unpack(&room, &imaginary, vectors);
                }
                Ok(())
            }

            fn needs(order: usize, wants_vectors: bool, threads: Threads) -> StackReq {
                let right = is_wanted(wants_vectors);
                let library =
                    evd_scratch::<Self>(order, ComputeEigenvectors::No, right, threads.par(), Default::default());
                if order <= FEW_ROWS {
                    return steps::double_steps_needs::<Self>(order, wants_vectors);
                }
                let packed = if wants_vectors { order * order } else { 0 };
                StackReq::all_of(&[StackReq::new::<Self>(order).array(2), StackReq::new::<Self>(packed), library])
            }
        }
    };
}
general!(f32);
general!(f64);

/// Orders up to which real matrices are brought to their triangle by plain loops, which are quicker than the library there.
const FEW_ROWS: usize = 88;

/// Complex vectors from real ones: those of a conjugate pair stand side by side as real and imaginary part.
fn unpack<R: Part, C: Number<Part = R>>(packed: &[R], imaginary: &[R], vectors: &mut [C]) {
    let order = imaginary.len();
    let mut at = 0;
    while at < order {
        let column = |n: usize| &packed[n * order..][..order];
        let target = &mut vectors[at * order..];
        if imaginary[at] == R::default() || at + 1 == order {
            target.iter_mut().zip(column(at)).for_each(|(x, &re)| *x = C::of(re, R::default()));
            at += 1;
            continue;
        }
        let (first, second) = target.split_at_mut(order);
        let pairs = column(at).iter().zip(column(at + 1));
        for ((x, y), (&re, &im)) in first.iter_mut().zip(second).zip(pairs) {
            (*x, *y) = (C::of(re, im), C::of(re, -im));
        }
        at += 2;
    }
}
