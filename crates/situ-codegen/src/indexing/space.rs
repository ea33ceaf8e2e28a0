//! Iteration spaces: axes, the steps of operands along them, and division by their lengths.

use smallvec::SmallVec;

/// One number per axis.
pub(super) type PerAxis<T> = SmallVec<[T; 6]>;

/// Axes, outermost first, and the element steps of operands along them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Space {
    pub(super) shape: PerAxis<usize>,
    /// For each operand.
    pub(super) steps: SmallVec<[PerAxis<i64>; 4]>,
}

impl Space {
    /// A space with the axes of a shape that are longer than 1, neighbours joined where all operands walk them as one.
    /// At least one axis is left.
    pub(super) fn new<'a>(shape: &[usize], operands: impl Iterator<Item = &'a [isize]>) -> Space {
        let kept: PerAxis<usize> = (0..shape.len()).filter(|&axis| shape[axis] != 1).collect();
        let steps = operands.map(|steps| kept.iter().map(|&axis| steps[axis] as i64).collect());
        let mut space = Space { shape: kept.iter().map(|&axis| shape[axis]).collect(), steps: steps.collect() };
        space.join();
        space
    }

    /// Adds an operand that counts elements in C order.
    pub(super) fn push_flat(&mut self) {
        let mut step = 1i64;
        let mut steps: PerAxis<i64> = SmallVec::from_elem(0, self.shape.len());
        for axis in (0..self.shape.len()).rev() {
            steps[axis] = step;
            step = step.wrapping_mul(self.shape[axis] as i64);
        }
        self.steps.push(steps);
    }

    /// Joins neighbouring axes that all operands walk as one.
    pub(super) fn join(&mut self) {
        let mut kept = 0;
        for axis in 0..self.shape.len() {
            let length = self.shape[axis];
            let continues = |steps: &PerAxis<i64>| steps[axis].checked_mul(length as i64) == Some(steps[kept - 1]);
            if kept > 0 && self.steps.iter().all(continues) {
                self.shape[kept - 1] *= length;
            } else {
                kept += 1;
                self.shape[kept - 1] = length;
            }
            self.steps.iter_mut().for_each(|steps| steps[kept - 1] = steps[axis]);
        }
        if kept == 0 {
            kept = 1;
            self.shape.push(1);
            self.steps.iter_mut().for_each(|steps| steps.push(0));
        }
        self.shape.truncate(kept);
        self.steps.iter_mut().for_each(|steps| steps.truncate(kept));
    }

    /// Puts the axes with the largest keys outside; equal ones stay in their order.
    pub(super) fn order_by(&mut self, key: impl Fn(&Space, usize) -> u64) {
        let mut order: PerAxis<usize> = (0..self.shape.len()).collect();
        order.sort_by_key(|&axis| std::cmp::Reverse(key(self, axis)));
        if order.is_sorted() {
            return;
        }
        self.shape = order.iter().map(|&axis| self.shape[axis]).collect();
        for steps in &mut self.steps {
            *steps = order.iter().map(|&axis| steps[axis]).collect();
        }
        self.join();
    }

    pub(super) fn axes(&self) -> usize {
        self.shape.len()
    }

    pub(super) fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether an operand's elements follow each other in C order.
    pub(super) fn is_dense(&self, operand: usize) -> bool {
        let mut step = 1i64;
        self.shape.iter().zip(&self.steps[operand]).rev().all(|(&length, &own)| {
            let follows = own == step || length == 1;
            step = step.saturating_mul(length as i64);
            follows
        })
    }

    /// How far an operand's last element may be from its first.
    pub(super) fn reach(&self, operand: usize) -> u64 {
        let lengths = self.shape.iter().map(|&length| (length as u64).saturating_sub(1));
        let parts = lengths.zip(&self.steps[operand]).map(|(length, step)| length.saturating_mul(step.unsigned_abs()));
        parts.fold(0, u64::saturating_add)
    }
}

/// The numbers by which a kernel divides by the length of an axis: the quotient is `2 n multiplier >> (bits + shift)`,
/// for any `n` below half of what the bits hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Divisor {
    pub(super) multiplier: u64,
    pub(super) shift: u32,
}

impl Divisor {
    /// For a length that is not 0 and lies below half of what 32 bits, or 64 if wide, hold.
    pub(super) fn new(length: usize, wide: bool) -> Divisor {
        // With s = ceil(log2 length), the multiplier exceeds 2^(bits - 1 + s) / length by at most 1, which is small
        // enough for every n below 2^(bits - 1).
        let shift = usize::BITS - (length.max(1) - 1).leading_zeros();
        let bits = if wide { 63 } else { 31 };
        Divisor { multiplier: ((1u128 << (bits + shift)) / length.max(1) as u128 + 1) as u64, shift }
    }
}

/// Whether numbers so large need 64 bits.
pub(super) fn is_wide(numbers: impl IntoIterator<Item = u64>) -> bool {
    numbers.into_iter().any(|number| number >= 1 << 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn quotient(n: u64, length: usize, wide: bool) -> u64 {
        let divisor = Divisor::new(length, wide);
        let bits = if wide { 64 } else { 32 };
        assert!(wide || divisor.multiplier <= u64::from(u32::MAX));
        ((((n as u128) << 1) * divisor.multiplier as u128) >> bits) as u64 >> divisor.shift
    }

    proptest! {
        #[test]
        fn division_is_exact(n in 0u64..1 << 31, d in 1usize..1 << 31, small in 1usize..70, power in 0u32..31, far: u64) {
            for d in [d, small, 1 << power, (1 << power) + 1, (1usize << power).saturating_sub(1).max(1)] {
                for n in [n, n - n % d as u64, (n - n % d as u64).saturating_sub(1), (1 << 31) - 1] {
                    prop_assert_eq!(quotient(n, d, false), n / d as u64);
                }
                let far = far >> 1;
                for d in [d, d << 31, (d << 32) - 1] {
                    for n in [far, far - far % d as u64, (far - far % d as u64).saturating_sub(1), u64::MAX >> 1] {
                        prop_assert_eq!(quotient(n, d, true), n / d as u64);
                    }
                }
            }
        }
    }

    #[test]
    fn axes_are_joined_and_ordered() {
        let mut space = Space::new(&[2, 1, 3, 4], [&[12, 9, 4, 1][..], &[0, 0, 0, 1]].into_iter());
        assert_eq!(
            (&space.shape[..], &space.steps[0][..], &space.steps[1][..]),
            (&[6, 4][..], &[4, 1][..], &[0, 1][..])
        );
        assert!(space.is_dense(0) && !space.is_dense(1));
        assert_eq!((space.reach(0), space.reach(1)), (23, 3));
        space.push_flat();
        space.order_by(|space, axis| if space.steps[1][axis] == 0 { 0 } else { 1 });
        assert_eq!((&space.shape[..], &space.steps[2][..]), (&[4, 6][..], &[1, 4][..]));
        assert_eq!(Space::new(&[], [&[][..]].into_iter()).shape[..], [1]);
    }
}
