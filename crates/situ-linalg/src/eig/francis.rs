//! Eigenvalues of real matrices of a few rows, by double QR steps (Francis), and the triangle that they come to.
//!
//! The triangle has a square of two rows on its diagonal for each pair of complex eigenvalues, with equal elements on the diagonal and
//! opposite signs beside it.

use crate::scale::Scale;
use crate::{Failure, Part};

/// Steps for each eigenvalue, at most: two or three are usual.
const MOST_STEPS: usize = 30;
/// After so many steps without an eigenvalue, others are tried that do not go round in a circle.
const ODD_STEPS: usize = 10;

/// A matrix without elements below its first subdiagonal, on its way to a triangle.
pub(crate) struct Francis<'a, P> {
    pub(crate) order: usize,
    pub(crate) matrix: &'a mut [P],
    /// The basis in which the matrix is what it was. Without one, nothing but eigenvalues is wanted.
    pub(crate) basis: Option<&'a mut [P]>,
}

/// A pair of eigenvalues: their real parts and the imaginary part of the first.
type Pair<P> = ([P; 2], P);

/// A reflection of two or three rows, `1 - v w^T`, where `v` begins with 1.
#[derive(Clone, Copy)]
struct Reflection<P> {
    v: [P; 2],
    w: [P; 3],
}

impl<P: Part> Francis<'_, P> {
    #[inline(always)]
    fn at(&self, row: usize, column: usize) -> P {
        self.matrix[column * self.order + row]
    }

    #[inline(always)]
    fn set(&mut self, row: usize, column: usize, value: P) {
        self.matrix[column * self.order + row] = value;
    }

    #[inline(always)]
    fn size(&self, row: usize, column: usize) -> P {
        self.at(row, column).magnitude_of()
    }

    /// Finds the eigenvalues, from the last one on.
    #[inline(always)]
    pub(crate) fn iterate(&mut self, real: &mut [P], imaginary: &mut [P]) -> Result<(), Failure> {
        let mut rest = MOST_STEPS * self.order.max(10);
        let mut end = self.order;
        let mut steps = 0;
        while end > 0 {
            let last = end - 1;
            let first = self.first_of_block(last);
            match last - first {
                0 => (real[last], imaginary[last]) = (self.at(last, last), P::default()),
                1 => ([real[first], real[last]], imaginary[first]) = self.split(first),
                _ => {
                    steps += 1;
                    rest = rest.checked_sub(1).ok_or(Failure::NotConverged)?;
                    let shifts = self.shifts(first, last, steps);
                    self.step(first, last, shifts);
                    continue;
                }
            }
            if last > first {
                // Not -0, which would be the other side of a branch cut.
                imaginary[last] = P::default() - imaginary[first];
            }
            (end, steps) = (first, 0);
        }
        Ok(())
    }

    /// Where the block that ends here begins: behind a subdiagonal element that is as good as zero, which becomes zero. The test is
    /// Ahues' and Tisseur's, which asks what an element does to the eigenvalues.
    #[inline(always)]
    fn first_of_block(&mut self, last: usize) -> usize {
        let (zero, epsilon, tiny) = (P::default(), P::EPSILON, P::power_of_two(-2 * P::FAR));
        for at in (1..=last).rev() {
            let below = self.size(at, at - 1);
            let mut around = self.size(at - 1, at - 1) + self.size(at, at);
            if around == zero {
                around += if at >= 2 { self.size(at - 1, at - 2) } else { zero };
                around += if at < last { self.size(at + 1, at) } else { zero };
            }
            if below > tiny && below > epsilon * around {
                continue;
            }
            let above = self.size(at - 1, at);
            let apart = (self.at(at - 1, at - 1) - self.at(at, at)).magnitude_of();
            let own = self.size(at, at);
            let (greater, lesser) = if below > above { (below, above) } else { (above, below) };
            let (far, near) = if own > apart { (own, apart) } else { (apart, own) };
            let sum = far + greater;
            let limit = epsilon * (near * (far / sum));
            if below <= tiny || lesser * (greater / sum) <= if limit > tiny { limit } else { tiny } {
                self.set(at, at - 1, zero);
                return at;
            }
        }
        0
    }

    /// Shifts for a step: the eigenvalues of the last square, or, where they are real, the nearer one twice.
    #[inline(always)]
    fn shifts(&self, first: usize, last: usize, steps: usize) -> Pair<P> {
        let (zero, half) = (P::default(), P::from_count(1) / P::from_count(2));
        let three_quarters = P::from_count(3) / P::from_count(4);
        let odd = |at: usize, size: P| {
            let own = three_quarters * size + self.at(at, at);
            [own, -(P::from_count(7) / P::from_count(16)) * size, size, own]
        };
        let [a, b, c, d] = if steps.is_multiple_of(2 * ODD_STEPS) {
            odd(last, self.size(last, last - 1) + self.size(last - 1, last - 2))
        } else if steps.is_multiple_of(ODD_STEPS) {
            odd(first, self.size(first + 1, first) + self.size(first + 2, first + 1))
        } else {
            [(1, 1), (1, 0), (0, 1), (0, 0)].map(|(i, j)| self.at(last - i, last - j))
        };
        let size = a.magnitude_of() + b.magnitude_of() + c.magnitude_of() + d.magnitude_of();
        if size == zero {
            return ([zero; 2], zero);
        }
        let [a, b, c, d] = [a, b, c, d].map(|x| x / size);
        let middle = (a + d) * half;
        let determinant = (a - middle) * (d - middle) - b * c;
        let root = determinant.magnitude_of().root();
        if determinant >= zero {
            return ([middle * size; 2], root * size);
        }
        let [more, less] = [middle + root, middle - root];
        let nearer = if (more - d).magnitude_of() <= (less - d).magnitude_of() { more } else { less };
        ([nearer * size; 2], zero)
    }

    /// One double step of the block.
    #[inline(always)]
    fn step(&mut self, first: usize, last: usize, shifts: Pair<P>) {
        let (begin, mut bulge) = self.begin(first, last, shifts);
        for at in begin..last {
            let rows = if at + 1 < last { 3 } else { 2 };
            if at > begin {
                bulge = [0, 1, 2].map(|n| if n < rows { self.at(at + n, at - 1) } else { P::default() });
            }
            let (reflection, becomes) = reflection(bulge);
            if at > begin {
                self.set(at, at - 1, becomes);
                (1..rows).for_each(|n| self.set(at + n, at - 1, P::default()));
            } else if at > first {
                // What is left of the element before counts, though it is small.
                let kept = self.at(at, at - 1) * (P::from_count(1) - reflection.w[0]);
                self.set(at, at - 1, kept);
            }
            self.reflect(at, rows, first, last, reflection);
        }
    }

    /// Where a step may begin, because two subdiagonal elements in turn are small, and the first column of what it would multiply by.
    #[inline(always)]
    fn begin(&self, first: usize, last: usize, ([one, other], imaginary): Pair<P>) -> (usize, [P; 3]) {
        let mut at = last - 2;
        loop {
            let (own, next, below) = (self.at(at, at), self.at(at + 1, at + 1), self.at(at + 1, at));
            let size = (own - other).magnitude_of() + imaginary.magnitude_of() + below.magnitude_of();
            let share = below / size;
            let column = [
                share * self.at(at, at + 1) + (own - one) * ((own - other) / size) + imaginary * (imaginary / size),
                share * (own + next - one - other),
                share * self.at(at + 2, at + 1),
            ];
            let sizes = column.map(P::magnitude_of);
            let sum = sizes[0] + sizes[1] + sizes[2];
            if at == first {
                return (at, column.map(|x| x / sum));
            }
            let around = self.size(at - 1, at - 1) + own.magnitude_of() + next.magnitude_of();
            if self.size(at, at - 1) * (sizes[1] + sizes[2]) <= P::EPSILON * sizes[0] * around {
                return (at, column.map(|x| x / sum));
            }
            at -= 1;
        }
    }

    /// Reflects rows and columns from one on.
    #[inline(always)]
    fn reflect(&mut self, at: usize, rows: usize, first: usize, last: usize, by: Reflection<P>) {
        let order = self.order;
        let [from, to] = if self.basis.is_some() { [0, order] } else { [first, last + 1] };
        let Reflection { v, w } = by;
        for column in self.matrix.chunks_exact_mut(order).take(to).skip(at) {
            match &mut column[at..at + rows] {
                [x, y, z] => {
                    let sum = *x + v[0] * *y + v[1] * *z;
                    (*x, *y, *z) = (*x - sum * w[0], *y - sum * w[1], *z - sum * w[2]);
                }
                [x, y] => {
                    let sum = *x + v[0] * *y;
                    (*x, *y) = (*x - sum * w[0], *y - sum * w[1]);
                }
                _ => {}
            }
        }
        let end = (at + 4).min(last + 1);
        reflect_columns(&mut self.matrix[at * order..][..rows * order], order, from, end, by);
        if let Some(basis) = self.basis.as_deref_mut() {
            reflect_columns(&mut basis[at * order..][..rows * order], order, 0, order, by);
        }
    }

    /// Rotates the square of two rows that begins here, so that it becomes a triangle or, of complex eigenvalues, has equal elements on
    /// its diagonal.
    #[inline(always)]
    fn split(&mut self, at: usize) -> Pair<P> {
        let zero = P::default();
        let square = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(i, j)| self.at(at + i, at + j));
        let (rotated, [c, s]) = standard(square);
        let order = self.order;
        if let Some(basis) = self.basis.as_deref_mut() {
            for column in self.matrix.chunks_exact_mut(order).skip(at + 2) {
                (column[at], column[at + 1]) =
                    (c * column[at] + s * column[at + 1], c * column[at + 1] - s * column[at]);
            }
            rotate_columns(&mut self.matrix[at * order..][..2 * order], order, at, [c, s]);
            rotate_columns(&mut basis[at * order..][..2 * order], order, order, [c, s]);
        }
        for ((i, j), x) in [(0, 0), (0, 1), (1, 0), (1, 1)].into_iter().zip(rotated) {
            self.set(at + i, at + j, x);
        }
        let [a, b, c, d] = rotated;
        let imaginary = if c == zero { zero } else { b.magnitude_of().root() * c.magnitude_of().root() };
        ([a, d], imaginary)
    }
}

/// The reflection that brings two or three numbers onto the first, and what that becomes.
#[inline(always)]
fn reflection<P: Part>(x: [P; 3]) -> (Reflection<P>, P) {
    let zero = P::default();
    let mut x = x;
    if x[1] == zero && x[2] == zero {
        return (Reflection { v: [zero; 2], w: [zero; 3] }, x[0]);
    }
    let mut squares = x[1] * x[1] + x[2] * x[2];
    let mut scale = None;
    if squares < P::power_of_two(-P::FAR) {
        scale = Scale::normalise(&mut x);
        squares = x[1] * x[1] + x[2] * x[2];
    }
    let length = (x[0] * x[0] + squares).root();
    let becomes = if x[0] > zero { -length } else { length };
    let factor = (becomes - x[0]) / becomes;
    let apart = P::from_count(1) / (x[0] - becomes);
    let v = [x[1] * apart, x[2] * apart];
    let mut becomes = [becomes];
    if let Some(scale) = scale {
        scale.restore(&mut becomes);
    }
    (Reflection { v, w: [factor, factor * v[0], factor * v[1]] }, becomes[0])
}

/// Reflects some rows of two or three columns.
#[inline(always)]
fn reflect_columns<P: Part>(
    columns: &mut [P],
    order: usize,
    from: usize,
    to: usize,
    Reflection { v, w }: Reflection<P>,
) {
    let (x, rest) = columns.split_at_mut(order);
    let x = &mut x[from..to];
    if rest.len() > order {
        let (y, z) = rest.split_at_mut(order);
        for ((x, y), z) in x.iter_mut().zip(&mut y[from..to]).zip(&mut z[from..to]) {
            let sum = *x + v[0] * *y + v[1] * *z;
            (*x, *y, *z) = (*x - sum * w[0], *y - sum * w[1], *z - sum * w[2]);
        }
    } else {
        for (x, y) in x.iter_mut().zip(&mut rest[from..to]) {
            let sum = *x + v[0] * *y;
            (*x, *y) = (*x - sum * w[0], *y - sum * w[1]);
        }
    }
}

/// Rotates the first rows of two columns.
#[inline(always)]
fn rotate_columns<P: Part>(columns: &mut [P], order: usize, rows: usize, [c, s]: [P; 2]) {
    let (x, y) = columns.split_at_mut(order);
    for (x, y) in x[..rows].iter_mut().zip(&mut y[..rows]) {
        (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
    }
}

/// A square of two rows, row after row, rotated into its standard form, and the cosine and sine.
fn standard<P: Part>(square: [P; 4]) -> ([P; 4], [P; 2]) {
    let [a, b, c, d] = square;
    let (zero, one) = (P::default(), P::from_count(1));
    let half = one / P::from_count(2);
    let has_sign = |x: P| x < zero;
    let with_sign = |x: P, of: P| if has_sign(of) { -x.magnitude_of() } else { x.magnitude_of() };
    if c == zero {
        return (square, [one, zero]);
    }
    if b == zero {
        return ([d, -c, zero, a], [zero, one]);
    }
    let apart = a - d;
    if apart == zero && has_sign(b) != has_sign(c) {
        return (square, [one, zero]);
    }
    let p = half * apart;
    let (greater, lesser) = if b.magnitude_of() > c.magnitude_of() { (b, c) } else { (c, b) };
    let product = if has_sign(b) == has_sign(c) { lesser.magnitude_of() } else { -lesser.magnitude_of() };
    let greater = greater.magnitude_of();
    let size = if p.magnitude_of() > greater { p.magnitude_of() } else { greater };
    let discriminant = p / size * p + greater / size * product;
    if discriminant >= P::from_count(4) * P::EPSILON {
        // Real eigenvalues.
        let z = p + with_sign(size.root() * discriminant.root(), p);
        let length = c.hypotenuse(z);
        return ([d + z, b - c, zero, d - greater / z * product], [z / length, c / length]);
    }
    // Complex ones, or real ones that are nearly equal: the diagonal is made equal. Both numbers that say how may be so small that
    // their digits would not do.
    let mut direction = [b + c, apart];
    Scale::normalise(&mut direction);
    let [sum, apart] = direction;
    let p = half * apart;
    let length = sum.hypotenuse(apart);
    let cosine = (half * (one + sum.magnitude_of() / length)).root();
    let sine = with_sign(p / (length * cosine), if has_sign(sum) == has_sign(p) { -one } else { one });
    let [aa, bb, cc, dd] = [a * cosine + b * sine, b * cosine - a * sine, c * cosine + d * sine, d * cosine - c * sine];
    let [a, b, c, d] =
        [aa * cosine + cc * sine, bb * cosine + dd * sine, cc * cosine - aa * sine, dd * cosine - bb * sine];
    let middle = half * (a + d);
    if c == zero {
        return ([middle, b, zero, middle], [cosine, sine]);
    }
    if b == zero {
        return ([middle, -c, zero, middle], [-sine, cosine]);
    }
    if has_sign(b) != has_sign(c) {
        return ([middle, b, c, middle], [cosine, sine]);
    }
    let roots = [b.magnitude_of().root(), c.magnitude_of().root()];
    let p = with_sign(roots[0] * roots[1], c);
    let length = one / (b + c).magnitude_of().root();
    let [c1, s1] = roots.map(|root| root * length);
    ([middle + p, b - c, zero, middle - p], [cosine * c1 - sine * s1, cosine * s1 + sine * c1])
}
