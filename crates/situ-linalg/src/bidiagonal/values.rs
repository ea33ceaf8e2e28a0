//! Singular values of bidiagonal matrices, without vectors: quotients and differences with shifts (dqds, by Fernando and Parlett).
//!
//! A step needs one division for each element, where rotations need roots, and finds small values as exactly as large ones, as long as
//! their squares are in range. It works on the squares `q` of the diagonal and `e` of what is above it. A shift that is greater than the least square that is
//! left shows in a negative difference; then the step is done again with a smaller one.

use crate::{Failure, Part};

/// Steps for each value, at most: three are usual.
const MOST_STEPS: usize = 60;

/// The squares of the diagonal and of what is above it, and as much room.
struct Squares<'a, P> {
    q: &'a mut [P],
    e: &'a mut [P],
    next_q: &'a mut [P],
    next_e: &'a mut [P],
}

/// Replaces the diagonal of a matrix by its singular values, in any order. What is above it is one shorter, and is used up.
pub(crate) fn singular_values<P: Part>(
    diagonal: &mut [P],
    above: &mut [P],
    [next_q, next_e]: [&mut [P]; 2],
) -> Result<(), Failure> {
    diagonal.iter_mut().chain(above.iter_mut()).for_each(|x| *x = *x * *x);
    let mut steps = MOST_STEPS * diagonal.len();
    Squares { q: diagonal, e: above, next_q, next_e }.solve(Sum::default(), &mut steps)?;
    diagonal.iter_mut().for_each(|square| *square = square.root());
    Ok(())
}

/// What a step left of the squares before it added what is above the diagonal: no square that it looks for is greater than the least.
#[derive(Clone, Copy)]
struct Differences<P> {
    least: P,
    last: P,
}

/// A sum of shifts, with what its last digit leaves out.
#[derive(Clone, Copy, Default)]
struct Sum<P> {
    whole: P,
    rest: P,
}

impl<P: Part> Sum<P> {
    fn plus(self, shift: P) -> Sum<P> {
        let shift = shift + self.rest;
        let whole = self.whole + shift;
        Sum { whole, rest: shift - (whole - self.whole) }
    }
}

impl<P: Part> Squares<'_, P> {
    /// Replaces `q` by the squares of the singular values, of which so much was taken away already.
    fn solve(mut self, taken: Sum<P>, steps: &mut usize) -> Result<(), Failure> {
        let mut taken = taken;
        let mut least = None;
        self.put_least_last();
        loop {
            let n = self.q.len();
            if n == 0 {
                return Ok(());
            }
            if n == 1 || self.is_nothing(n - 2, taken.whole) {
                self.q[n - 1] = taken.plus(self.q[n - 1]).whole;
                self = self.split(n - 1).0;
                continue;
            }
            if n == 2 || self.is_nothing(n - 3, taken.whole) {
                let [greater, lesser] = two([self.q[n - 2], self.q[n - 1]], self.e[n - 2]);
                (self.q[n - 2], self.q[n - 1]) = (taken.plus(greater).whole, taken.plus(lesser).whole);
                self = self.split(n - 2).0;
                continue;
            }
            if let Some(at) = (0..n - 3).rev().find(|&at| self.is_nothing(at, taken.whole)) {
                // The shorter part at once, so that there are never many on the way.
                let (head, tail) = self.split(at + 1);
                let (short, long) = if head.q.len() < tail.q.len() { (head, tail) } else { (tail, head) };
                short.solve(taken, steps)?;
                self = long;
                self.put_least_last();
                continue;
            }
            let (shift, differences) = self.step(least, steps)?;
            least = Some(differences);
            taken = taken.plus(shift);
        }
    }

    /// The first elements and the others, which nothing connects.
    fn split(self, at: usize) -> (Self, Self) {
        let (q, other_q) = self.q.split_at_mut(at);
        let (e, other_e) = self.e.split_at_mut(at.min(self.e.len()));
        let (next_q, other_next_q) = self.next_q.split_at_mut(at);
        let (next_e, other_next_e) = self.next_e.split_at_mut(at.min(self.next_e.len()));
        (
            Squares { q, e, next_q, next_e },
            Squares { q: other_q, e: other_e, next_q: other_next_q, next_e: other_next_e },
        )
    }

    /// Values are found from the end on, the least first.
    fn put_least_last(&mut self) {
        if let (Some(&first), Some(&last)) = (self.q.first(), self.q.last())
            && first < last
        {
            let n = self.q.len();
            self.q.reverse();
            self.e[..n - 1].reverse();
        }
    }

    /// Whether an element above the diagonal is too small to count.
    fn is_nothing(&self, at: usize, taken: P) -> bool {
        self.e[at] <= P::EPSILON * P::EPSILON * (taken + self.q[at + 1])
    }

    /// One step; the shift it took, and its differences. Those of the step before are given, if there was one.
    fn step(&mut self, before: Option<Differences<P>>, steps: &mut usize) -> Result<(P, Differences<P>), Failure> {
        let zero = P::default();
        let mut shift = self.shift(before);
        let mut attempts = 0;
        let differences = loop {
            *steps = steps.checked_sub(1).ok_or(Failure::NotConverged)?;
            match self.shifted(shift) {
                Ok(differences) => break differences,
                Err(_) if shift == zero => return Err(Failure::NotConverged),
                // Where only the last difference is negative, it says by how much the shift was too great.
                Err(Some(last)) if attempts == 0 && shift + last > zero => {
                    shift = (shift + last) * (P::from_count(1) - P::EPSILON - P::EPSILON);
                }
                Err(_) if attempts < 2 => shift = shift / P::from_count(4),
                Err(_) => shift = zero,
            }
            attempts += 1;
        };
        let n = self.q.len();
        self.q.copy_from_slice(self.next_q);
        self.e[..n - 1].copy_from_slice(&self.next_e[..n - 1]);
        Ok((shift, differences))
    }

    /// A shift below the least square, most likely: the lesser eigenvalue of the last two rows, less how far the others can move it.
    fn shift(&self, before: Option<Differences<P>>) -> P {
        if let Some(Differences { least, last }) = before
            && least < last
        {
            // The least square is somewhere else, and no greater than this.
            return least / P::from_count(4);
        }
        let n = self.q.len();
        let [q, last] = [self.q[n - 2], self.q[n - 1]];
        let [before, e] = [self.e[n - 3], self.e[n - 2]];
        let [greater, lesser] = two([q, last], e);
        let ratio = (e * last).root() / (q + e - lesser);
        let share = ratio / (P::from_count(1) + ratio * ratio).root();
        let (off, gap) = ((before * q).root() * share, greater - lesser);
        let moved = if off < gap { off * off / gap } else { off };
        let shift = lesser - moved;
        if shift > P::default() { shift } else { P::default() }
    }

    /// Computes the next squares. If a difference is negative, it is an error, with that difference if it is the last one.
    fn shifted(&mut self, shift: P) -> Result<Differences<P>, Option<P>> {
        let n = self.q.len();
        let zero = P::default();
        let (q, e) = (&self.q[..n], &self.e[..n - 1]);
        let (next_q, next_e) = (&mut self.next_q[..n], &mut self.next_e[..n - 1]);
        let mut difference = q[0] - shift;
        let mut least = difference;
        for (((next_q, next_e), &e), &q) in next_q.iter_mut().zip(next_e).zip(e).zip(&q[1..]) {
            if difference < zero || difference.is_nan() {
                return Err(None);
            }
            *next_q = difference + e;
            let ratio = q / *next_q;
            *next_e = e * ratio;
            difference = difference * ratio - shift;
            least = if difference < least { difference } else { least };
        }
        next_q[n - 1] = difference;
        if difference >= zero { Ok(Differences { least, last: difference }) } else { Err(Some(difference)) }
    }
}

/// The eigenvalues of two rows, the greater one first.
fn two<P: Part>([first, last]: [P; 2], e: P) -> [P; 2] {
    let half = P::from_count(1) / P::from_count(2);
    let middle = half * (first + e + last);
    let apart = half * (first + e - last);
    let greater = middle + (apart * apart + e * last).root();
    // Either factor may be the tiny one.
    let lesser = if greater > P::default() { last * (first / greater) } else { greater };
    [greater, lesser]
}
