//! Eigenvalues and eigenvectors of any matrix, the slow and sure way.
//!
//! A matrix becomes triangular by reflections and shifted QR steps, in complex arithmetic, and its vectors follow from the
//! triangle by substitution, in which numbers that grow too far are scaled down. That takes several times as long as what the
//! library does, and is for matrices on which the quicker ways fail, or come to an answer that does not hold.

use faer::dyn_stack::{MemStack, StackReq};

use super::{General, normalise};
use crate::columns::{phase, sum_of_squares};
use crate::scale::greatest;
use crate::{Failure, Number, Part};

/// QR steps for one eigenvalue after which it is given up; some ten are far more than usual.
const MOST_STEPS: usize = 300;

/// What [`eig`] needs.
pub(crate) fn schur_needs<C: Number>(order: usize) -> StackReq {
    StackReq::all_of(&[StackReq::new::<C>(order * order).array(2), StackReq::new::<C>(order).array(2)])
}

/// Eigenvalues, and vectors of length 1, of a matrix whose elements are not far from 1.
pub(crate) fn eig<T: General>(
    matrix: &[T],
    order: usize,
    values: &mut [T::Complex],
    vectors: Option<&mut [T::Complex]>,
    stack: &mut MemStack,
) -> Result<(), Failure> {
    let zero = T::Complex::default();
    let (mut triangle, stack) = stack.make_with(order * order, |at| matrix[at].complex());
    let (mut basis, stack) = stack.make_with(order * order, |_| zero);
    let (mut first, stack) = stack.make_with(order, |_| zero);
    let (mut second, _) = stack.make_with(order, |_| zero);
    let mut work = Work { order, triangle: &mut triangle, basis: &mut basis };
    (0..order).for_each(|at| work.basis[at * (order + 1)] = Number::one());
    work.reduce(&mut first);
    work.iterate(&mut first, &mut second)?;
    (0..order).for_each(|at| values[at] = work.at(at, at));
    if let Some(vectors) = vectors {
        for (at, vector) in vectors.chunks_exact_mut(order).enumerate() {
            work.substitute(at, &mut first);
            vector.fill(zero);
            for (column, &x) in work.basis.chunks_exact(order).zip(&first[..=at]) {
                vector.iter_mut().zip(column).for_each(|(y, &z)| *y += z * x);
            }
            if !normalise(vector) {
                return Err(Failure::NotConverged);
            }
        }
    }
    Ok(())
}

/// A matrix on its way to a triangle, and the orthonormal basis in which it is one.
struct Work<'a, C> {
    order: usize,
    triangle: &'a mut [C],
    basis: &'a mut [C],
}

impl<C: Number> Work<'_, C> {
    fn at(&self, row: usize, column: usize) -> C {
        self.triangle[column * self.order + row]
    }

    fn set(&mut self, row: usize, column: usize, value: C) {
        self.triangle[column * self.order + row] = value;
    }

    /// A size that, next to the matrix, is a matter of rounding.
    fn rounding(&self) -> C::Part {
        sum_of_squares(self.triangle).root() * C::Part::EPSILON / C::Part::from_count(8)
    }

    /// Makes everything below the first subdiagonal zero, by reflections.
    fn reduce(&mut self, reflector: &mut [C]) {
        let order = self.order;
        let least = self.rounding();
        for at in 0..order.saturating_sub(2) {
            let rows = at + 1..order;
            let v = &mut reflector[..order - at - 1];
            v.copy_from_slice(&self.triangle[at * order..][rows.clone()]);
            let norm = sum_of_squares(v).root();
            // What is nothing but rounding of larger elements becomes zero, before its squares do.
            if greatest(&v[1..]) <= least {
                self.triangle[at * order..][at + 2..order].fill(C::default());
                continue;
            }
            let (direction, _) = phase(v[0]);
            v[0] += direction.times(norm);
            let twice = C::Part::from_count(2) / sum_of_squares(v);
            for column in self.triangle.chunks_exact_mut(order).skip(at) {
                let column = &mut column[rows.clone()];
                let dot = column.iter().zip(&*v).fold(C::default(), |sum, (&x, &y)| sum + y.conjugate() * x);
                column.iter_mut().zip(&*v).for_each(|(x, &y)| *x -= y * dot.times(twice));
            }
            for matrix in [&mut *self.triangle, &mut *self.basis] {
                for row in 0..order {
                    let place = |n: usize| (at + 1 + n) * order + row;
                    let dot = v.iter().enumerate().fold(C::default(), |sum, (n, &y)| sum + matrix[place(n)] * y);
                    v.iter().enumerate().for_each(|(n, &y)| matrix[place(n)] -= dot.times(twice) * y.conjugate());
                }
            }
            self.triangle[at * order..][at + 2..order].fill(C::default());
        }
    }

    /// Makes the first subdiagonal zero, by QR steps with the shift of Wilkinson.
    fn iterate(&mut self, cosines: &mut [C], sines: &mut [C]) -> Result<(), Failure> {
        let least = self.rounding();
        let mut last = self.order - 1;
        let mut steps = 0;
        while last > 0 {
            let first = self.first_of_block(last, least);
            if first == last {
                (last, steps) = (last - 1, 0);
                continue;
            }
            steps += 1;
            if steps > MOST_STEPS {
                return Err(Failure::NotConverged);
            }
            let shift = if steps % 10 == 0 {
                // Steps that go round in a circle are thrown off it.
                self.at(last, last) + C::of(self.at(last, last - 1).length(), C::Part::default())
            } else {
                self.shift(last)
            };
            self.step(first, last, shift, cosines, sines);
        }
        Ok(())
    }

    /// Where the block that ends here begins: behind a subdiagonal element that is as good as zero, which becomes zero.
    fn first_of_block(&mut self, last: usize, least: C::Part) -> usize {
        for at in (1..=last).rev() {
            let around = self.at(at - 1, at - 1).length() + self.at(at, at).length();
            let size = self.at(at, at - 1).length();
            // Among elements that are nothing but rounding of larger ones, steps would go on for ever.
            if size <= C::Part::EPSILON * around || size <= least {
                self.set(at, at - 1, C::default());
                return at;
            }
        }
        0
    }

    /// The eigenvalue, nearest to its last element, of the last square of two rows.
    fn shift(&self, last: usize) -> C {
        let [a, b, c, d] = [(1, 1), (1, 0), (0, 1), (0, 0)].map(|(i, j)| self.at(last - i, last - j));
        let half = (a - d).times(C::Part::from_count(1) / C::Part::from_count(2));
        let root = square_root(half * half + b * c);
        let sum = [half + root, half - root]
            .into_iter()
            .max_by(|x, y| x.length().partial_cmp(&y.length()).unwrap_or(std::cmp::Ordering::Equal));
        match sum {
            Some(sum) if sum != C::default() => d - (b * c).over(sum),
            _ => d,
        }
    }

    /// One QR step of the block.
    fn step(&mut self, first: usize, last: usize, shift: C, cosines: &mut [C], sines: &mut [C]) {
        let order = self.order;
        for at in first..=last {
            self.triangle[at * (order + 1)] -= shift;
        }
        for at in first..last {
            let (a, b) = (self.at(at, at), self.at(at + 1, at));
            let norm = C::Part::hypotenuse(a.length(), b.length());
            let (cosine, sine) = if norm == C::Part::default() {
                (C::one(), C::default())
            } else {
                let inverse = C::Part::from_count(1) / norm;
                (a.times(inverse), b.times(inverse))
            };
            (cosines[at], sines[at]) = (cosine, sine);
            for column in self.triangle.chunks_exact_mut(order).skip(at) {
                let (x, y) = (column[at], column[at + 1]);
                column[at] = cosine.conjugate() * x + sine.conjugate() * y;
                column[at + 1] = cosine * y - sine * x;
            }
        }
        for at in first..last {
            let (cosine, sine) = (cosines[at], sines[at]);
            for (matrix, rows) in [(&mut *self.triangle, (at + 2).min(last + 1)), (&mut *self.basis, order)] {
                let (left, right) = matrix[at * order..].split_at_mut(order);
                for (x, y) in left[..rows].iter_mut().zip(&mut right[..rows]) {
                    (*x, *y) = (*x * cosine + *y * sine, *y * cosine.conjugate() - *x * sine.conjugate());
                }
            }
        }
        for at in first..=last {
            self.triangle[at * (order + 1)] += shift;
        }
    }

    /// The eigenvector of the triangle for its eigenvalue at a position, of any length, in the first elements of `x`.
    fn substitute(&self, at: usize, x: &mut [C]) {
        let value = self.at(at, at);
        let norm = sum_of_squares(self.triangle).root();
        let least = if norm == C::Part::default() { C::Part::from_count(1) } else { norm * C::Part::EPSILON };
        // Far enough from overflow for a division by `least` and a product.
        let most = C::Part::from_count(1) / (C::Part::EPSILON * C::Part::EPSILON);
        x[at] = C::one();
        (0..at).for_each(|row| x[row] = -self.at(row, at));
        for row in (0..at).rev() {
            let difference = self.at(row, row) - value;
            let is_least = difference.length() < least;
            let difference = if is_least { C::of(least, C::Part::default()) } else { difference };
            x[row] = x[row].over(difference);
            let size = x[row].length();
            if size > most {
                x[..=at].iter_mut().for_each(|x| *x = x.times(C::Part::from_count(1) / size));
            }
            let factor = x[row];
            let column = &self.triangle[row * self.order..][..row];
            x[..row].iter_mut().zip(column).for_each(|(x, &t)| *x -= t * factor);
        }
    }
}

/// A square root of a complex number.
fn square_root<C: Number>(x: C) -> C {
    let [re, im] = x.parts();
    let (zero, half) = (C::Part::default(), C::Part::from_count(1) / C::Part::from_count(2));
    let size = x.length();
    if size == zero {
        return C::default();
    }
    let real = ((size + re.magnitude_of()) * half).root();
    let other = im * half / real;
    match (re >= zero, im >= zero) {
        (true, _) => C::of(real, other),
        (false, true) => C::of(other, real),
        (false, false) => C::of(-other, -real),
    }
}
