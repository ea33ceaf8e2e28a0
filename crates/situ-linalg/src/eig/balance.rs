//! Matrices brought into balance before their eigenvalues are looked for.
//!
//! A rounding is as large as the greatest elements, and eigenvalues that belong to small ones lose their digits to it. Rows and
//! columns are therefore exchanged until eigenvalues that can be read off stand in a triangle, first and last, and the others are
//! multiplied by powers of two until no row is much longer than its column. The matrix stays similar to what it was, and no digit
//! changes but of elements that become too small to count.

use std::ops::Range;

use faer::dyn_stack::{MemStack, StackReq};

use super::normalise;
use crate::scale::greatest_of;
use crate::vectors::vectorised;
use crate::{Number, Part};

/// What [`Balance::of`] and [`Balance::restore`] need while they run, of complex numbers.
pub(crate) fn needs<C: Number>(order: usize) -> StackReq {
    StackReq::new::<C>(order)
}

/// What was done to a matrix.
#[derive(Debug)]
pub(crate) struct Balance<'a> {
    /// For each row, and column, which one it was.
    origins: &'a mut [i32],
    /// The powers of two by which columns were multiplied, and rows divided.
    exponents: &'a mut [i32],
    is_changed: bool,
}

impl<'a> Balance<'a> {
    /// Brings a matrix, whose elements are not far from 1, into balance. `origins` and `exponents` have an element for each row.
    pub(crate) fn of<T: Number>(
        matrix: &mut [T],
        origins: &'a mut [i32],
        exponents: &'a mut [i32],
        stack: &mut MemStack,
    ) -> Balance<'a> {
        (0_i32..).zip(&mut *origins).for_each(|(row, origin)| *origin = row);
        exponents.fill(0);
        let mut balance = Balance { origins, exponents, is_changed: false };
        let middle = balance.exchange(matrix);
        if !vectorised(
            #[inline(always)]
            || is_level(matrix, balance.origins.len(), middle.clone(), stack),
        ) {
            balance.level(matrix, middle);
        }
        balance
    }

    /// Moves rows that have nothing beside their diagonal down, and columns that have nothing to the left. Returns where the rest is.
    fn exchange<T: Number>(&mut self, matrix: &mut [T]) -> Range<usize> {
        let order = self.origins.len();
        let mut middle = 0..order;
        let is_zero = |x: &T| *x == T::default();
        let alone = |matrix: &[T], at: usize, middle: &Range<usize>, is_row: bool| {
            let place = |n: usize| if is_row { n * order + at } else { at * order + n };
            middle.clone().filter(|&n| n != at).all(|n| is_zero(&matrix[place(n)]))
        };
        while let Some(row) = middle.clone().rev().find(|&row| alone(matrix, row, &middle, true)) {
            middle.end -= 1;
            self.swap(matrix, row, middle.end);
        }
        while let Some(column) = middle.clone().find(|&column| alone(matrix, column, &middle, false)) {
            self.swap(matrix, column, middle.start);
            middle.start += 1;
        }
        middle
    }

    fn swap<T: Number>(&mut self, matrix: &mut [T], first: usize, second: usize) {
        if first == second {
            return;
        }
        let order = self.origins.len();
        self.origins.swap(first, second);
        matrix.chunks_exact_mut(order).for_each(|column| column.swap(first, second));
        (0..order).for_each(|row| matrix.swap(first * order + row, second * order + row));
        self.is_changed = true;
    }

    /// Multiplies columns and divides rows until none gains from it any more.
    fn level<T: Number>(&mut self, matrix: &mut [T], middle: Range<usize>) {
        let order = self.origins.len();
        loop {
            let mut is_done = true;
            for at in middle.clone() {
                let column = length(middle.clone().map(|row| matrix[at * order + row]));
                let row = length(middle.clone().map(|column| matrix[column * order + at]));
                let Some(by) = gain(column, row) else { continue };
                let exponent = self.exponents[at] + by;
                if exponent.abs() > T::Part::FAR {
                    continue;
                }
                (self.exponents[at], self.is_changed, is_done) = (exponent, true, false);
                let [up, down] = [by, -by].map(T::Part::power_of_two);
                matrix[at * order..][..order].iter_mut().for_each(|x| *x = x.times(up));
                matrix[at..].iter_mut().step_by(order).for_each(|x| *x = x.times(down));
            }
            if is_done {
                return;
            }
        }
    }

    /// Makes vectors of what the matrix has become those of what it was, of length 1 again.
    pub(crate) fn restore<T: Number>(&self, vectors: &mut [T], stack: &mut MemStack) {
        if self.is_changed {
            let order = self.origins.len();
            let (mut room, _) = stack.make_with(order, |_| T::default());
            for vector in vectors.chunks_exact_mut(order) {
                self.turn_back(vector, &mut room);
                normalise(vector);
            }
        }
    }

    /// Makes a vector of what the matrix was one of what it is, of another length.
    #[inline(always)]
    pub(crate) fn balanced_vector<T: Number>(&self, from: &[T], to: &mut [T]) {
        for ((to, &origin), &exponent) in to.iter_mut().zip(&*self.origins).zip(&*self.exponents) {
            *to = from[origin as usize].times(T::Part::power_of_two(-exponent));
        }
    }

    /// Undoes [`Self::balanced_vector`].
    #[inline(always)]
    pub(crate) fn original_vector<T: Number>(&self, from: &[T], to: &mut [T]) {
        for ((&from, &origin), &exponent) in from.iter().zip(&*self.origins).zip(&*self.exponents) {
            to[origin as usize] = from.times(T::Part::power_of_two(exponent));
        }
    }

    fn turn_back<T: Number>(&self, vector: &mut [T], room: &mut [T]) {
        // The greatest element becomes about 1, whatever the powers are.
        let size = |(x, exponent): (&T, &i32)| {
            let magnitude = x.magnitude();
            (magnitude != T::Part::default()).then(|| magnitude.exponent() + exponent)
        };
        let greatest = vector.iter().zip(&*self.exponents).filter_map(size).max().unwrap_or(0);
        room.copy_from_slice(vector);
        for ((x, &origin), &exponent) in room.iter().zip(&*self.origins).zip(&*self.exponents) {
            let exponent = exponent - greatest;
            let first = exponent / 2;
            let [first, second] = [first, exponent - first].map(T::Part::power_of_two);
            vector[origin as usize] = x.times(first).times(second);
        }
    }
}

/// The length of a vector, without squares that are out of range.
fn length<T: Number>(elements: impl Iterator<Item = T> + Clone) -> T::Part {
    let greatest = greatest_of(elements.clone());
    if greatest == T::Part::default() {
        return greatest;
    }
    // The least numbers stay small.
    let exponent = greatest.exponent().max(-2 * T::Part::FAR);
    let [down, up] = [-exponent, exponent].map(T::Part::power_of_two);
    let square = |x: T| {
        let [re, im] = x.times(down).parts();
        re * re + im * im
    };
    elements.fold(T::Part::default(), |sum, x| sum + square(x)).root() * up
}

/// The power of two by which a column has to be multiplied, and its row divided, for the two to become clearly shorter together.
fn gain<P: Part>(column: P, row: P) -> Option<i32> {
    let zero = P::default();
    if column == zero || row == zero {
        return None;
    }
    let by = (row.exponent() - column.exponent()) / 2;
    let shorter = column * P::power_of_two(by) + row * P::power_of_two(-by);
    let enough = P::from_count(19) / P::from_count(20);
    (by != 0 && shorter < (column + row) * enough).then_some(by)
}

/// Whether no row is much longer than its column, nor the other way round, found in one pass. False if squares cannot tell.
#[inline(always)]
fn is_level<T: Number>(matrix: &[T], order: usize, middle: Range<usize>, stack: &mut MemStack) -> bool {
    let zero = T::Part::default();
    let (mut rows, _) = stack.make_with(order, |_| zero);
    let rows = &mut rows[middle.clone()];
    let square = |x: T| {
        let [re, im] = x.parts();
        re * re + im * im
    };
    for column in matrix.chunks_exact(order).take(middle.end).skip(middle.start) {
        rows.iter_mut().zip(&column[middle.clone()]).for_each(|(row, &x)| *row += square(x));
    }
    let four = T::Part::from_count(4);
    let least = T::Part::power_of_two(-T::Part::FAR);
    let columns = matrix.chunks_exact(order).skip(middle.start);
    rows.iter().zip(columns).all(|(&row, column)| {
        let column = column[middle.clone()].iter().fold(zero, |sum, &x| sum + square(x));
        row > least && column > least && row < four * column && column < four * row
    })
}
