//! Copies and fills of byte ranges, spread over threads and written with non-temporal stores where the range is large.

use crate::elementwise::{Fork, Machine};
use crate::isa::Isa;

/// Bytes of a cache line, the unit of non-temporal stores.
pub(crate) const LINE: usize = 64;

/// Ranges are cut at multiples of this, so that two threads never share a line or a page for long.
const GRAIN: usize = 4096;

/// Lines of pattern streamed at a time.
const PAGE: usize = GRAIN / LINE;

/// One thread's speed inside the caches, in bytes per nanosecond.
const SPEED: usize = 20;

/// Copies `bytes` bytes.
///
/// # Safety
///
/// `src` is valid for reads and `dst` for writes of `bytes` bytes by any thread, and the two do not overlap.
#[inline(never)]
pub(crate) unsafe fn copy(dst: *mut u8, src: *const u8, bytes: usize, machine: &Machine, fork: Fork<'_>) {
    let streams = machine.streams(2 * bytes);
    let places = Places { dst, src };
    spread(bytes, 2 * bytes / SPEED, machine, fork, &|from, to| {
        let places = &places;
        // SAFETY: the parts lie inside the range the caller vouches for and do not overlap one another.
        unsafe {
            let (dst, src) = (places.dst.add(from), places.src.add(from));
            if streams {
                stream(machine.isa, dst, src, to - from);
                fence();
            } else {
                std::ptr::copy_nonoverlapping(src, dst, to - from);
            }
        }
    });
}

/// Repeats the first `width` bytes of a pattern `count` times.
///
/// # Safety
///
/// `dst` is valid for writes of `width * count` bytes by any thread; `width` is 1, 2, 4, 8 or 16.
#[inline(never)]
pub(crate) unsafe fn fill(
    dst: *mut u8,
    pattern: &[u8; 16],
    width: usize,
    count: usize,
    machine: &Machine,
    fork: Fork<'_>,
) {
    let bytes = width * count;
    let streams = machine.streams(bytes);
    let line = pattern_line(pattern, width);
    let places = Places { dst, src: dst };
    spread(bytes, bytes / SPEED, machine, fork, &|from, to| {
        let places = &places;
        // SAFETY: the parts lie inside the range the caller vouches for and do not overlap one another. They start at
        // multiples of the grain, which every width divides, so the pattern starts afresh in each.
        unsafe { fill_part(machine.isa, places.dst.add(from), &line, width, to - from, streams) };
    });
}

/// Two places that a body may use from any thread.
struct Places {
    dst: *mut u8,
    src: *const u8,
}
// SAFETY: pointers are numbers until dereferenced, and whoever does so vouches that the memory is valid on any thread.
unsafe impl Sync for Places {}

/// Runs `part(from, to)` over `0..bytes` in one or more pieces.
fn spread(bytes: usize, nanoseconds: usize, machine: &Machine, fork: Fork<'_>, part: &(dyn Fn(usize, usize) + Sync)) {
    let chunks = machine.chunks(nanoseconds as u64);
    if chunks == 1 {
        return part(0, bytes);
    }
    let size = bytes.div_ceil(chunks).next_multiple_of(GRAIN);
    fork(bytes.div_ceil(size), &|i| part(i * size, bytes.min((i + 1) * size)));
}

/// The pattern repeated over a line.
fn pattern_line(pattern: &[u8; 16], width: usize) -> [u8; LINE] {
    let (mut line, mut done) = ([0; LINE], width);
    line[..width].copy_from_slice(&pattern[..width]);
    while done < LINE {
        line.copy_within(..done, done);
        done *= 2;
    }
    line
}

/// # Safety
///
/// `dst` is valid for writes of `bytes` bytes and the processor has the instruction set.
unsafe fn fill_part(isa: Isa, dst: *mut u8, line: &[u8; LINE], width: usize, bytes: usize, streams: bool) {
    if line.iter().all(|byte| *byte == line[0]) && !streams {
        // SAFETY: passed on from the caller.
        return unsafe { dst.write_bytes(line[0], bytes) };
    }
    let head = (dst.align_offset(LINE)).min(bytes);
    let whole = (bytes - head) / LINE;
    let tail = bytes - head - whole * LINE;
    // A complex element may start in the middle of 16 bytes: whole lines then start in the middle of the pattern.
    let mut turned = *line;
    turned.rotate_left(head % width);
    // SAFETY: head, whole lines and tail follow each other inside the range; head and tail are shorter than a line.
    unsafe {
        std::ptr::copy_nonoverlapping(line.as_ptr(), dst, head);
        let lines = dst.add(head);
        if streams {
            let page = [turned; PAGE];
            for i in (0..whole).step_by(PAGE) {
                stream_lines(isa, lines.add(i * LINE), page.as_ptr().cast(), PAGE.min(whole - i));
            }
        } else {
            for i in 0..whole {
                lines.cast::<[u8; LINE]>().add(i).write(turned);
            }
        }
        std::ptr::copy_nonoverlapping(turned.as_ptr(), lines.add(whole * LINE), tail);
    }
    if streams {
        fence();
    }
}

/// Copies whole lines of `dst` with non-temporal stores, its edges with ordinary ones.
///
/// Call [`fence`] before another thread may read.
///
/// # Safety
///
/// `src` is valid for reads and `dst` for writes of `bytes` bytes, the two do not overlap, and the processor has the
/// instruction set.
pub(crate) unsafe fn stream(isa: Isa, dst: *mut u8, src: *const u8, bytes: usize) {
    let head = dst.align_offset(LINE).min(bytes);
    let whole = (bytes - head) / LINE;
    let body = head + whole * LINE;
    // SAFETY: head, whole lines and the rest follow each other inside the range; the lines are aligned in `dst`.
    unsafe {
        // A call that copies nothing takes as long as a line.
        if head > 0 {
            std::ptr::copy_nonoverlapping(src, dst, head);
        }
        stream_lines(isa, dst.add(head), src.add(head), whole);
        if body < bytes {
            std::ptr::copy_nonoverlapping(src.add(body), dst.add(body), bytes - body);
        }
    }
}

/// The same for whole lines.
///
/// # Safety
///
/// As for [`stream`], over `lines` lines, with `dst` aligned to one.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) unsafe fn stream_lines(isa: Isa, dst: *mut u8, src: *const u8, lines: usize) {
    use std::arch::x86_64::*;

    macro_rules! copy_lines {
        ($name:ident, $features:literal, $vector:ident, $store:ident) => {{
            #[inline]
            #[target_feature(enable = $features)]
            unsafe fn $name(dst: *mut u8, src: *const u8, lines: usize) {
                const VECTORS: usize = LINE / size_of::<$vector>();
                for i in 0..lines * VECTORS {
                    // SAFETY: vector `i` lies inside the lines the caller vouches for, and they are aligned in `dst`.
                    unsafe { $store(dst.cast::<$vector>().add(i), src.cast::<$vector>().add(i).read_unaligned()) };
                }
            }
            // SAFETY: passed on from the caller; the arm chosen is the instruction set the processor has.
            unsafe { $name(dst, src, lines) }
        }};
    }
    match isa {
        Isa::Avx512 => copy_lines!(with_avx512, "avx512f", __m512i, _mm512_stream_si512),
        Isa::Avx2 => copy_lines!(with_avx2, "avx2", __m256i, _mm256_stream_si256),
        Isa::Baseline => copy_lines!(with_sse2, "sse2", __m128i, _mm_stream_si128),
    }
}

/// The same for whole lines.
///
/// # Safety
///
/// As for [`stream`], over `lines` lines, with `dst` aligned to one.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) unsafe fn stream_lines(_isa: Isa, dst: *mut u8, src: *const u8, lines: usize) {
    // SAFETY: passed on from the caller.
    unsafe { std::ptr::copy_nonoverlapping(src, dst, lines * LINE) }
}

/// Asks for a line that will be read soon. Any address will do: what cannot be read is not fetched.
#[inline(always)]
pub(crate) fn fetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has SSE, which is all the instruction needs; a hint faults at no address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Makes streamed bytes visible before anything stored later.
pub(crate) fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has SSE, which is all the instruction needs.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machines() -> impl Iterator<Item = Machine> {
        Isa::ALL.into_iter().filter(|isa| isa.is_available()).flat_map(|isa| {
            [(1, usize::MAX), (3, usize::MAX), (1, 1), (3, 1)].map(|(threads, cache)| Machine {
                isa,
                threads,
                last_level_cache: cache,
            })
        })
    }

    fn fork(chunks: usize, body: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for i in 0..chunks {
                scope.spawn(move || body(i));
            }
        });
    }

    #[test]
    fn copies_touch_exactly_their_range() {
        let source: Vec<u8> = (0..3_000_000).map(|i| (i * 7 % 251) as u8).collect();
        for machine in machines() {
            for bytes in [0, 1, 63, 64, 65, 1000, 2_999_000] {
                for shift in [0, 1, 40] {
                    let mut out = vec![0xEE; bytes + 128];
                    // SAFETY: both ranges lie inside their vectors.
                    unsafe { copy(out.as_mut_ptr().add(shift), source.as_ptr().add(3), bytes, &machine, &fork) };
                    assert!(out[shift..shift + bytes] == source[3..3 + bytes], "{bytes} bytes on {machine:?}");
                    assert!(out[..shift].iter().chain(&out[shift + bytes..]).all(|byte| *byte == 0xEE));
                }
            }
        }
    }

    #[test]
    fn fills_repeat_the_pattern_from_the_first_byte() {
        let pattern: [u8; 16] = std::array::from_fn(|i| i as u8 + 1);
        for machine in machines() {
            for width in [1, 2, 4, 8, 16] {
                // Whoever fills memory byte by byte may begin anywhere.
                let cases = [0, 1, 7, 64, 1001, 200_003].map(|count| (count, width.min(8))).into_iter();
                for (count, shift) in cases.chain((1..16).map(|shift| (70, shift))) {
                    let bytes = width * count;
                    let mut out = vec![0u64; bytes / 8 + 32];
                    let start = out.as_mut_ptr().cast::<u8>();
                    // SAFETY: the range lies inside the vector, which lives until the end of the block.
                    let out = unsafe {
                        fill(start.add(shift), &pattern, width, count, &machine, &fork);
                        std::slice::from_raw_parts(start, bytes + 128)
                    };
                    let filled = &out[shift..shift + bytes];
                    assert!(filled.iter().enumerate().all(|(i, byte)| *byte == pattern[i % width]), "{width}x{count}");
                    assert!(out[..shift].iter().chain(&out[shift + bytes..]).all(|byte| *byte == 0));
                }
            }
        }
    }

    #[test]
    fn large_ranges_are_shared_out() {
        let chunks = std::sync::atomic::AtomicUsize::new(0);
        let count = |n: usize, body: &(dyn Fn(usize) + Sync)| {
            chunks.store(n, std::sync::atomic::Ordering::Relaxed);
            (0..n).for_each(body);
        };
        let machine = Machine { isa: Isa::Baseline, threads: 2, last_level_cache: usize::MAX };
        let (source, mut out) = (vec![1u8; 8 << 20], vec![0u8; 8 << 20]);
        // SAFETY: both vectors have that many bytes.
        unsafe { copy(out.as_mut_ptr(), source.as_ptr(), source.len(), &machine, &count) };
        assert_eq!(chunks.into_inner(), 8);
        assert!(out == source);
    }
}
