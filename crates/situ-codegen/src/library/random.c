// once
// Random numbers: blocks of four words by Philox4x32-10, and what distributions make of them.

// The words of a block with a number of 128 bits.
INLINE void philox(u64 number, u64 upper, u64 key, u32 *words) {
    u32 a = (u32)number, b = (u32)(number >> 32), c = (u32)upper, d = (u32)(upper >> 32);
    u32 first = (u32)key, second = (u32)(key >> 32);
    UNROLL
    for (u32 i = 0; i < 10u; i++) {
        const u32 left = a * 0xd2511f53u, left_upper = MULHI_u32(a, 0xd2511f53u);
        const u32 right = c * 0xcd9e8d57u, right_upper = MULHI_u32(c, 0xcd9e8d57u);
        a = right_upper ^ b ^ first;
        b = right;
        c = left_upper ^ d ^ second;
        d = left;
        first += 0x9e3779b9u;
        second += 0xbb67ae85u;
    }
    words[0] = a;
    words[1] = b;
    words[2] = c;
    words[3] = d;
}

// The first or the second pair of words.
INLINE u64 pair_of(const u32 *words, u32 which) { return (u64)words[2u * which + 1u] << 32 | words[2u * which]; }

// A number in [2^-33, 1], with more digits the smaller it is.
INLINE f32 open_f32(u32 word) { return FMA_f32((f32)word, 2.3283064e-10f, 1.1641532e-10f); }

// A number in [1, 2) with the upper 52 bits of a word behind the point.
INLINE f64 one_and_f64(u64 word) { return from_bits_f64((u64)0x3ff << 52 | word >> 12); }

// One of 2^52 numbers, evenly spaced in the interval from 0 to 1, without its ends.
INLINE f64 open_f64(u64 word) { return one_and_f64(word) - 0.9999999999999999; }

INLINE void draw_bits_u32(const u32 *words, u32 *made) {
    UNROLL
    for (u32 k = 0; k < 4u; k++) {
        made[k] = words[k];
    }
}

INLINE void draw_bits_u64(const u32 *words, u64 *made) {
    made[0] = pair_of(words, 0);
    made[1] = pair_of(words, 1);
}

INLINE void draw_uniform_f32(const u32 *words, f32 *made) {
    UNROLL
    for (u32 k = 0; k < 4u; k++) {
        made[k] = (f32)(words[k] >> 8) * 5.9604645e-8f;
    }
}

INLINE void draw_uniform_f64(const u32 *words, f64 *made) {
    made[0] = (f64)(pair_of(words, 0) >> 11) * 1.1102230246251565e-16;
    made[1] = (f64)(pair_of(words, 1) >> 11) * 1.1102230246251565e-16;
}

INLINE void draw_exponential_f32(const u32 *words, f32 *made) {
    UNROLL
    for (u32 k = 0; k < 4u; k++) {
        made[k] = 0.0f - log_f32(open_f32(words[k]));
    }
}

INLINE void draw_exponential_f64(const u32 *words, f64 *made) {
    u32 rare = 0u;
    made[0] = 0.0 - log_usual_f64(open_f64(pair_of(words, 0)), &rare);
    made[1] = 0.0 - log_usual_f64(open_f64(pair_of(words, 1)), &rare);
}

// Two independent normal numbers: a point in a random direction, one in the right half of the circle, turned round or not,
// at a random distance. The cosine is the sine of what is left to a right angle.
INLINE void normal_f32(u32 distance, u32 direction, f32 *made) {
    f32 radius = SQRT_f32(-2.0f * log_f32(open_f32(distance)));
    f32 half_turns = from_bits_f32(0x3f800000u | direction << 1 >> 9) - 1.5f;
    f32 sine = sine_f32(half_turns * 3.1415927f, 0.0f);
    f32 cosine = sine_f32((0.5f - ABS_f32(half_turns)) * 3.1415927f, 0.0f);
    radius = from_bits_f32(bits_f32(radius) ^ (direction & SIGN_f32));
    made[0] = radius * cosine;
    made[1] = radius * sine;
}

INLINE void draw_normal_f32(const u32 *words, f32 *made) {
    normal_f32(words[0], words[1], made);
    normal_f32(words[2], words[3], made + 2);
}

// The direction is one in the right quarter, or its mirror image in the upper one, turned round or not.
INLINE void draw_normal_f64(const u32 *words, f64 *made) {
    u32 rare = 0u;
    u64 direction = pair_of(words, 1);
    f64 radius = SQRT_f64(-2.0 * log_usual_f64(open_f64(pair_of(words, 0)), &rare));
    f64 angle = (one_and_f64(direction << 2) - 1.5) * 1.5707963267948966;
    f64 sine = sine_or_cosine_f64(0u, angle, 0.0);
    f64 cosine = sine_or_cosine_f64(1u, angle, 0.0);
    u32 is_mirrored = (u32)(direction >> 62) & 1u;
    radius = from_bits_f64(bits_f64(radius) ^ (direction & SIGN_f64));
    made[0] = radius * (is_mirrored ? sine : cosine);
    made[1] = radius * (is_mirrored ? cosine : sine);
}

// Integers from an interval, by Lemire's method; which of them have to be drawn again, as bits.
INLINE u32 draw_below_u32(const u32 *words, u32 low, u32 choices, u32 surplus, u32 *made) {
    u32 rejected = 0u;
    UNROLL
    for (u32 k = 0; k < 4u; k++) {
        made[k] = low + MULHI_u32(words[k], choices);
        rejected |= (u32)(words[k] * choices < surplus) << k;
    }
    return rejected;
}

INLINE u32 draw_below_u64(const u32 *words, u64 low, u64 choices, u64 surplus, u64 *made) {
    u32 rejected = 0u;
    UNROLL
    for (u32 k = 0; k < 2u; k++) {
        const u64 word = pair_of(words, k);
        made[k] = low + MULHI_u64(word, choices);
        rejected |= (u32)(word * choices < surplus) << k;
    }
    return rejected;
}
