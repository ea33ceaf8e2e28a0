//! Rotations of two numbers, and runs of them that go through the columns of a matrix.

use crate::Part;

/// The cosine and the sine of a rotation: `x` becomes `c x + s y`, and `y` becomes `c y - s x`.
pub(crate) type Rotation<P> = [P; 2];

/// The rotation that makes the second number zero, and what the first becomes.
#[inline(always)]
pub(crate) fn rotation<P: Part>(x: P, y: P) -> (Rotation<P>, P) {
    let (zero, one) = (P::default(), P::from_count(1));
    let squares = x * x + y * y;
    let least = P::power_of_two(-P::FAR);
    if squares > least && squares < P::power_of_two(P::FAR) {
        let length = squares.root();
        let inverse = one / length;
        return ([x * inverse, y * inverse], length);
    }
    // Squares are out of range.
    let (x_size, y_size) = (x.magnitude_of(), y.magnitude_of());
    let size = if x_size > y_size { x_size } else { y_size };
    if size == zero {
        return ([one, zero], zero);
    }
    let (x, y) = (x / size, y / size);
    let length = (x * x + y * y).root();
    ([x / length, y / length], length * size)
}

/// Columns of so many rows, a multiple of [`ROWS`].
pub(crate) struct Columns<'a, P> {
    pub(crate) rows: usize,
    pub(crate) matrix: &'a mut [P],
}

/// Rows come in pieces of so many.
pub(crate) const ROWS: usize = 8;

impl<P: Part> Columns<'_, P> {
    /// Makes the columns those of the identity, with zeros below.
    pub(crate) fn become_identity(&mut self) {
        self.matrix.fill(P::default());
        self.matrix.iter_mut().step_by(self.rows + 1).for_each(|x| *x = P::from_count(1));
    }

    /// Rotates a column and its neighbour, then that one and the next, and so on, to the right or to the left.
    #[inline(always)]
    pub(crate) fn turn(&mut self, first: usize, to_the_right: bool, run: &[Rotation<P>]) {
        let mut row = 0;
        while row + 2 * ROWS <= self.rows {
            self.turn_rows::<{ 2 * ROWS }>(row, first, to_the_right, run);
            row += 2 * ROWS;
        }
        if row < self.rows {
            self.turn_rows::<ROWS>(row, first, to_the_right, run);
        }
    }

    /// The same for some rows. Each element is read and written once.
    #[inline(always)]
    fn turn_rows<const N: usize>(&mut self, row: usize, first: usize, to_the_right: bool, run: &[Rotation<P>]) {
        let place = |column: usize| column * self.rows + row;
        let mut column = first;
        let Some(mut x) = self.matrix[place(column)..].first_chunk::<N>().copied() else { return };
        for &[c, s] in run {
            let next = if to_the_right { column + 1 } else { column - 1 };
            let Some(&y) = self.matrix[place(next)..].first_chunk::<N>() else { return };
            let Some(target) = self.matrix[place(column)..].first_chunk_mut::<N>() else { return };
            for n in 0..N {
                target[n] = c * x[n] + s * y[n];
                x[n] = c * y[n] - s * x[n];
            }
            column = next;
        }
        if let Some(target) = self.matrix[place(column)..].first_chunk_mut::<N>() {
            *target = x;
        }
    }
}
