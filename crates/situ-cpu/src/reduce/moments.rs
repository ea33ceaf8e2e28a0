//! The loops of [`Combine::Moments`](situ_ir::Combine::Moments) that differ from those of ops: what is known of several
//! values is more than a value. Values are taken in by rows, and closed to [`Moments`] when the tree has no more for them.
//!
//! While it goes on, each column's squares, mean and origin lie in three planes, so that vectors can hold them; how many
//! values there were is the same for all columns.

use situ_ir::moments::Moments;
use situ_ir::scalar::{CastTo, Floating};
use situ_ir::tree::LANES;

use super::kernel::Join;

/// The loops for values of one dtype.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    pub(super) take_in: TakeIn,
    pub(super) close: Close,
    pub(super) halve: HalveColumns,
}

/// Planes of what is known of columns while it goes on, without their counts.
pub(super) const PLANES: usize = 3;

/// Takes `rows` rows of `width` values in, which begin `stride` bytes apart from `from` on, after `before` others: none if
/// columns begin with them. The planes at `columns` begin `plane` elements apart.
///
/// # Safety
///
/// Values are aligned and can be read, and the planes read and written, where no row lies; `plane` is no less than `width`.
/// The processor has the instruction set the loop was compiled for.
pub(super) type TakeIn =
    unsafe fn(columns: *mut u8, plane: usize, from: *const u8, stride: isize, rows: usize, width: usize, before: usize);

/// Writes what is known of `width` columns of `count` values to `to`, side by side.
///
/// # Safety
///
/// The planes can be read, as for [`TakeIn`], and so many aligned [`Moments`] written elsewhere. The processor has the
/// instruction set.
pub(super) type Close = unsafe fn(to: *mut u8, columns: *const u8, plane: usize, width: usize, count: usize);

/// Joins `live` columns by halves until one is left, and writes that to `to`. The first `longer` of them have a value more
/// than the others' `count`.
///
/// # Safety
///
/// There are from 1 to [`LANES`] columns. The planes, which begin [`LANES`] elements apart, can be read and written, as for
/// [`TakeIn`], and so can a fourth one, and aligned [`Moments`] be written elsewhere. The processor has the instruction set.
pub(super) type HalveColumns = unsafe fn(to: *mut u8, columns: *mut u8, live: usize, longer: usize, count: usize);

/// [`Moments`] of a type, joined.
#[derive(Debug)]
pub(super) struct Joined<T>(std::marker::PhantomData<T>);

impl<T: Floating> Join for Joined<T> {
    type Part = Moments<T>;

    #[inline(always)]
    fn join(a: Moments<T>, b: Moments<T>) -> Moments<T> {
        a.join(b)
    }

    #[inline(always)]
    unsafe fn load(pointer: *const Moments<T>) -> Moments<T> {
        // SAFETY: the caller's promise; every bit pattern is a value.
        unsafe { *pointer }
    }
}

/// Columns of a shorter block, where those that are left are no whole one.
const FEW: usize = 8;

/// The body of a [`TakeIn`], by blocks of `N` columns.
///
/// # Safety
///
/// As for [`TakeIn`].
#[inline(always)]
pub(super) unsafe fn take_in<T: Floating, const N: usize>(
    columns: *mut u8,
    plane: usize,
    from: *const u8,
    stride: isize,
    rows: usize,
    width: usize,
    before: usize,
) where
    u64: CastTo<T>,
{
    let columns = columns.cast::<T>();
    let mut first = 0;
    // SAFETY: positions stay below `width`, for which the caller vouches.
    unsafe {
        while first + N <= width {
            let from = from.cast::<T>().add(first).cast();
            take_in_block::<T, N>(columns.add(first), plane, from, stride, rows, before);
            first += N;
        }
        while first + FEW <= width {
            let from = from.cast::<T>().add(first).cast();
            take_in_block::<T, FEW>(columns.add(first), plane, from, stride, rows, before);
            first += FEW;
        }
        for column in first..width {
            let from = from.cast::<T>().add(column).cast();
            take_in_block::<T, 1>(columns.add(column), plane, from, stride, rows, before);
        }
    }
}

/// Takes rows of `N` values in. What is known of the columns stays in registers meanwhile: written to memory and read again
/// for every row it took four times as long.
///
/// # Safety
///
/// As for [`TakeIn`].
#[inline(always)]
unsafe fn take_in_block<T: Floating, const N: usize>(
    columns: *mut T,
    plane: usize,
    from: *const u8,
    stride: isize,
    rows: usize,
    before: usize,
) where
    u64: CastTo<T>,
{
    let field = |n: usize| columns.wrapping_add(n * plane).cast::<[T; N]>();
    // SAFETY: the caller's promise, for rows below `rows`.
    let row = |n: usize| unsafe { *from.wrapping_offset(n as isize * stride).cast::<[T; N]>() };
    let one = <u64 as CastTo<T>>::cast(1);
    let (mut squares, mut means, origins, first);
    if before == 0 {
        (means, origins, first) = ([T::default(); N], row(0), 1);
        squares = origins.map(|origin| Moments::of(origin, one).squares);
    } else {
        // SAFETY: the caller's promise: there have been rows before.
        (squares, means, origins, first) = unsafe { (*field(0), *field(1), *field(2), 0) };
    }
    for n in first..rows {
        let values = row(n);
        let share = one.div(((before + n + 1) as u64).cast());
        for i in 0..N {
            let known = Moments { squares: squares[i], mean: means[i], origin: origins[i], count: one };
            let known = known.and(values[i], share);
            (squares[i], means[i]) = (known.squares, known.mean);
        }
    }
    // SAFETY: the caller's promise.
    unsafe {
        *field(0) = squares;
        *field(1) = means;
        *field(2) = origins;
    }
}

/// The body of a [`Close`].
///
/// # Safety
///
/// As for [`Close`].
#[inline(always)]
pub(super) unsafe fn close<T: Floating>(to: *mut u8, columns: *const u8, plane: usize, width: usize, count: usize)
where
    u64: CastTo<T>,
{
    let count = (count as u64).cast();
    // SAFETY: the caller's promise.
    unsafe {
        let to = std::slice::from_raw_parts_mut(to.cast::<Moments<T>>(), width);
        let [squares, means, origins] =
            [0, 1, 2].map(|n| std::slice::from_raw_parts(columns.cast::<T>().add(n * plane), width));
        for (i, to) in to.iter_mut().enumerate() {
            *to = Moments { squares: squares[i], mean: means[i], origin: origins[i], count };
        }
    }
}

/// The body of a [`HalveColumns`].
///
/// # Safety
///
/// As for [`HalveColumns`].
#[inline(always)]
pub(super) unsafe fn halve<T: Floating>(to: *mut u8, columns: *mut u8, live: usize, longer: usize, count: usize)
where
    u64: CastTo<T>,
{
    // SAFETY: the caller's promise; every bit pattern is a number, and columns that are not there are not looked at.
    let fields = unsafe { &mut *columns.cast::<[[T; LANES]; FIELDS]>() };
    let (more, less) = ((count as u64 + 1).cast(), (count as u64).cast());
    for (i, count) in fields[FIELDS - 1].iter_mut().enumerate() {
        *count = if i < longer { more } else { less };
    }
    let joined = if live == LANES {
        // Of known lengths, so that even the last few are joined in vectors.
        let fields = &halved::<T, 16, 8>(&halved::<T, 32, 16>(&halved::<T, 64, 32>(&halved(fields))));
        column(&halved::<T, 2, 1>(&halved::<T, 4, 2>(&halved(fields))), 0)
    } else {
        halved_some(fields, live)
    };
    // SAFETY: the caller's promise.
    unsafe { to.cast::<Moments<T>>().write(joined) };
}

/// Numbers that are known of a column, a plane for each.
const FIELDS: usize = 4;

#[inline(always)]
fn column<T: Floating, const N: usize>(fields: &[[T; N]; FIELDS], i: usize) -> Moments<T> {
    Moments { squares: fields[0][i], mean: fields[1][i], origin: fields[2][i], count: fields[3][i] }
}

#[inline(always)]
fn set_column<T: Floating, const N: usize>(fields: &mut [[T; N]; FIELDS], i: usize, known: Moments<T>) {
    (fields[0][i], fields[1][i], fields[2][i], fields[3][i]) = (known.squares, known.mean, known.origin, known.count);
}

/// The upper half of columns joined with the lower.
#[inline(always)]
fn halved<T: Floating, const N: usize, const HALF: usize>(fields: &[[T; N]; FIELDS]) -> [[T; HALF]; FIELDS] {
    let mut joined = [[T::default(); HALF]; FIELDS];
    for i in 0..HALF {
        set_column(&mut joined, i, column(fields, i).join(column(fields, i + HALF)));
    }
    joined
}

/// So many columns joined by halves until one is left.
#[inline(always)]
fn halved_some<T: Floating>(fields: &mut [[T; LANES]; FIELDS], live: usize) -> Moments<T> {
    let mut live = live;
    while live > 1 {
        let half = live.next_power_of_two() / 2;
        for i in 0..live - half {
            set_column(fields, i, column(fields, i).join(column(fields, i + half)));
        }
        live = half;
    }
    column(fields, 0)
}
