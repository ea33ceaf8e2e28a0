//! Eigenvectors of the triangles that [`francis`](crate::francis) comes to.

use crate::columns::subtract;
use crate::{Number, Part};

/// A triangle with squares of two rows on its diagonal, column after column.
pub(crate) struct Triangle<'a, P> {
    pub(crate) order: usize,
    pub(crate) matrix: &'a [P],
}

impl<P: Part> Triangle<'_, P> {
    #[inline(always)]
    fn at(&self, row: usize, column: usize) -> P {
        self.matrix[column * self.order + row]
    }

    /// Whether a square of two rows ends here.
    #[inline(always)]
    fn ends_square(&self, at: usize) -> bool {
        at > 0 && self.at(at, at - 1) != P::default()
    }

    /// Writes an eigenvector of any length for each eigenvalue. Those of a complex pair are the first of the two as its real and its
    /// imaginary parts, one column after the other.
    #[inline(always)]
    pub(crate) fn vectors<C: Number<Part = P>>(&self, imaginary: &[P], vectors: &mut [P]) {
        let order = self.order;
        vectors.fill(P::default());
        let mut end = order;
        while end > 0 {
            let last = end - 1;
            if self.ends_square(last) {
                let (re, im) = vectors[(last - 1) * order..][..2 * order].split_at_mut(order);
                self.complex_vector::<C>(last, imaginary[last - 1], [re, im]);
                end -= 2;
            } else {
                self.real_vector(last, &mut vectors[last * order..][..order]);
                end -= 1;
            }
        }
    }

    /// What a divisor must not be nearer to zero than.
    #[inline(always)]
    fn least(&self, value: P) -> P {
        let (least, size) = (P::power_of_two(-P::FAR), value * P::EPSILON);
        if size > least { size } else { least }
    }

    /// Numbers that are not far from overflow any more.
    #[inline(always)]
    fn most() -> P {
        P::from_count(1) / (P::EPSILON * P::EPSILON)
    }

    #[inline(always)]
    fn real_vector(&self, at: usize, x: &mut [P]) {
        let (order, one) = (self.order, P::from_count(1));
        let value = self.at(at, at);
        let least = self.least(value.magnitude_of());
        let away = |x: P| if x.magnitude_of() < least { least } else { x };
        x[at] = one;
        let (above, _) = x.split_at_mut(at);
        subtract(above, &self.matrix[at * order..][..at], one);
        let mut end = at;
        while end > 0 {
            let row = end - 1;
            let column = &self.matrix[row * order..][..order];
            if self.ends_square(row) {
                let before = &self.matrix[(row - 1) * order..][..order];
                let square = [before[row - 1] - value, column[row - 1], before[row], column[row] - value];
                let [first, second] = two(square, [x[row - 1], x[row]], away);
                (x[row - 1], x[row]) = (first, second);
                end -= 2;
                subtract(&mut x[..end], &before[..end], first);
                subtract(&mut x[..end], &column[..end], second);
            } else {
                x[row] = x[row] / away(column[row] - value);
                end -= 1;
                let factor = x[row];
                subtract(&mut x[..end], &column[..end], factor);
            }
            let size = if x[end].magnitude_of() > x[row].magnitude_of() { x[end] } else { x[row] }.magnitude_of();
            if size > Self::most() {
                x[..=at].iter_mut().for_each(|x| *x = *x / size);
            }
        }
    }

    /// The vector of the eigenvalue with this imaginary part, of the square that ends here.
    #[inline(always)]
    fn complex_vector<C: Number<Part = P>>(&self, at: usize, imaginary: P, [re, im]: [&mut [P]; 2]) {
        let (order, zero, one) = (self.order, P::default(), P::from_count(1));
        let value = C::of(self.at(at, at), imaginary);
        let least = self.least(value.magnitude());
        let away = |x: C| if x.magnitude() < least { C::of(least, zero) } else { x };
        let (below, above) = (self.at(at, at - 1), self.at(at - 1, at));
        if above.magnitude_of() >= below.magnitude_of() {
            (re[at - 1], im[at]) = (one, imaginary / above);
        } else {
            (re[at - 1], im[at]) = (-imaginary / below, one);
        }
        let (own, other) = (re[at - 1], im[at]);
        let mut end = at - 1;
        subtract(&mut re[..end], &self.matrix[(at - 1) * order..][..end], own);
        subtract(&mut im[..end], &self.matrix[at * order..][..end], other);
        while end > 0 {
            let row = end - 1;
            let column = &self.matrix[row * order..][..order];
            if self.ends_square(row) {
                let before = &self.matrix[(row - 1) * order..][..order];
                let real = |x: P| C::of(x, zero);
                let square = [
                    real(before[row - 1]) - value,
                    real(column[row - 1]),
                    real(before[row]),
                    real(column[row]) - value,
                ];
                let right = [C::of(re[row - 1], im[row - 1]), C::of(re[row], im[row])];
                let found = two(square, right, away).map(C::parts);
                end -= 2;
                for (n, parts) in found.into_iter().enumerate() {
                    [re[end + n], im[end + n]] = parts;
                }
                for (column, parts) in [before, column].into_iter().zip(found) {
                    subtract(&mut re[..end], &column[..end], parts[0]);
                    subtract(&mut im[..end], &column[..end], parts[1]);
                }
            } else {
                let parts = C::of(re[row], im[row]).over(away(C::of(column[row], zero) - value)).parts();
                [re[row], im[row]] = parts;
                end -= 1;
                subtract(&mut re[..end], &column[..end], parts[0]);
                subtract(&mut im[..end], &column[..end], parts[1]);
            }
            let sizes = [re[end], im[end], re[row], im[row]].map(P::magnitude_of);
            let size = sizes.into_iter().fold(zero, |greatest, x| if x > greatest { x } else { greatest });
            if size > Self::most() {
                re[..=at].iter_mut().chain(&mut im[..=at]).for_each(|x| *x = *x / size);
            }
        }
    }
}

/// Solves two equations, whose coefficients come row after row. Divisors are kept away from zero.
#[inline(always)]
fn two<C: Number>([a, b, c, d]: [C; 4], [first, second]: [C; 2], away: impl Fn(C) -> C) -> [C; 2] {
    let size = |x: C| {
        let [re, im] = x.parts();
        re.magnitude_of() + im.magnitude_of()
    };
    let ([a, b, c, d], [first, second]) =
        if size(a) >= size(c) { ([a, b, c, d], [first, second]) } else { ([c, d, a, b], [second, first]) };
    let a = away(a);
    let factor = c.over(a);
    let y = (second - factor * first).over(away(d - factor * b));
    [(first - b * y).over(a), y]
}
