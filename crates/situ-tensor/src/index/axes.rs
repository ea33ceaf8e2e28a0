//! Iteration spaces for commands that visit their elements in C order.

use situ_types::{Dims, Strides};

/// Drops axes of length 1 and joins neighbours that every operand walks as one. The order of axes stays, and at least
/// one is left.
pub(super) fn merge(shape: &[usize], operands: &mut [&mut Strides]) -> Dims {
    let mut dims = Dims::new();
    let mut kept = 0;
    for (axis, &length) in shape.iter().enumerate() {
        if length == 1 {
            continue;
        }
        let joins =
            kept > 0 && operands.iter().all(|steps| steps[axis].checked_mul(length as isize) == Some(steps[kept - 1]));
        if !joins {
            dims.push(1);
            kept += 1;
        }
        dims[kept - 1] *= length;
        operands.iter_mut().for_each(|steps| steps[kept - 1] = steps[axis]);
    }
    operands.iter_mut().for_each(|steps| steps.truncate(kept));
    if kept == 0 {
        dims.push(1);
        operands.iter_mut().for_each(|steps| steps.push(0));
    }
    dims
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn visited(shape: &[usize], operands: &[&[isize]]) -> Vec<Vec<isize>> {
        let mut found = vec![vec![0; operands.len()]];
        for (axis, &length) in shape.iter().enumerate() {
            let step = |base: &Vec<isize>, n: usize| -> Vec<isize> {
                base.iter().zip(operands).map(|(at, steps)| at + steps[axis] * n as isize).collect()
            };
            found = found.iter().flat_map(|base| (0..length).map(move |n| step(base, n))).collect();
        }
        found
    }

    proptest! {
        #[test]
        fn the_same_elements_are_visited_in_the_same_order(
            shape in proptest::collection::vec(0usize..4, 0..5),
            steps in proptest::collection::vec(-4isize..5, 10),
            dense: bool,
        ) {
            let (mut a, mut b) = (Strides::from_slice(&steps[..shape.len()]), Strides::from_slice(&steps[5..][..shape.len()]));
            if dense {
                for axis in (0..shape.len().saturating_sub(1)).rev() {
                    a[axis] = a[axis + 1] * shape[axis + 1] as isize;
                    b[axis] = b[axis + 1] * shape[axis + 1] as isize;
                }
            }
            let expected = visited(&shape, &[&a, &b]);
            let dims = merge(&shape, &mut [&mut a, &mut b]);
            prop_assert_eq!(visited(&dims, &[&a, &b]), expected);
            prop_assert!(!dims.is_empty() && dims.len() == a.len() && dims.len() == b.len());
            prop_assert!(!dense || shape.contains(&0) || dims.len() == 1);
        }
    }
}
