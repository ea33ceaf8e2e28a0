//! What only a system call can tell on Linux.

use super::CoreSet;

/// More processors than any kernel is built for; the mask grows up to this.
const MOST_MASK_BITS: usize = 1 << 18;

const WORD_BITS: u32 = libc::c_ulong::BITS;

/// The processors that the calling thread may run on; empty when the kernel does not say.
pub(super) fn allowed() -> CoreSet {
    let mut bits = libc::CPU_SETSIZE as usize;
    while bits <= MOST_MASK_BITS {
        if let Some(mask) = affinity_mask(bits) {
            return CoreSet::new(set_bits(&mask));
        }
        bits *= 2;
    }
    CoreSet::new([])
}

/// Restricts the calling thread to these processors, and tells whether the kernel agreed.
pub(super) fn bind_current_thread(cores: &CoreSet) -> bool {
    let words = cores.iter().max().map_or(0, |last| last / WORD_BITS + 1);
    let mut mask: Vec<libc::c_ulong> = vec![0; words as usize];
    for core in cores.iter() {
        mask[(core / WORD_BITS) as usize] |= 1 << (core % WORD_BITS);
    }
    let bytes = std::mem::size_of_val(mask.as_slice());
    // SAFETY: `mask` is readable for exactly `bytes` bytes, the most the call reads, and is aligned for the `c_ulong`
    // words that `cpu_set_t` consists of. Process 0 names the calling thread, which exists.
    unsafe { libc::sched_setaffinity(0, bytes, mask.as_ptr().cast()) == 0 }
}

/// `/proc/meminfo` says it on Linux.
pub(super) fn physical_memory() -> Option<u64> {
    None
}

/// The calling thread's mask, or `None` if the kernel's is wider than `bits`.
fn affinity_mask(bits: usize) -> Option<Vec<libc::c_ulong>> {
    let mut mask = vec![0; bits / WORD_BITS as usize];
    let bytes = std::mem::size_of_val(mask.as_slice());
    // SAFETY: `mask` is writable for exactly `bytes` bytes, the most the call writes, and is aligned for the
    // `c_ulong` words that `cpu_set_t` consists of. Process 0 names the calling thread, which exists.
    let status = unsafe { libc::sched_getaffinity(0, bytes, mask.as_mut_ptr().cast()) };
    (status == 0).then_some(mask)
}

fn set_bits(mask: &[libc::c_ulong]) -> impl Iterator<Item = u32> + '_ {
    mask.iter().zip(0..).flat_map(|(word, i)| {
        (0..WORD_BITS).filter(move |bit| word >> bit & 1 == 1).map(move |bit| i * WORD_BITS + bit)
    })
}
