//! Which kernels sort rows.

use situ_hal::Sort;

use super::row_sort::RowSort;
use super::rows::Rows;
use super::short_rows::ShortRows;
use super::{chunks, radix};
use crate::{DeviceLimits, Work};

/// What a sort comes to.
pub(crate) fn sort(command: &Sort, limits: &DeviceLimits) -> Work {
    let is_empty = command.shape.contains(&0) || command.count == 0;
    if is_empty || (command.values.is_none() && command.indices.is_none()) {
        return Work::default();
    }
    let rows = Rows::new(command);
    let long = || if limits.is_processor { chunks::plan(&rows, limits) } else { radix::plan(&rows) };
    ShortRows::plan(&rows).or_else(|| RowSort::plan(&rows)).unwrap_or_else(long)
}
