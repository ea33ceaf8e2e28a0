//! Whether factors do to a vector what the matrix does to it.
//!
//! A product of the factors would show every error, and take as long as some of the factorisations. A vector shows those that
//! matter for the price of reading each matrix once: an error hides from it only if it is at right angles to the vector.

use faer::dyn_stack::{MemStack, StackReq};

use crate::columns::sum_of_squares;
use crate::columns::{inner, subtract};
use crate::vectors::vectorised;
use crate::{Number, Part};

/// What [`room`] gives vectors of for matrices of so many rows and columns, at most.
pub(crate) fn needs<T: 'static>(length: usize) -> StackReq {
    StackReq::new::<T>(length).array(3)
}

/// How much sums over the values of a matrix of so many rows may be off, next to what is added up.
pub(crate) fn tolerance<P: Part>(rows: usize) -> P {
    P::EPSILON * P::from_count(1000 + 10 * rows)
}

/// Gives three vectors to a function, which is compiled for the processor at hand.
pub(crate) fn room<T: Number, R>(length: usize, stack: &mut MemStack, run: impl FnOnce([&mut [T]; 3]) -> R) -> R {
    let zero = |_| T::default();
    let (mut x, stack) = stack.make_with(length, zero);
    let (mut y, stack) = stack.make_with(length, zero);
    let (mut z, _) = stack.make_with(length, zero);
    vectorised(
        #[inline(always)]
        || run([&mut x, &mut y, &mut z]),
    )
}

/// Ones and minus ones, without a pattern that a matrix may have as well.
pub(crate) fn signs<T: Number>(x: &mut [T]) {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for x in x {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *x = if state >> 63 == 0 { T::one() } else { -T::one() };
    }
}

/// `y = M x`, of a matrix with as many rows as `y` has elements.
#[inline(always)]
pub(crate) fn apply<T: Number>(matrix: &[T], x: &[T], y: &mut [T]) {
    y.fill(T::default());
    matrix.chunks_exact(y.len()).zip(x).for_each(|(column, &x)| subtract(y, column, -x));
}

/// `y = M^H x`, of a matrix with as many rows as `x` has elements.
#[inline(always)]
pub(crate) fn apply_adjoint<T: Number>(matrix: &[T], x: &[T], y: &mut [T]) {
    matrix.chunks_exact(x.len()).zip(y).for_each(|(column, y)| *y = inner(column, x));
}

/// Whether two vectors differ by no more than rounding does, if numbers as large as `size` were made of as many elements.
pub(crate) fn agree<T: Number>(x: &[T], y: &[T], size: T::Part) -> bool {
    let mut apart = T::Part::default();
    for (&x, &y) in x.iter().zip(y) {
        let [re, im] = (x - y).parts();
        apart += re * re + im * im;
    }
    let limit = size * T::Part::EPSILON * T::Part::from_count(100 + x.len());
    // So that NaN does not pass.
    apart <= limit * limit
}

/// Whether columns are orthonormal, as far as vectors that are given back show. The first vector holds signs.
#[inline(always)]
pub(crate) fn are_orthonormal<T: Number>(columns: &[T], rows: usize, [x, y, z]: [&mut [T]; 3]) -> bool {
    let count = columns.len() / rows;
    let (x, y, z) = (&mut x[..count], &mut y[..rows], &mut z[..count]);
    signs(x);
    apply(columns, x, y);
    apply_adjoint(columns, y, z);
    agree(z, x, sum_of_squares(x).root())
}
