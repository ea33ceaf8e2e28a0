//! Values in their order, and the columns that belong to them.
//!
//! Values that differ by no more than rounding can come out of an algorithm in any order.

use crate::{Element, Part};

/// Whether values go one way.
pub(crate) fn is_ordered<P: Part>(values: &[P], is_before: impl Fn(P, P) -> bool) -> bool {
    values.windows(2).all(|pair| !is_before(pair[1], pair[0]))
}

/// Brings values into order, and with them the columns of matrices with so many rows, from the first column on.
pub(crate) fn arrange<T: Element>(
    values: &mut [T::Part],
    columns: &mut [(usize, &mut [T])],
    is_before: impl Fn(T::Part, T::Part) -> bool,
) {
    for at in 0..values.len() {
        let mut first = at;
        for n in at + 1..values.len() {
            if is_before(values[n], values[first]) {
                first = n;
            }
        }
        if first == at {
            continue;
        }
        values.swap(at, first);
        for (rows, matrix) in columns.iter_mut() {
            let (head, tail) = matrix.split_at_mut(first * *rows);
            head[at * *rows..][..*rows].swap_with_slice(&mut tail[..*rows]);
        }
    }
}
