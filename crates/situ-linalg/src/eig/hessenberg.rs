//! Matrices without elements below the first subdiagonal, by reflections of a few rows.

use crate::Number;
use crate::columns::subtract;
use crate::reflector::{make_reflector, reflect};

/// Brings a matrix into that form, by `Q^H A Q`, and makes `Q` where it is wanted. There is room for a row.
#[inline(always)]
pub(crate) fn reduce<T: Number>(matrix: &mut [T], basis: Option<&mut [T]>, factors: &mut [T], room: &mut [T]) {
    let order = room.len();
    let steps = order.saturating_sub(2);
    for (at, factor) in factors[..steps].iter_mut().enumerate() {
        let (done, rest) = matrix.split_at_mut((at + 1) * order);
        let column = &mut done[at * order + at + 1..];
        *factor = make_reflector(column);
        if *factor == T::default() {
            continue;
        }
        let (v, adjoint) = (&column[1..], factor.conjugate());
        // The sum of columns that they are reflected by, of rows that are reflected already.
        room.fill(T::default());
        for (n, column) in rest.chunks_exact_mut(order).enumerate() {
            reflect(v, adjoint, &mut column[at + 1..]);
            subtract(room, column, -weight(v, n));
        }
        for (n, column) in rest.chunks_exact_mut(order).enumerate() {
            subtract(column, room, *factor * weight(v, n).conjugate());
        }
    }
    if let Some(basis) = basis {
        basis.fill(T::default());
        basis.iter_mut().step_by(order + 1).for_each(|x| *x = T::one());
        for at in (0..steps).rev() {
            let v = &matrix[at * order + at + 2..(at + 1) * order];
            // Columns before these have nothing in these rows yet.
            basis
                .chunks_exact_mut(order)
                .skip(at + 1)
                .for_each(|column| reflect(v, factors[at], &mut column[at + 1..]));
        }
    }
    for (at, column) in matrix.chunks_exact_mut(order).enumerate() {
        column.iter_mut().skip(at + 2).for_each(|x| *x = T::default());
    }
}

/// The element of a reflection's vector, whose first one is not kept.
#[inline(always)]
fn weight<T: Number>(v: &[T], n: usize) -> T {
    if n == 0 { T::one() } else { v[n - 1] }
}
