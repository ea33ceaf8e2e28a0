// for i8 i16 i32 i64 u8 u16 u32 u64
// The next number of a loop that goes on below or above a stop: the stop itself where a step would go beyond.
INLINE T advance_T(T at, T step, T stop) {
    if (step > 0) {
        return (U)((U)stop - (U)at) > (U)step ? (T)(at + step) : stop;
    }
    return (U)((U)at - (U)stop) > (U)(0u - (U)step) ? (T)(at + step) : stop;
}

// How many numbers there are from a start by a step before a stop.
INLINE u64 range_count_T(T start, T stop, T step) {
    if (step > 0 && start < stop) {
        return ((u64)(U)((U)stop - (U)start) - 1u) / (u64)(U)step + 1u;
    }
    if (step < 0 && start > stop) {
        return ((u64)(U)((U)start - (U)stop) - 1u) / (u64)(U)(0u - (U)step) + 1u;
    }
    return 0;
}

// for bool
// An element as the word that is exchanged for it.
INLINE u32 word_T(T a) { return a; }

INLINE T from_word_T(u32 word) { return word != 0; }

// for i8 i16 i32 u8 u16 u32
INLINE u32 word_T(T a) { return (U)a; }

INLINE T from_word_T(u32 word) { return (T)word; }

// for i64 u64
INLINE u64 word_T(T a) { return (u64)a; }

INLINE T from_word_T(u64 word) { return (T)word; }

// for f16
INLINE u32 word_T(T a) { return a.bits; }

INLINE T from_word_T(u32 word) { return make_f16(word); }

// for f32
INLINE u32 word_T(T a) { return bits_T(a); }

INLINE T from_word_T(u32 word) { return from_bits_T(word); }

// for f64
INLINE u64 word_T(T a) { return bits_T(a); }

INLINE T from_word_T(u64 word) { return from_bits_T(word); }

// for c64
INLINE u64 word_T(T a) { return (u64)bits_R(a.im) << 32 | bits_R(a.re); }

INLINE T from_word_T(u64 word) { return make_T(from_bits_R((u32)word), from_bits_R((u32)(word >> 32))); }

// for c128
// Whether two elements have the same bits.
INLINE u32 same_bits_T(T a, T b) { return bits_R(a.re) == bits_R(b.re) && bits_R(a.im) == bits_R(b.im); }

// once
// How many of 32 neighbours there are where a thread of a block is, the last of which may be fewer.
INLINE u32 sub_group_size(u32 thread, u32 threads) {
    const u32 left = threads - thread / 32u * 32u;
    return left < 32u ? left : 32u;
}

// Waits for all threads of a block. Whether all came to this barrier: another differs in one of its number's digits.
INLINE u32 all_arrive(u32 number, u32 digits, u32 threads) {
    u32 is_whole = BARRIER_COUNT(1u) == threads;
    for (u32 digit = 0; digit < digits; digit++) {
        const u32 count = BARRIER_COUNT((number >> digit) & 1u);
        is_whole = is_whole && (count == 0u || count == threads);
    }
    return is_whole;
}

// Tells what went wrong, if nobody has told anything before: which report, which work-item, and two numbers.
INLINE void report_fault(GLOBAL i64 *report, i64 number, i64 item, i64 first, i64 second) {
    if (CLAIM(report)) {
        report[1] = number;
        report[2] = item;
        report[3] = first;
        report[4] = second;
    }
}
