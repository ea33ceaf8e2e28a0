//! Random cases, and random ways in which arrays lie in memory.

use super::points::Points;

/// Runs a test over random cases.
pub fn cases(test: impl Fn(&mut Points)) {
    let setting = |name: &str, default: u64| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    for case in 0..setting("SITU_TEST_CASES", 25) {
        test(&mut Points(setting("SITU_TEST_SEED", 1) * 1_000_003 + case));
    }
}

/// Element steps for a shape: dense in some order of the axes, some of them doubled, reversed or further apart; and how
/// many elements lie before and after the first one.
pub fn steps(points: &mut Points, shape: &[usize]) -> (Vec<isize>, usize, usize) {
    let mut order: Vec<usize> = (0..shape.len()).rev().collect();
    if points.below(3) == 0 {
        (1..order.len()).for_each(|n| order.swap(n, points.below(n + 1)));
    }
    let plain = points.below(3) == 0;
    let (mut steps, mut next, mut before, mut after) = (vec![0; shape.len()], 1, 0, 0);
    for axis in order {
        let factor = if plain { 1 } else { [1, 1, 1, 2, 3][points.below(5)] };
        let reach = next * factor * shape[axis].saturating_sub(1);
        let reversed = !plain && points.below(4) == 0;
        steps[axis] = if reversed { -((next * factor) as isize) } else { (next * factor) as isize };
        *(if reversed { &mut before } else { &mut after }) += reach;
        next *= factor * shape[axis].max(1);
        next += if plain { 0 } else { [0, 0, 1, 4][points.below(4)] };
    }
    (steps, before, after)
}

/// Where elements at a position in C order lie, by steps.
pub fn place(position: usize, shape: &[usize], steps: &[isize]) -> isize {
    let mut rest = position;
    let mut offset = 0;
    for (axis, &length) in shape.iter().enumerate().rev() {
        offset += (rest % length) as isize * steps[axis];
        rest /= length;
    }
    offset
}
