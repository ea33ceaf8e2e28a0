// OpenCL C's names for what the library is written in. A product and a sum are never fused.
#pragma OPENCL FP_CONTRACT OFF
#define INLINE static inline __attribute__((always_inline))

// The same, and a processor has room for so many of the blocks at a time.
#define RESIDENT(threads, blocks)

#define GLOBAL __global
#define SHARED __local

// The only way to what an address leads to.
#define RESTRICT restrict

#define UNROLL _Pragma("unroll")
typedef int i32;
typedef long i64;
typedef uint u32;
typedef uint4 bytes16;

// Where a block is one work-item, which goes through the block's threads in each phase of a kernel. So there is nothing to
// wait for within a block, and compilers see plain loops. Intel's would otherwise make vectors of work-items, too.
#ifndef cl_intel_vec_len_hint
#define intel_vec_len_hint(lanes)
#endif
#define KERNEL __kernel __attribute__((reqd_work_group_size(1, 1, 1), intel_vec_len_hint(1))) void

// What follows is done by every thread of the block.
#define EACH_THREAD for (uint thread_x = 0; thread_x < THREADS; thread_x++)

#define BLOCK_X ((uint)get_group_id(0))
#define THREAD_X thread_x
INLINE i32 max_i32(i32 a, i32 b) { return b <= a ? a : b; }

#define THREADS 512u

// What is known of some of the values.
typedef i32 part;

INLINE void map_value(i32 v0, i32 *out0) {
    *out0 = v0;
}

INLINE part leaf(i32 v0, i32 position) {
    i32 value;
    map_value(v0, &value);
    return value;
}

INLINE part combine(part a, part b) { return max_i32(a, b); }

#define combine_next(a, b) combine(a, b)

INLINE void finish(i32 v0, i32 *out0) {
    *out0 = v0;
}

INLINE i32 finished(part whole) {
    i32 result;
    finish(whole, &result);
    return result;
}

typedef union { i32 at[4]; bytes16 whole; } i32x4;

// (%0: int32) {
// } -> %0
// Op(Maximum)
// (%0: int32) {
// } -> %0
KERNEL RESIDENT(512, 2) situ_reduce_maximum_i32_i32_along(GLOBAL const i32 *RESTRICT in0, GLOBAL i32 *RESTRICT out,
    const u32 each, const u32 chunks, const u32 size, const u32 length, const i32 in0_step_0, const i32 in0_step_1,
    const i32 out_step_0) {
    SHARED part lanes[2048];
    SHARED part done[256];
    const u32 first = (u32)BLOCK_X * each;
    const u32 group = 0;
    const u32 items = (size - first < each ? (u32)(size - first) : each) * chunks;
    for (u32 item = 0; item < items; item++) {
        const u32 result = first + item / chunks;
        const u32 begin = (group * 16u + item % chunks) * 4096u;
        const u32 count = length - begin < 4096u ? (u32)(length - begin) : 4096u;
        const i32 k0 = (i32)result;
        GLOBAL const i32 *from0 = in0 + (k0 * in0_step_0);
        const u32 rounds = count / 128u, rest = count % 128u, live = rounds > 0u ? 128u : rest;
        part own[128];
        u32 round = 0;
        if (rounds > 0u) {
            GLOBAL const i32 *row0 = from0 + (i64)(begin + round * 128u);
            for (u32 k = 0; k < 128u; k++) {
                const u32 position = begin + round * 128u + k;
                const part value = leaf(row0[k], position);
                own[k] = 1 ? value : combine_next(own[k], value);
            }
            round = 1u;
        }
        for (; round + 4u <= rounds; round += 4u) {
            GLOBAL const i32 *row0 = from0 + (i64)(begin + round * 128u);
            for (u32 k = 0; k < 128u; k++) UNROLL for (u32 n = 0; n < 4u; n++) {
                const u32 position = begin + (round + n) * 128u + k;
                const part value = leaf(row0[n * 128u + k], position);
                own[k] = 0 ? value : combine_next(own[k], value);
            }
        }
        for (; round < rounds; round++) {
            GLOBAL const i32 *row0 = from0 + (i64)(begin + round * 128u);
            for (u32 k = 0; k < 128u; k++) {
                const u32 position = begin + round * 128u + k;
                const part value = leaf(row0[k], position);
                own[k] = 0 ? value : combine_next(own[k], value);
            }
        }
        if (rest > 0u) {
            GLOBAL const i32 *row0 = from0 + (i64)(begin + round * 128u);
            for (u32 k = 0; k < rest; k++) {
                const u32 position = begin + round * 128u + k;
                const part value = leaf(row0[k], position);
                own[k] = rounds == 0u ? value : combine_next(own[k], value);
            }
        }
        for (u32 k = 0; k < live; k++) lanes[k] = own[k];
        for (u32 apart = 64u; apart > 0u; apart /= 2u) {
            const u32 pairs = live > apart ? (live - apart < apart ? live - apart : apart) : 0u;
            for (u32 k = 0; k < pairs; k++) lanes[k] = combine(lanes[k], lanes[k + apart]);
        }
        done[item] = lanes[0];
    }
    EACH_THREAD {
        if (THREAD_X * chunks < items) {
            const u32 own = THREAD_X * chunks;
            const u32 end = items - own < chunks ? items : own + chunks;
            part whole = done[own];
            for (u32 n = own + 1u; n < end; n++) whole = combine_next(whole, done[n]);
            const i32 k0 = (i32)(first + THREAD_X);
            out[k0 * out_step_0] = finished(whole);
        }
    }
}
