// once
// Elements that are moved, whatever they mean.
typedef u8 w1;

typedef u16 w2;

typedef u32 w4;

typedef u64 w8;

typedef struct ALIGNED(16) { u64 low; u64 high; } w16;

// An element of two numbers, which may lie where only each of them is at home.
typedef struct ALIGNED(8) { u64 low; u64 high; } e16;

// An index as a position along its axis: counted from the end if negative, and the nearest end if beyond that.
INLINE i64 checked_index_i64(i64 index, i64 length) {
    const i64 counted = index < 0 ? index + length : index;
    return counted < 0 ? 0 : counted < length ? counted : length - 1;
}

INLINE i64 checked_index_u64(u64 index, i64 length) {
    return index < (u64)length ? (i64)index : length - 1;
}

// Modulo the length.
INLINE i64 wrapped_index_i64(i64 index, i64 length) {
    if (index >= 0 && index < length) return index;
    const i64 rest = index % length;
    return rest < 0 ? rest + length : rest;
}

INLINE i64 wrapped_index_u64(u64 index, i64 length) {
    return (i64)(index < (u64)length ? index : index % (u64)length);
}

// The nearest end.
INLINE i64 clipped_index_i64(i64 index, i64 length) {
    return index < 0 ? 0 : index < length ? index : length - 1;
}

INLINE i64 clipped_index_u64(u64 index, i64 length) {
    return index < (u64)length ? (i64)index : length - 1;
}

// Whether an index lies outside its axis, counted from either end.
INLINE u32 is_outside_i64(i64 index, i64 length) {
    return index >= length || index < -length;
}

INLINE u32 is_outside_u64(u64 index, i64 length) {
    return index >= (u64)length;
}

// Keeps the least of the positions noted, as the largest of their complements. Where many are, most are not the least.
INLINE void note_outside(GLOBAL u64 *mark, u64 position) {
    if (*(volatile GLOBAL u64 *)mark < ~position) ATOMIC_MAX_u64(mark, ~position);
}

// Bytes of a mask by ones and twos, at its end.
OUTLINE w16 last_mask_words(GLOBAL const u8 *mask, u64 from, u64 end) {
    w16 words;
    words.low = 0;
    words.high = 0;
    for (u32 n = 0; n < 16u && from + n < end; n++) {
        const u64 truth = (u64)mask[from + n] << (n % 8u * 8u);
        if (n < 8u) words.low |= truth;
        else words.high |= truth;
    }
    return words;
}

// Sixteen bytes of a mask, zeros from its end on. All but the last begin at a multiple of 16.
INLINE w16 mask_words(GLOBAL const u8 *mask, u64 from, u64 end) {
    if (from + 16u <= end) return *(GLOBAL const w16 *)(mask + from);
    return last_mask_words(mask, from, end);
}

// The highest bit of every byte that is not 0.
INLINE u64 true_bytes(u64 word) {
    const u64 low = 0x7f7f7f7f7f7f7f7fu;
    return (((word & low) + low) | word) & ~low;
}

// How many of sixteen bytes are not 0.
INLINE u32 true_count(w16 words) {
    return POPCOUNT_u64(true_bytes(words.low)) + POPCOUNT_u64(true_bytes(words.high));
}

// The highest bits of four bytes side by side: the product moves each to a place of its own.
INLINE u32 gathered_bits(u32 high) {
    return ((high >> 7) * 0x10204080u) >> 28;
}

// One bit for each of sixteen bytes, set if the byte is not 0.
INLINE u32 true_bits(w16 words) {
    const u64 low = true_bytes(words.low), high = true_bytes(words.high);
    return gathered_bits((u32)low) | gathered_bits((u32)(low >> 32)) << 4 | gathered_bits((u32)high) << 8 |
           gathered_bits((u32)(high >> 32)) << 12;
}
