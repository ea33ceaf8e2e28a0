//! What a kernel is launched with: ranges, layouts, reports.

use situ_types::{Dims, Strides};
use thiserror::Error;

use super::{Kernel, MAX_AXES};

/// How many work-items there are along each axis, in groups or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NdRange {
    axes: usize,
    global: [usize; MAX_AXES],
    local: Option<[usize; MAX_AXES]>,
}

/// Why there is no such range.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs, reason = "the texts say what each field is")]
pub enum RangeError {
    /// Too few or too many axes.
    #[error("a range has 1 to {MAX_AXES} axes, not {0}")]
    Axes(usize),
    /// Groups with another number of axes.
    #[error("the range has {global} axes and its groups have {local}; they need as many")]
    Ranks { global: usize, local: usize },
    /// Groups that do not fill the range.
    #[error(
        "axis {axis} of the range has {global} work-items, which groups of {local} do not fill; make the range a multiple \
         of the group and return early from work-items beyond the end"
    )]
    Uneven { axis: usize, global: usize, local: usize },
    /// More work-items than can be counted.
    #[error("the range has more work-items than an int64 can count")]
    TooLarge,
    /// A kernel over another number of axes.
    #[error("{kernel} is written for a range of {kernel_axes} axes, not {axes}")]
    KernelAxes { kernel: String, kernel_axes: usize, axes: usize },
    /// Groups that are needed.
    #[error("{kernel} uses work-groups: launch it over an NdRange, which says how large they are")]
    NoGroups { kernel: String },
}

impl NdRange {
    /// So many work-items along each axis, in groups of so many.
    pub fn new(global: &[usize], local: Option<&[usize]>) -> Result<NdRange, RangeError> {
        let axes = global.len();
        if !(1..=MAX_AXES).contains(&axes) {
            return Err(RangeError::Axes(axes));
        }
        let filled = |lengths: &[usize]| {
            let mut all = [1; MAX_AXES];
            all[..axes].copy_from_slice(lengths);
            all
        };
        if let Some(local) = local {
            if local.len() != axes {
                return Err(RangeError::Ranks { global: axes, local: local.len() });
            }
            for (axis, (&global, &local)) in global.iter().zip(local).enumerate() {
                if local == 0 || !global.is_multiple_of(local) {
                    return Err(RangeError::Uneven { axis, global, local });
                }
            }
        }
        let count = global.iter().try_fold(1usize, |product, &length| product.checked_mul(length));
        // An empty axis hides how long the others are.
        let is_countable = count.is_some_and(|count| i64::try_from(count).is_ok());
        if !is_countable || global.iter().any(|&length| i64::try_from(length).is_err()) {
            return Err(RangeError::TooLarge);
        }
        Ok(NdRange { axes, global: filled(global), local: local.map(filled) })
    }

    /// An error unless a kernel can be launched over it.
    pub fn suits(&self, kernel: &Kernel) -> Result<(), RangeError> {
        let name = || kernel.name().to_owned();
        if self.axes != kernel.axes() {
            return Err(RangeError::KernelAxes { kernel: name(), kernel_axes: kernel.axes(), axes: self.axes });
        }
        if kernel.needs_groups() && self.local.is_none() {
            return Err(RangeError::NoGroups { kernel: name() });
        }
        Ok(())
    }

    /// How many axes it has.
    pub fn axes(&self) -> usize {
        self.axes
    }

    /// Work-items along each axis; 1 along those that it has not.
    pub fn global(&self) -> [usize; MAX_AXES] {
        self.global
    }

    /// Work-items of a group along each axis, if there are groups.
    pub fn local(&self) -> Option<[usize; MAX_AXES]> {
        self.local
    }

    /// Work-items in all.
    pub fn count(&self) -> usize {
        self.global.iter().product()
    }

    /// Groups along each axis, where those have so many work-items.
    pub fn groups_of(&self, local: [usize; MAX_AXES]) -> [usize; MAX_AXES] {
        std::array::from_fn(|axis| self.global[axis].div_ceil(local[axis].max(1)))
    }
}

/// Where the elements of an array are, counted in elements from the first one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayLayout {
    /// The length of each axis.
    pub shape: Dims,
    /// From an element to the next along each axis.
    pub strides: Strides,
}

impl ArrayLayout {
    /// Without gaps, the last axis first.
    pub fn dense(shape: &[usize]) -> ArrayLayout {
        let mut step: isize = 1;
        let mut strides: Strides = shape
            .iter()
            .rev()
            .map(|&length| {
                let this = step;
                step = step.wrapping_mul(length as isize);
                this
            })
            .collect();
        strides.reverse();
        ArrayLayout { shape: shape.into(), strides }
    }

    /// How many elements it has.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }
}

/// How many int64s a launch tells of its first fault: whether there is one, and the fields of [`Fault`].
pub const REPORT_WORDS: usize = 5;

/// What a guard has reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which of the kernel's reports.
    pub report: usize,
    /// The work-item, counted through the whole range, the last axis first.
    pub item: usize,
    /// The numbers for the report's text.
    pub values: [i64; 2],
}

impl Fault {
    /// As a launch tells it.
    pub fn to_words(self) -> [i64; REPORT_WORDS] {
        [1, self.report as i64, self.item as i64, self.values[0], self.values[1]]
    }

    /// From what a launch has told; `None` if nothing went wrong.
    pub fn from_words(words: [i64; REPORT_WORDS]) -> Option<Fault> {
        let [state, report, item, values @ ..] = words;
        (state != 0).then_some(Fault { report: report as usize, item: item as usize, values })
    }

    /// What to tell the user about it.
    pub fn describe(&self, kernel: &Kernel, range: &NdRange) -> String {
        let text = kernel.reports().get(self.report).map_or("a guard failed", String::as_str);
        let text = text.replace("{0}", &self.values[0].to_string()).replace("{1}", &self.values[1].to_string());
        let mut rest = self.item;
        let mut place = [0; MAX_AXES];
        for axis in (0..MAX_AXES).rev() {
            let length = range.global()[axis].max(1);
            place[axis] = rest % length;
            rest /= length;
        }
        let place: Vec<String> = place[..range.axes()].iter().map(usize::to_string).collect();
        format!("kernel {}, work-item ({}): {text}", kernel.name(), place.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked() {
        assert_eq!(NdRange::new(&[], None), Err(RangeError::Axes(0)));
        assert_eq!(NdRange::new(&[1; 4], None), Err(RangeError::Axes(4)));
        assert_eq!(NdRange::new(&[8, 8], Some(&[8])), Err(RangeError::Ranks { global: 2, local: 1 }));
        let uneven = RangeError::Uneven { axis: 1, global: 9, local: 2 };
        assert_eq!(NdRange::new(&[8, 9], Some(&[8, 2])), Err(uneven));
        assert_eq!(NdRange::new(&[usize::MAX, 0], None), Err(RangeError::TooLarge));
        assert_eq!(NdRange::new(&[1 << 40, 1 << 40], None), Err(RangeError::TooLarge));
        let range = NdRange::new(&[8, 9], Some(&[4, 3])).unwrap();
        assert_eq!((range.count(), range.groups_of([4, 3, 1])), (72, [2, 3, 1]));
    }

    #[test]
    fn dense_layouts_count_backwards() {
        assert_eq!(ArrayLayout::dense(&[2, 3, 4]).strides[..], [12, 4, 1]);
    }
}
