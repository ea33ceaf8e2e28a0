//! Layouts that many arrays share.

use std::sync::OnceLock;

use situ_runtime::Counted;
use situ_types::{Layout, LayoutError, Order};

/// The most elements of an axis whose layout is made once and kept: there are only so many of them, small calls ask for
/// them all the time, and what lives for ever needs no counting.
pub(crate) const SHORT: usize = 4096;

static LINES: [OnceLock<Counted<Layout>>; SHORT + 1] = [const { OnceLock::new() }; SHORT + 1];

/// A layout to share.
pub(crate) fn shared(layout: Layout) -> Counted<Layout> {
    if layout.ndim() == 1 && layout.size() <= SHORT && layout.is_fresh() {
        kept(layout.size(), || Ok(layout)).unwrap_or_else(|never: std::convert::Infallible| match never {})
    } else {
        Counted::new(layout)
    }
}

/// The layout of a fresh array of one short axis, if somebody has asked for it before.
#[inline]
pub(crate) fn kept_line(count: usize) -> Option<Counted<Layout>> {
    LINES.get(count)?.get().cloned()
}

/// The layout of a fresh array of one axis.
#[inline]
pub(crate) fn line_layout(count: usize) -> Result<Counted<Layout>, LayoutError> {
    let dense = || Layout::dense(&[count], Order::C);
    if count <= SHORT { kept(count, dense) } else { dense().map(Counted::new) }
}

/// The layout of a short axis, made if nobody has asked for it before.
#[inline]
fn kept<E>(count: usize, make: impl FnOnce() -> Result<Layout, E>) -> Result<Counted<Layout>, E> {
    match LINES[count].get() {
        Some(layout) => Ok(layout.clone()),
        None => make().map(|layout| LINES[count].get_or_init(|| Counted::for_ever(layout)).clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_fresh_axes_share_one_layout() {
        let line = |count: usize| Layout::dense(&[count], Order::C).unwrap();
        for count in [2, 10, SHORT] {
            assert!(Counted::is_same(&shared(line(count)), &line_layout(count).unwrap()), "{count}");
        }
        for count in [0, 1] {
            assert_eq!(*line_layout(count).unwrap(), line(count));
        }
        assert!(!Counted::is_same(&shared(line(SHORT + 1)), &line_layout(SHORT + 1).unwrap()));
    }

    #[test]
    fn other_layouts_stay_as_they_are() {
        for (shape, strides, offset) in
            [(&[10][..], &[2][..], 0), (&[10], &[1], 3), (&[10], &[-1], 9), (&[1], &[7], 0), (&[0], &[0], 0)]
        {
            let layout = Layout::strided(shape, strides, offset).unwrap();
            assert_eq!(*shared(layout.clone()), layout);
        }
        let square = Layout::dense(&[2, 5], Order::F).unwrap();
        assert_eq!(*shared(square.clone()), square);
    }
}
