//! The functions for every kind of element, compiled here once.
//!
//! What is generic is compiled by whoever calls it, and the library is large.

use num_complex::Complex;

use crate::{Failure, General, Room, SingularVectors, Threads};

/// An element of matrices that every problem is solved for.
///
/// What a function of a name needs, the one of the same name that ends in `_room` says in bytes.
pub trait Matrices: General {
    /// `P A = L U`: the matrix becomes `U`, with `L` below the diagonal, and `pivots` says for each row in turn which one, counted
    /// from 1, it was exchanged with. The position of the first zero on the diagonal of `U`, if there is one.
    fn lu(matrix: &mut [Self], order: usize, pivots: &mut [i32], threads: Threads) -> Option<usize>;

    /// `A X = B`: the matrix `A` is used up, and `right` becomes `X`, of so many columns.
    fn solve(
        matrix: &mut [Self],
        right: &mut [Self],
        lengths: [usize; 2],
        room: Room<'_>,
        threads: Threads,
    ) -> Result<(), Failure>;
    /// `A X = 1`: the matrix `A` is used up, and `inverse` becomes `X`.
    fn invert(
        matrix: &mut [Self],
        inverse: &mut [Self],
        order: usize,
        room: Room<'_>,
        threads: Threads,
    ) -> Result<(), Failure>;
    /// Bytes of room for [`solve`](Self::solve), and for [`invert`](Self::invert) without columns.
    fn solve_room(lengths: [usize; 2]) -> usize;

    /// `A = L L^H`: the matrix, of which what is above the diagonal is not looked at, becomes `L`, with zeros there.
    fn cholesky(matrix: &mut [Self], order: usize, room: Room<'_>, threads: Threads) -> Result<(), Failure>;
    /// Bytes of room for [`cholesky`](Self::cholesky).
    fn cholesky_room(order: usize, threads: Threads) -> usize;

    /// `A = Q R`: the matrix becomes `R` on and above its diagonal, and `q`, where it is wanted, becomes so many columns of `Q`.
    fn qr(matrix: &mut [Self], lengths: [usize; 2], q: Option<(usize, &mut [Self])>, room: Room<'_>, threads: Threads);
    /// Bytes of room for [`qr`](Self::qr).
    fn qr_room(lengths: [usize; 2], q_columns: usize, threads: Threads) -> usize;

    /// `A = U S V^H` of a matrix with at least as many rows as columns, which is used up. The singular values descend.
    fn svd(
        matrix: &mut [Self],
        lengths: [usize; 2],
        values: &mut [Self::Part],
        vectors: Option<SingularVectors<'_, Self>>,
        room: Room<'_>,
        threads: Threads,
    ) -> Result<(), Failure>;
    /// Bytes of room for [`svd`](Self::svd).
    fn svd_room(lengths: [usize; 2], left_columns: Option<usize>, threads: Threads) -> usize;

    /// `A V = V W`: the matrix, of which what is above the diagonal is not looked at, becomes `V`, if it is wanted. The
    /// eigenvalues ascend.
    fn eigh(
        matrix: &mut [Self],
        order: usize,
        values: &mut [Self::Part],
        wants_vectors: bool,
        room: Room<'_>,
        threads: Threads,
    ) -> Result<(), Failure>;
    /// Bytes of room for [`eigh`](Self::eigh).
    fn eigh_room(order: usize, wants_vectors: bool, threads: Threads) -> usize;

    /// `A V = V W`, of which the matrix is used up: eigenvalues in any order, and where they are wanted vectors of length 1.
    fn eig(
        matrix: &mut [Self],
        order: usize,
        values: &mut [Self::Complex],
        vectors: Option<&mut [Self::Complex]>,
        room: Room<'_>,
        threads: Threads,
    ) -> Result<(), Failure>;
    /// Bytes of room for [`eig`](Self::eig).
    fn eig_room(order: usize, wants_vectors: bool, threads: Threads) -> usize;
}

/// Passes every function on to the generic one.
macro_rules! compiled {
    (@impl $element:ty: $($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        impl Matrices for $element {
            $(
                #[inline(never)]
                fn $name($($argument: $type),*) -> $result {
                    crate::generic::$name::<$element>($($argument),*)
                }
            )*
        }
    };
    ($($element:ty)*) => {$(
        compiled! { @impl $element:
            lu(matrix: &mut [Self], order: usize, pivots: &mut [i32], threads: Threads) -> Option<usize>;
            solve(matrix: &mut [Self], right: &mut [Self], lengths: [usize; 2], room: Room<'_>, threads: Threads)
                -> Result<(), Failure>;
            invert(matrix: &mut [Self], inverse: &mut [Self], order: usize, room: Room<'_>, threads: Threads)
                -> Result<(), Failure>;
            solve_room(lengths: [usize; 2]) -> usize;
            cholesky(matrix: &mut [Self], order: usize, room: Room<'_>, threads: Threads) -> Result<(), Failure>;
            cholesky_room(order: usize, threads: Threads) -> usize;
            qr(matrix: &mut [Self], lengths: [usize; 2], q: Option<(usize, &mut [Self])>, room: Room<'_>, threads: Threads)
                -> ();
            qr_room(lengths: [usize; 2], q_columns: usize, threads: Threads) -> usize;
            svd(
                matrix: &mut [Self], lengths: [usize; 2], values: &mut [<Self as crate::Number>::Part],
                vectors: Option<SingularVectors<'_, Self>>, room: Room<'_>, threads: Threads
            ) -> Result<(), Failure>;
            svd_room(lengths: [usize; 2], left_columns: Option<usize>, threads: Threads) -> usize;
            eigh(
                matrix: &mut [Self], order: usize, values: &mut [<Self as crate::Number>::Part], wants_vectors: bool,
                room: Room<'_>, threads: Threads
            ) -> Result<(), Failure>;
            eigh_room(order: usize, wants_vectors: bool, threads: Threads) -> usize;
            eig(
                matrix: &mut [Self], order: usize, values: &mut [<Self as General>::Complex],
                vectors: Option<&mut [<Self as General>::Complex]>, room: Room<'_>, threads: Threads
            ) -> Result<(), Failure>;
            eig_room(order: usize, wants_vectors: bool, threads: Threads) -> usize;
        }
    )*};
}
compiled! { f32 f64 Complex<f32> Complex<f64> }
