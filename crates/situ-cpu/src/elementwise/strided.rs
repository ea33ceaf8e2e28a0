//! Elements between a strided place and a dense one, by width alone.

/// The step in bytes from one row, and from one element, to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    pub(super) row: isize,
    pub(super) element: isize,
}

/// Calls a function generic over a type with the given number of bytes and the alignment of such elements.
macro_rules! by_width {
    ($width:expr, $function:ident($($argument:expr),*)) => {
        match $width {
            1 => $function::<u8>($($argument),*),
            2 => $function::<u16>($($argument),*),
            4 => $function::<u32>($($argument),*),
            8 => $function::<u64>($($argument),*),
            _ => $function::<[u64; 2]>($($argument),*),
        }
    };
}

/// Brings `rows` times `columns` elements together at `dst`.
///
/// # Safety
///
/// Every element of the strided place is valid for reads, `dst` for writes of all of them, both aligned to the width,
/// and they do not overlap. `width` is 1, 2, 4, 8 or 16.
pub(super) unsafe fn gather(width: usize, dst: *mut u8, src: *const u8, rows: usize, columns: usize, steps: Steps) {
    // SAFETY: passed on from the caller.
    unsafe { by_width!(width, gather_as(dst, src, rows, columns, steps)) }
}

/// The reverse of [`gather`].
///
/// # Safety
///
/// As for [`gather`], with reads and writes exchanged.
pub(super) unsafe fn scatter(width: usize, dst: *mut u8, src: *const u8, rows: usize, columns: usize, steps: Steps) {
    // SAFETY: passed on from the caller.
    unsafe { by_width!(width, scatter_as(dst, src, rows, columns, steps)) }
}

/// Writes `count` copies of the element at `src`.
///
/// # Safety
///
/// `src` is valid for one read and `dst`, aligned to the width, for `count` writes. `width` is 1, 2, 4, 8 or 16.
pub(super) unsafe fn repeat(width: usize, dst: *mut u8, src: *const u8, count: usize) {
    // SAFETY: passed on from the caller.
    unsafe { by_width!(width, repeat_as(dst, src, count)) }
}

unsafe fn gather_as<T: Copy>(dst: *mut u8, src: *const u8, rows: usize, columns: usize, steps: Steps) {
    let dst = dst.cast::<T>();
    for row in 0..rows {
        for column in 0..columns {
            let from = steps.row * row as isize + steps.element * column as isize;
            // SAFETY: both positions are inside the places the caller of `gather` vouches for.
            unsafe { dst.add(row * columns + column).write(*src.offset(from).cast::<T>()) };
        }
    }
}

unsafe fn scatter_as<T: Copy>(dst: *mut u8, src: *const u8, rows: usize, columns: usize, steps: Steps) {
    let src = src.cast::<T>();
    for row in 0..rows {
        for column in 0..columns {
            let to = steps.row * row as isize + steps.element * column as isize;
            // SAFETY: both positions are inside the places the caller of `scatter` vouches for.
            unsafe { dst.offset(to).cast::<T>().write(*src.add(row * columns + column)) };
        }
    }
}

unsafe fn repeat_as<T: Copy>(dst: *mut u8, src: *const u8, count: usize) {
    // SAFETY: the caller of `repeat` vouches for both. An immediate is only byte-aligned.
    let value = unsafe { src.cast::<T>().read_unaligned() };
    for i in 0..count {
        // SAFETY: `i` is below `count`.
        unsafe { dst.cast::<T>().add(i).write(value) };
    }
}
