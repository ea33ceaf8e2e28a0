use super::*;

const STREAM: Stream = Stream { key: 0x0123_4567_89AB_CDEF, counter: (1 << 64) - 3 };

/// Elements of a stream as doubles.
fn drawn(distribution: Distribution, count: u64) -> Vec<f64> {
    let element = |i| match distribution.element(STREAM, i) {
        Scalar::F32(value) => f64::from(value),
        Scalar::F64(value) => value,
        Scalar::U32(value) => f64::from(value),
        Scalar::U64(value) => value as f64,
        other => panic!("{other:?}"),
    };
    (0..count).map(element).collect()
}

fn mean(values: &[f64], of: impl Fn(f64) -> f64) -> f64 {
    values.iter().map(|&value| of(value)).sum::<f64>() / values.len() as f64
}

#[test]
fn blocks_are_those_that_were_published() {
    let all = u32::MAX;
    let known = [
        ([0; 4], [0; 2], [0x6627_E8D5, 0xE169_C58D, 0xBC57_AC4C, 0x9B00_DBD8]),
        ([all; 4], [all; 2], [0x408F_276D, 0x41C8_3B0E, 0xA20B_C7C6, 0x6D54_51FD]),
        (
            [0x243F_6A88, 0x85A3_08D3, 0x1319_8A2E, 0x0370_7344],
            [0xA409_3822, 0x299F_31D0],
            [0xD16C_FE09, 0x94FD_CCEB, 0x5001_E420, 0x2412_6EA1],
        ),
    ];
    for (counter, key, words) in known {
        assert_eq!(philox(counter, key), words);
    }
}

#[test]
fn blocks_are_numbered_by_128_bits() {
    assert_eq!(STREAM.block(3, 0), philox([0, 0, 1, 0], [0x89AB_CDEF, 0x0123_4567]));
    assert_eq!(STREAM.block(2, 5), philox([u32::MAX, u32::MAX, 0, 5], [0x89AB_CDEF, 0x0123_4567]));
    assert_eq!(STREAM.after(7).block(1, 0), STREAM.block(8, 0));
    assert_ne!(STREAM.child_key(0), STREAM.child_key(1));
}

#[test]
fn moments_are_those_of_the_distributions() {
    use Distribution::*;
    // Mean, mean square and mean cube.
    let cases = [
        (Uniform32, [0.5, 1.0 / 3.0, 0.25]),
        (Uniform64, [0.5, 1.0 / 3.0, 0.25]),
        (Normal32, [0.0, 1.0, 0.0]),
        (Normal64, [0.0, 1.0, 0.0]),
        (Exponential32, [1.0, 2.0, 6.0]),
        (Exponential64, [1.0, 2.0, 6.0]),
    ];
    for (distribution, moments) in cases {
        let values = drawn(distribution, 200_000);
        for (power, expected) in (1..).zip(moments) {
            let found = mean(&values, |value| value.powi(power));
            let deviation = mean(&values, |value| (value.powi(power) - expected).powi(2)).sqrt();
            let limit = 4.0 * deviation / (values.len() as f64).sqrt();
            assert!((found - expected).abs() < limit, "{distribution:?}, power {power}: {found}");
        }
    }
}

#[test]
fn neighbours_are_independent() {
    for distribution in [Distribution::Normal32, Distribution::Normal64] {
        let values = drawn(distribution, 100_000);
        for distance in 1..5 {
            let products: Vec<f64> = values.iter().zip(&values[distance..]).map(|(a, b)| a * b).collect();
            let (plain, squares) = (mean(&products, |product| product), mean(&products, |product| product * product));
            assert!(plain.abs() < 0.015 && (squares - 1.0).abs() < 0.06, "{distribution:?}: {plain} {squares}");
        }
    }
}

#[test]
fn integers_are_all_as_likely() {
    // Without rejection, of 3 · 2³⁰ integers every third would come twice as often as the others.
    let values = drawn(Distribution::Below32 { low: 0, count: 3 << 30 }, 60_000);
    for rest in 0..3 {
        let share = mean(&values, |value| f64::from(u8::from(value % 3.0 == f64::from(rest))));
        assert!((share - 1.0 / 3.0).abs() < 0.01, "{rest}: {share}");
    }
    let values = drawn(Distribution::Below64 { low: 10, count: 6 }, 60_000);
    for side in 10..16 {
        let share = mean(&values, |value| f64::from(u8::from(value == f64::from(side))));
        assert!((share - 1.0 / 6.0).abs() < 0.007, "{side}: {share}");
    }
    let wrapped = Distribution::Below64 { low: u64::MAX, count: 2 };
    assert!((0..100).all(|i| matches!(wrapped.element(STREAM, i), Scalar::U64(0 | u64::MAX))));
}

#[test]
fn ends_of_intervals_are_kept() {
    let all = [u32::MAX; 4];
    assert!(Uniform32.draw(all).iter().all(|&value| value < 1.0));
    assert!(Uniform64.draw(all).iter().all(|&value| value < 1.0));
    for words in [all, [0; 4]] {
        assert!(Normal32.draw(words).iter().all(|value| value.is_finite()));
        assert!(Normal64.draw(words).iter().all(|value| value.is_finite()));
        assert!(Exponential32.draw(words).iter().all(|value| value.is_finite() && *value >= 0.0));
        assert!(Exponential64.draw(words).iter().all(|value| value.is_finite() && *value > 0.0));
    }
}
