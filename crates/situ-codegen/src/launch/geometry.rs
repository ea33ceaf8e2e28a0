//! The shape of a launch: blocks of threads for the work-items of a range.

use situ_hal::{HalError, Result};
use situ_ir::kernel::{MAX_AXES, NdRange};

use crate::DeviceLimits;
use crate::signature::THREADS;

/// Threads side by side along the last axis before there are others along the next: a whole transaction of most dtypes.
const ROW: usize = 32;

/// The most blocks along the second and third axis of a grid, and threads of a block along each axis, the last first.
const GRID: [usize; MAX_AXES] = [i32::MAX as usize, 65535, 65535];
const BLOCK: [usize; MAX_AXES] = [1024, 1024, 64];

/// How many blocks, and how many threads each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Geometry {
    /// Work-items of a block along each axis of the range.
    pub(super) local: [usize; MAX_AXES],
    /// Blocks along each axis of the range.
    pub(super) groups: [usize; MAX_AXES],
    /// Blocks of the grid, the last axis first.
    pub(super) grid: [u32; MAX_AXES],
    /// Threads of a block, the last axis first.
    pub(super) block: [u32; MAX_AXES],
    /// Whether grid and block are lines, because the device's have no room for the range's axes.
    pub(super) is_flat: bool,
}

impl Geometry {
    pub(super) fn of(range: &NdRange, limits: &DeviceLimits) -> Result<Geometry> {
        let local = match range.local() {
            Some(local) => local,
            None => spread(range.global(), range.axes()),
        };
        let groups = range.groups_of(local);
        let refuse = |detail: String| Err(HalError::Unsupported { operation: "launch".into(), detail });
        let threads: usize = local.iter().product();
        if threads > limits.group {
            return refuse(format!(
                "the groups have {threads} work-items, and the device allows {}; launch over smaller groups",
                limits.group
            ));
        }
        let count = groups.iter().try_fold(1usize, |count, &groups| count.checked_mul(groups));
        let Some(count) = count.filter(|&count| count <= GRID[0]) else {
            return refuse(format!("the range has more than {} groups; launch over a part of it at a time", GRID[0]));
        };
        let device = |of: [usize; MAX_AXES]| -> [usize; MAX_AXES] {
            std::array::from_fn(|axis| range.axes().checked_sub(axis + 1).map_or(1, |axis| of[axis]))
        };
        let (grid, block) = (device(groups), device(local));
        let fits = |sizes: [usize; MAX_AXES], most: [usize; MAX_AXES]| {
            sizes.iter().zip(most).all(|(&size, most)| size <= most)
        };
        let is_flat = !fits(grid, GRID) || !fits(block, BLOCK);
        let words = |sizes: [usize; MAX_AXES]| sizes.map(|size| size as u32);
        let (grid, block) =
            if is_flat { ([count as u32, 1, 1], [threads as u32, 1, 1]) } else { (words(grid), words(block)) };
        Ok(Geometry { local, groups, grid, block, is_flat })
    }
}

/// Work-items of a block along each axis, where the range does not say: as many along the last axis as are read or written
/// at once, the rest along the others, so that neighbours in every direction share a block.
fn spread(global: [usize; MAX_AXES], axes: usize) -> [usize; MAX_AXES] {
    let threads = THREADS as usize;
    let mut local = [1; MAX_AXES];
    let mut left = threads;
    for axis in (0..axes).rev() {
        let most = if axis == axes - 1 && axes > 1 { ROW } else { left };
        local[axis] = global[axis].checked_next_power_of_two().unwrap_or(most).min(most).min(left);
        left /= local[axis];
    }
    // What the others have no use for.
    let last = axes - 1;
    if axes > 1 {
        let wanted = global[last].checked_next_power_of_two().unwrap_or(threads);
        local[last] = (local[last] * left).min(wanted.max(local[last]));
    } else {
        local[last] = threads;
    }
    local
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_axis_is_along_threads() {
        assert_eq!(spread([1000, 1, 1], 1), [256, 1, 1]);
        assert_eq!(spread([512, 512, 1], 2), [8, 32, 1]);
        assert_eq!(spread([1, 5000, 1], 2), [1, 256, 1]);
        assert_eq!(spread([5000, 1, 1], 2), [256, 1, 1]);
        assert_eq!(spread([100, 100, 3], 3), [1, 64, 4]);
        assert_eq!(spread([2, 2, 2], 3), [2, 2, 2]);
    }

    fn limits() -> DeviceLimits {
        let (scratch, cache, local) = (0, 0, 48 << 10);
        let (group, group_local, sort_from, cores) = (1024, 48 << 10, 0, 100);
        let (wide_atomics, sub_groups, is_processor) = (true, true, false);
        DeviceLimits {
            scratch,
            cache,
            local,
            group,
            group_local,
            wide_atomics,
            sub_groups,
            is_processor,
            cores,
            sort_from,
        }
    }

    #[test]
    fn axes_too_long_for_the_device_lie_in_a_line() {
        let range = NdRange::new(&[64, 96], Some(&[8, 32])).unwrap();
        let Geometry { grid, block, is_flat, .. } = Geometry::of(&range, &limits()).unwrap();
        assert_eq!((grid, block, is_flat), ([3, 8, 1], [32, 8, 1], false));
        let range = NdRange::new(&[1 << 20, 2], Some(&[4, 2])).unwrap();
        let Geometry { grid, block, is_flat, .. } = Geometry::of(&range, &limits()).unwrap();
        assert_eq!((grid, block, is_flat), ([1 << 18, 1, 1], [8, 1, 1], true));
        let range = NdRange::new(&[128, 2, 2], Some(&[128, 2, 2])).unwrap();
        assert!(Geometry::of(&range, &limits()).unwrap().is_flat);
    }

    #[test]
    fn groups_have_a_limit() {
        let range = NdRange::new(&[2048], Some(&[2048])).unwrap();
        let error = Geometry::of(&range, &limits()).unwrap_err().to_string();
        assert!(error.contains("2048 work-items, and the device allows 1024"), "{error}");
        let range = NdRange::new(&[1 << 40], None).unwrap();
        assert!(Geometry::of(&range, &limits()).unwrap_err().to_string().contains("a part of it at a time"));
    }
}
