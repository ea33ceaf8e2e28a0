//! Elements that their keys tell: keys are made, sorted, and turned back. What a key does not tell, which of the zeros it was
//! and the bits of what is not a number, is put back afterwards.

use std::sync::atomic::{AtomicBool, Ordering};

use situ_hal::Sort;
use situ_ir::order::{Key, Ordered};

use super::buckets::{self, Source};
use super::quick::Sortable;
use super::rows::{Crew, Shared, Task, sortable};
use crate::elementwise::load;
use crate::isa::Isa;

/// The keys of a sequence's elements.
struct Elements<'a, T>(&'a Task<T>);

impl<T: Ordered, K: Sortable> Source<K> for Elements<'_, T> {
    #[inline(always)]
    unsafe fn key(&self, n: usize) -> K {
        // SAFETY: the caller's promise.
        sortable::<T, K>(unsafe { self.0.key(n) })
    }
}

/// Bytes of scratch memory: for keys, where the output has no room for them, and as much again where there are so many that
/// they are divided into buckets.
pub(super) fn bytes(command: &Sort, isa: Isa, threads: usize) -> usize {
    let values = command.values.as_ref().and_then(|values| values.strides.last());
    let is_divided = !buckets::are_halved(isa, threads, command.length());
    let copies = usize::from(values != Some(&1)) + usize::from(is_divided);
    command.length().saturating_mul(command.dtype.size()).saturating_mul(copies)
}

/// Sorts the elements of a sequence.
///
/// # Safety
///
/// As for [`super::rows::sort`]; only all values are wanted, with as much scratch memory as [`bytes`] says.
pub(super) unsafe fn sort<T: Ordered, K: Sortable>(task: &Task<T>, crew: &Crew<'_>, scratch: *mut K) {
    let length = task.length;
    // Keys are as large as elements, and stay in the output until they are turned back.
    let dense = task.values.as_ref().filter(|values| values.is_dense());
    let (keys, spare) = match dense {
        Some(values) => (Shared(values.at(0).cast::<K>()), scratch),
        None => (Shared(scratch), scratch.wrapping_add(length)),
    };
    let is_told;
    // SAFETY: the caller's promise, for all of these.
    unsafe {
        let are_halved = buckets::are_halved(crew.isa, crew.threads, length);
        if are_halved && crew.threads == 1 {
            is_told = encode(crew.isa, task, keys.at(0), 0, length);
            K::sort(crew.isa, keys.at(0), length);
            decode(crew.isa, task, keys.at(0), 0, length);
        } else if are_halved {
            let told = AtomicBool::new(true);
            crew.spread(length, &|_, from, to| {
                if !encode(crew.isa, task, keys.at(0), from, to) {
                    told.store(false, Ordering::Relaxed);
                }
            });
            buckets::sort_halves(keys.at(0), length, crew, &|from, to| {
                decode(crew.isa, task, keys.at(0), from, to);
            });
            is_told = told.into_inner();
        } else {
            let mut found: Vec<(K, K, bool)> = vec![(K::MAX, K::default(), true); crew.pieces()];
            let places = Shared(found.as_mut_ptr());
            crew.spread(length, &|piece, from, to| *places.at(piece) = survey(crew.isa, task, from, to));
            let start = (K::MAX, K::default(), true);
            let all = found.iter().fold(start, |a, b| (a.0.min(b.0), a.1.max(b.1), a.2 & b.2));
            is_told = all.2;
            buckets::sort(&Elements(task), (all.0, all.1), length, (keys.at(0), spare), crew, &|from, to| {
                decode(crew.isa, task, keys.at(0), from, to);
            });
        }
        if !is_told {
            restore(task);
        }
    }
}

/// Compiles a function for every instruction set, and chooses.
macro_rules! by_isa {
    ($(#[$doc:meta])* unsafe fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? = $body:ident;) => {
        $(#[$doc])*
        unsafe fn $name<T: Ordered, K: Sortable>(isa: Isa, $($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
            unsafe fn avx512<T: Ordered, K: Sortable>($($argument: $type),*) $(-> $result)? {
                // SAFETY: the caller's promise.
                unsafe { $body::<T, K>($($argument),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            unsafe fn avx2<T: Ordered, K: Sortable>($($argument: $type),*) $(-> $result)? {
                // SAFETY: the caller's promise.
                unsafe { $body::<T, K>($($argument),*) }
            }
            // SAFETY: the caller's promise.
            unsafe {
                match isa {
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx512 => avx512::<T, K>($($argument),*),
                    #[cfg(target_arch = "x86_64")]
                    Isa::Avx2 => avx2::<T, K>($($argument),*),
                    _ => $body::<T, K>($($argument),*),
                }
            }
        }
    };
}

by_isa! {
    /// Writes the keys of the elements `from..to` at their positions; whether they tell the elements.
    ///
    /// # Safety
    ///
    /// The input can be read, and keys written at those positions. The processor has the instruction set.
    unsafe fn encode(task: &Task<T>, keys: *mut K, from: usize, to: usize) -> bool = encode_range;
}

by_isa! {
    /// The least and the greatest key of the elements `from..to`, and whether keys tell the elements.
    ///
    /// # Safety
    ///
    /// The input can be read. The processor has the instruction set.
    unsafe fn survey(task: &Task<T>, from: usize, to: usize) -> (K, K, bool) = survey_range;
}

by_isa! {
    /// Writes the elements of the keys `from..to` to the same places of the output.
    ///
    /// # Safety
    ///
    /// The keys can be read, and the output written. The processor has the instruction set.
    unsafe fn decode(task: &Task<T>, keys: *const K, from: usize, to: usize) = decode_range;
}

#[inline(always)]
unsafe fn encode_range<T: Ordered, K: Sortable>(task: &Task<T>, keys: *mut K, from: usize, to: usize) -> bool {
    let mut is_told = true;
    // SAFETY: the caller's promise.
    unsafe {
        for_each(task, from, to, |n, element, key| {
            is_told &= element.is_told_by_key();
            keys.add(n).write(key);
        });
    }
    is_told
}

#[inline(always)]
unsafe fn survey_range<T: Ordered, K: Sortable>(task: &Task<T>, from: usize, to: usize) -> (K, K, bool) {
    let (mut least, mut greatest, mut is_told) = (K::MAX, K::default(), true);
    // SAFETY: the caller's promise.
    unsafe {
        for_each(task, from, to, |_, element, key: K| {
            is_told &= element.is_told_by_key();
            (least, greatest) = (least.min(key), greatest.max(key));
        });
    }
    (least, greatest, is_told)
}

/// Visits elements with their keys.
///
/// # Safety
///
/// The input can be read.
#[inline(always)]
unsafe fn for_each<T: Ordered, K: Sortable>(
    task: &Task<T>,
    from: usize,
    to: usize,
    mut visit: impl FnMut(usize, T, K),
) {
    let mut each = |n: usize, element: T| {
        let key = if task.descending { element.key().complement() } else { element.key() };
        visit(n, element, sortable::<T, K>(key));
    };
    // SAFETY: the caller's promise.
    unsafe {
        if task.input.is_dense() {
            let elements = task.input.at(0).cast_const();
            (from..to).for_each(|n| each(n, load(elements.add(n))));
        } else {
            (from..to).for_each(|n| each(n, task.element(n)));
        }
    }
}

#[inline(always)]
unsafe fn decode_range<T: Ordered, K: Sortable>(task: &Task<T>, keys: *const K, from: usize, to: usize) {
    let Some(values) = &task.values else { return };
    let element = |key: K| {
        let key = T::Key::narrowed(key.widened());
        T::from_key(if task.descending { key.complement() } else { key }).unwrap_or_default()
    };
    // SAFETY: the caller's promise.
    unsafe {
        // One pointer to both, where they are the same memory, lets the compiler see that no element is written over a key
        // that is still to be read.
        if keys.cast::<T>() == values.at(0) && values.is_dense() {
            let both = values.at(0);
            (from..to).for_each(|n| both.add(n).write(element(*both.add(n).cast::<K>())));
        } else {
            (from..to).for_each(|n| values.at(n).write(element(*keys.add(n))));
        }
    }
}

/// Puts elements that their keys do not tell into the places of their keys, in the order they came in.
///
/// # Safety
///
/// Input and output are as long as the task says, and the output is in order.
pub(super) unsafe fn restore<T: Ordered>(task: &Task<T>) {
    let Some(values) = &task.values else { return };
    // SAFETY: the caller's promise.
    unsafe {
        let place = |element: T| {
            let key = if task.descending { element.key().complement() } else { element.key() };
            let (mut from, mut to) = (0, task.length);
            while from < to {
                let middle = from.midpoint(to);
                let found = load(values.at(middle)).key();
                let found = if task.descending { found.complement() } else { found };
                (from, to) = if found < key { (middle + 1, to) } else { (from, middle) };
            }
            from
        };
        // There are two kinds of them: zeros, and what is not a number.
        let (mut zero, mut nan) = (None, None);
        for n in 0..task.length {
            let element = task.element(n);
            let is_nan = element.is_nan();
            if !is_nan && element.key() != T::default().key() {
                continue;
            }
            let next = if is_nan { &mut nan } else { &mut zero };
            let at = *next.get_or_insert_with(|| place(element));
            // An input that has changed since it was sorted may have more of them.
            if at < task.length {
                values.at(at).write(element);
            }
            *next = Some(at + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::Row;
    use super::*;

    #[test]
    fn elements_that_change_stay_inside() {
        let (mut input, mut output) = ([f64::NAN; 8], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, f64::NAN, f64::NAN, 9.0, 9.0]);
        let task = Task {
            input: Row::dense(input.as_mut_ptr()),
            length: 8,
            count: 8,
            descending: false,
            values: Some(Row::dense(output.as_mut_ptr())),
            indices: None,
        };
        // SAFETY: both have as many elements.
        unsafe { restore(&task) };
        assert_eq!(output[8..], [9.0, 9.0]);
    }
}
