//! Division by a number known only at launch, without dividing: see `division.c`.

/// The multiplier and the shift that divide numbers below 2^(bits - 1) by `divisor`.
///
/// With 2^(shift - 1) < divisor <= 2^shift, the multiplier is 2^(bits - 1 + shift) / divisor, rounded up: it is too
/// large by less than divisor / divisor, which a number below 2^(bits - 1) does not make felt.
pub(super) fn magic(divisor: usize, bits: u32) -> (u64, u32) {
    let divisor = divisor as u128;
    let shift = divisor.next_power_of_two().trailing_zeros();
    ((1u128 << (bits - 1 + shift)).div_ceil(divisor) as u64, shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_exact() {
        let numbers = |limit: u64, d: u64| {
            let near = [0, 1, d - 1, d, d + 1, limit / d * d, limit / d * d - 1, limit - 1, limit - 2, limit / 3];
            near.into_iter().filter(move |&n| n < limit)
        };
        let divisors = (1..2000).chain([1 << 20, (1 << 30) - 1, (1 << 30) + 1, (1 << 31) - 1]);
        for d in divisors.chain([1 << 31, (1 << 40) - 1, (1 << 62) + 1]) {
            if d < 1 << 31 {
                let (multiplier, shift) = magic(d, 32);
                assert!(multiplier < 1 << 32);
                for n in numbers(1 << 31, d as u64) {
                    assert_eq!(((2 * n * multiplier) >> 32) >> shift, n / d as u64, "{n} / {d}");
                }
            }
            let (multiplier, shift) = magic(d, 64);
            for n in numbers(1 << 63, d as u64) {
                let high = ((2 * n as u128 * multiplier as u128) >> 64) as u64;
                assert_eq!(high >> shift, n / d as u64, "{n} / {d}");
            }
        }
    }
}
