// OpenCL C's names for what the library is written in. A product and a sum are never fused.
#pragma OPENCL FP_CONTRACT OFF
#define INLINE static inline __attribute__((always_inline))

// The same, and a processor has room for so many of the blocks at a time.
#define RESIDENT(threads, blocks)

#define GLOBAL __global
#define SHARED __local
#define LOCAL __local

// The only way to what an address leads to.
#define RESTRICT restrict

// What a thread wrote before comes to other blocks before what it writes after.
#define FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)

#define UNROLL _Pragma("unroll")
typedef int i32;
typedef uint u32;
typedef ulong u64;
typedef float f32;
typedef uint4 bytes16;

// Adds to a number; what it was before.
INLINE u32 ATOMIC_ADD_u32(GLOBAL u32 *at, u32 value) { return atomic_add((volatile GLOBAL u32 *)at, value); }

// Where a block is one work-item, which goes through the block's threads in each phase of a kernel. So there is nothing to
// wait for within a block, and compilers see plain loops. Intel's would otherwise make vectors of work-items, too.
#ifndef cl_intel_vec_len_hint
#define intel_vec_len_hint(lanes)
#endif
#define KERNEL __kernel __attribute__((reqd_work_group_size(1, 1, 1), intel_vec_len_hint(1))) void

// What follows is done by every thread of the block.
#define EACH_THREAD for (uint thread_x = 0; thread_x < THREADS; thread_x++)

#define BARRIER()

// The same for memory that all blocks see.
#define GLOBAL_BARRIER()

#define BLOCK_X ((uint)get_group_id(0))
#define THREAD_X thread_x

// A product and a sum after it are two roundings; compilers are told not to make them one.
INLINE f32 add_f32(f32 a, f32 b) { return a + b; }

#define THREADS 512u

// What is known of some of the values.
typedef f32 part;

INLINE void map_value(f32 v0, f32 *out0) {
    *out0 = v0;
}

INLINE part leaf(f32 v0, i32 position) {
    f32 value;
    map_value(v0, &value);
    return value;
}

INLINE part combine(part a, part b) { return add_f32(a, b); }

#define combine_next(a, b) combine(a, b)

INLINE void finish(f32 v0, f32 *out0) {
    *out0 = v0;
}

INLINE f32 finished(part whole) {
    f32 result;
    finish(whole, &result);
    return result;
}

typedef union { f32 at[4]; bytes16 whole; } f32x4;

// (%0: float32) {
// } -> %0
// Op(Add)
// (%0: float32) {
// } -> %0
KERNEL RESIDENT(512, 2) situ_reduce_add_f32_f32_along(GLOBAL const f32 *RESTRICT in0, GLOBAL f32 *RESTRICT out,
    GLOBAL part *RESTRICT totals, GLOBAL u32 *RESTRICT arrivals, const u32 groups, const u32 room, const u32 chunks,
    const u32 size, const u32 length, const i32 in0_step_0, const i32 in0_step_1, const i32 out_step_0) {
    SHARED part lanes[2048];
    SHARED part done[256];
    const u32 first = BLOCK_X / groups;
    const u32 group = BLOCK_X - first * groups;
    const u32 left = (length - group * 65536u + 4095u) / 4096u;
    const u32 items = left < 16u ? (u32)left : 16u;
    for (u32 item = 0; item < items; item++) {
        const u32 result = first + item / chunks;
        const u32 begin = (group * 16u + item % chunks) * 4096u;
        const u32 count = length - begin < 4096u ? (u32)(length - begin) : 4096u;
        const i32 k0 = (i32)result;
        GLOBAL const f32 *from0 = in0 + (k0 * in0_step_0);
        const u32 rounds = count / 128u, rest = count % 128u, live = rounds > 0u ? 128u : rest;
        if (rounds > 0u) {
            GLOBAL const float *row = from0 + begin;
            float8 sums[16];
            UNROLL for (u32 v = 0; v < 16u; v++) sums[v] = vload8(v, row);
            for (u32 round = 1; round < rounds; round++) {
                row += 128;
                UNROLL for (u32 v = 0; v < 16u; v++) sums[v] += vload8(v, row);
            }
            UNROLL for (u32 v = 0; v < 16u; v++) vstore8(sums[v], v, lanes);
        }
        GLOBAL const float *row = from0 + (begin + rounds * 128u);
        for (u32 k = 0; k < rest; k++) lanes[k] = rounds == 0u ? row[k] : combine(lanes[k], row[k]);
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
            totals[first * room + group] = whole;
            FENCE();
        }
    }
    const u32 digits = 0;
    SHARED u32 is_last;
    BARRIER();
    EACH_THREAD {
        if (THREAD_X == 0) {
            is_last = ATOMIC_ADD_u32(arrivals + first, 1u) + 1u == groups;
            FENCE();
        }
    }
    BARRIER();
    if (!is_last) return;
    GLOBAL part *level = totals + ((u64)(first) * room << digits);
    u32 count = groups, above = (count + 15u) / 16u;
    while (above << digits > 1024u) {
        GLOBAL part *next = level + ((u64)count << digits);
        EACH_THREAD {
            for (u32 n = THREAD_X; n < above << digits; n += 512u) {
                const u32 group = n >> digits;
                const u32 left = count - group * 16u;
                GLOBAL const part *own = level + (((u64)group * 16u << digits) + (n & ((1u << digits) - 1u)));
                part whole = own[0];
                if (left >= 16u) {
                    for (u32 next = 1; next < 16u; next += 15u) {
                        part others[15];
                        UNROLL for (u32 k = 0; k < 15u; k++) others[k] = own[(u64)(next + k) << digits];
                        UNROLL for (u32 k = 0; k < 15u; k++) whole = combine_next(whole, others[k]);
                    }
                } else {
                    for (u32 k = 1; k < left; k++) whole = combine_next(whole, own[(u64)k << digits]);
                }
                next[n] = whole;
            }
        }
        GLOBAL_BARRIER();
        level = next;
        count = above;
        above = (count + 15u) / 16u;
    }
    EACH_THREAD {
            for (u32 n = THREAD_X; n < above << digits; n += 512u) {
                const u32 group = n >> digits;
                const u32 left = count - group * 16u;
                GLOBAL const part *own = level + (((u64)group * 16u << digits) + (n & ((1u << digits) - 1u)));
                part whole = own[0];
                if (left >= 16u) {
                    for (u32 next = 1; next < 16u; next += 15u) {
                        part others[15];
                        UNROLL for (u32 k = 0; k < 15u; k++) others[k] = own[(u64)(next + k) << digits];
                        UNROLL for (u32 k = 0; k < 15u; k++) whole = combine_next(whole, others[k]);
                    }
                } else {
                    for (u32 k = 1; k < left; k++) whole = combine_next(whole, own[(u64)k << digits]);
                }
                lanes[n] = whole;
            }
    }
    BARRIER();
    LOCAL part *here = lanes;
    while (above > 1u) {
        LOCAL part *next = here + (above << digits);
        count = above;
        above = (count + 15u) / 16u;
        EACH_THREAD {
            for (u32 n = THREAD_X; n < above << digits; n += 512u) {
                const u32 group = n >> digits;
                const u32 left = count - group * 16u;
                LOCAL const part *own = here + (((u64)group * 16u << digits) + (n & ((1u << digits) - 1u)));
                part whole = own[0];
                if (left >= 16u) {
                    for (u32 next = 1; next < 16u; next += 15u) {
                        part others[15];
                        UNROLL for (u32 k = 0; k < 15u; k++) others[k] = own[(u64)(next + k) << digits];
                        UNROLL for (u32 k = 0; k < 15u; k++) whole = combine_next(whole, others[k]);
                    }
                } else {
                    for (u32 k = 1; k < left; k++) whole = combine_next(whole, own[(u64)k << digits]);
                }
                next[n] = whole;
            }
        }
        BARRIER();
        here = next;
    }
    EACH_THREAD {
        for (u32 n = THREAD_X; n < 1u << digits; n += 512u) {
            const u32 own = ((u32)(first) << digits) + n;
            if (own < size) {
                const i32 k0 = (i32)(own);
                out[k0 * out_step_0] = finished(here[n]);
            }
        }
    }
}
