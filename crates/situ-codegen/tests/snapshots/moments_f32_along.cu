// CUDA C's names for what the library is written in.
#define INLINE static __device__ __forceinline__

#define CONSTANT static __constant__ const
#define KERNEL extern "C" __global__ void

// The same, and a processor has room for so many of the blocks at a time.
#define RESIDENT(threads, blocks) __launch_bounds__(threads, blocks)

#define GLOBAL
#define SHARED __shared__
#define LOCAL

// The only way to what an address leads to.
#define RESTRICT __restrict__

// What a thread keeps from one phase of a kernel to the next.
#define PRIVATE(type, name) type name

#define MINE(name) name
#define ALIGNED(bytes) __align__(bytes)

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BARRIER() __syncthreads()

// The same for memory that all blocks see.
#define GLOBAL_BARRIER() __syncthreads()

// The same for 32 neighbouring threads, of which all are there.
#define WARP_BARRIER() __syncwarp()

// What a thread wrote before comes to other blocks before what it writes after.
#define FENCE() __threadfence()

#define BLOCK_X blockIdx.x
#define THREAD_X threadIdx.x
#define UNROLL _Pragma("unroll")
typedef int i32;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef float f32;
typedef uint4 bytes16;

// In so many words, because the compiler takes structures apart and does not always put them together again.
INLINE bytes16 load_bytes16(const GLOBAL void *from) {
    bytes16 a;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a.x), "=r"(a.y), "=r"(a.z), "=r"(a.w)
                 : "l"(__cvta_generic_to_global(from))
                 : "memory");
    return a;
}

// Adds to a number; what it was before.
INLINE u32 ATOMIC_ADD_u32(GLOBAL u32 *at, u32 value) { return atomicAdd(at, value); }

// What is known of some of the values.
typedef struct ALIGNED(16) { f32 squares; f32 mean; f32 origin; f32 count; } part;

typedef struct { f32 squares; f32 mean; f32 origin; } run;

INLINE void map_value(f32 v0, f32 *out0) {
    *out0 = v0;
}

INLINE f32 leaf(f32 v0, i32 position) {
    f32 value;
    map_value(v0, &value);
    return value;
}

// What the last of so many values moves their mean by, as a part of its distance from it.
CONSTANT f32 shares[32] = {
    (f32)1 / 1, (f32)1 / 2, (f32)1 / 3, (f32)1 / 4, (f32)1 / 5, (f32)1 / 6, (f32)1 / 7, (f32)1 / 8, (f32)1 / 9, (f32)1 / 10, (f32)1 / 11, (f32)1 / 12, (f32)1 / 13, (f32)1 / 14, (f32)1 / 15, (f32)1 / 16, (f32)1 / 17, (f32)1 / 18, (f32)1 / 19, (f32)1 / 20, (f32)1 / 21, (f32)1 / 22, (f32)1 / 23, (f32)1 / 24, (f32)1 / 25, (f32)1 / 26, (f32)1 / 27, (f32)1 / 28, (f32)1 / 29, (f32)1 / 30, (f32)1 / 31, (f32)1 / 32
};

INLINE run continued(run a, f32 value, u32 before, u32 is_first) {
    // Then its distance from itself is zero, unless it is infinite or not a number, and so is all that follows.
    if (is_first) a.origin = value;
    const f32 distance = value - a.origin - a.mean;
    const f32 moved = distance * shares[before];
    a.squares = a.squares + distance * (distance - moved);
    a.mean = a.mean + moved;
    return a;
}

INLINE part closed(run a, u32 count) {
    part whole;
    whole.squares = a.squares;
    whole.mean = a.mean;
    whole.origin = a.origin;
    whole.count = (f32)count;
    return whole;
}

INLINE part combine(part a, part b) {
    part whole;
    whole.count = a.count + b.count;
    const f32 distance = (b.origin - a.origin) + (b.mean - a.mean);
    const f32 moved = distance * (b.count / whole.count);
    const f32 between = distance * (distance - moved) * b.count;
    whole.squares = a.squares + (b.squares + between);
    whole.mean = a.mean + moved;
    whole.origin = a.origin;
    return whole;
}

#define combine_next(a, b) combine(a, b)

INLINE void finish(f32 v0, f32 *out0) {
    *out0 = v0;
}

INLINE f32 finished(part whole) {
    f32 result;
    finish(whole.squares, &result);
    return result;
}

typedef union { f32 at[4]; bytes16 whole; } f32x4;

// (%0: float32) {
// } -> %0
// Moments
// (%0: float32) {
// } -> %0
KERNEL RESIDENT(512, 2) situ_reduce_moments_f32_f32_along(GLOBAL const f32 *RESTRICT in0, GLOBAL f32 *RESTRICT out,
    GLOBAL part *RESTRICT totals, GLOBAL u32 *RESTRICT arrivals, const u32 groups, const u32 room, const u32 chunks,
    const u32 size, const u32 length, const i32 in0_step_0, const i32 in0_step_1, const i32 out_step_0) {
    SHARED part lanes[2048];
    SHARED part done[256];
    PRIVATE(u32, lane_count);
    const u32 first = BLOCK_X / groups;
    const u32 group = BLOCK_X - first * groups;
    const u32 left = (length - group * 65536u + 4095u) / 4096u;
    const u32 items = left < 16u ? (u32)left : 16u;
    for (u32 start = 0; start < items; start += 16u) {
        EACH_THREAD {
            const u32 thread = THREAD_X % 32u, item = start + THREAD_X / 32u;
            MINE(lane_count) = 0;
            if (item < items) {
                const u32 result = first + item / chunks;
                const u32 begin = (group * 16u + item % chunks) * 4096u;
                const u32 count = length - begin < 4096u ? (u32)(length - begin) : 4096u;
                const i32 k0 = (i32)result;
                GLOBAL const f32 *from0 = in0 + (k0 * in0_step_0);
                const u32 rounds = count / 128u;
                run own[4] = {{0, 0, 0}};
                u32 round = 0;
                for (; round + 8u <= rounds; round += 8u) {
                    f32x4 a0[8];
                    UNROLL for (u32 n = 0; n < 8u; n++) {
                        const u32 position = begin + round * 128u + n * 128u + thread * 4u;
                        const i32 r0 = (i32)position;
                        a0[n].whole = load_bytes16(from0 + (r0));
                    }
                    UNROLL for (u32 n = 0; n < 8u; n++) {
                        UNROLL for (u32 j = 0; j < 4u; j++) {
                            const f32 value = leaf(a0[n].at[j], begin + round * 128u + n * 128u + thread * 4u + j);
                            const u32 k = n % 1u * 4u + j;
                            own[k] = continued(own[k], value, round + n / 1u, n < 1u && round == 0);
                        }
                    }
                }
                for (; round < rounds; round += 4u) {
                    f32x4 a0[4];
                    UNROLL for (u32 n = 0; n < 4u; n++) if (round + n / 1u < rounds) {
                        const u32 position = begin + round * 128u + n * 128u + thread * 4u;
                        const i32 r0 = (i32)position;
                        a0[n].whole = load_bytes16(from0 + (r0));
                    }
                    UNROLL for (u32 n = 0; n < 4u; n++) if (round + n / 1u < rounds) {
                        UNROLL for (u32 j = 0; j < 4u; j++) {
                            const f32 value = leaf(a0[n].at[j], begin + round * 128u + n * 128u + thread * 4u + j);
                            const u32 k = n % 1u * 4u + j;
                            own[k] = continued(own[k], value, round + n / 1u, n < 1u && round == 0);
                        }
                    }
                }
                round = rounds;
                const u32 rest = count % 128u;
                UNROLL for (u32 k = 0; k < 4u; k++) {
                    const u32 lane = k / 4u * 128u + thread * 4u + k % 4u;
                    if (lane < rest) {
                        const u32 position = begin + round * 128u + lane;
                        const i32 r0 = (i32)position;
                        const f32 value = leaf(from0[r0], position);
                        own[k] = continued(own[k], value, round, round == 0);
                    }
                    if (lane < count) lanes[THREAD_X / 32u * 128u + lane] = closed(own[k], rounds + (lane < rest ? 1u : 0u));
                }
                MINE(lane_count) = count < 128u ? count : 128u;
            }
        }
        WARP_BARRIER();
        EACH_THREAD {
            const u32 thread = THREAD_X % 32u, live = MINE(lane_count);
            LOCAL part *own = lanes + (THREAD_X / 32u * 128u + thread);
            if (thread + 64u < live) own[0] = combine(own[0], own[64]);
            if (thread + 96u < live) own[32] = combine(own[32], own[96]);
            if (thread + 32u < live) own[0] = combine(own[0], own[32]);
        }
        WARP_BARRIER();
        for (u32 apart = 16u; apart > 0u; apart /= 2u) {
            EACH_THREAD {
                const u32 thread = THREAD_X % 32u;
                LOCAL part *own = lanes + (THREAD_X / 32u * 128u + thread);
                if (thread < apart && thread + apart < MINE(lane_count)) own[0] = combine(own[0], own[apart]);
            }
            WARP_BARRIER();
        }
        EACH_THREAD {
            if (THREAD_X % 32u == 0 && MINE(lane_count) > 0u) {
                done[start + THREAD_X / 32u] = lanes[THREAD_X / 32u * 128u];
            }
        }
        WARP_BARRIER();
    }
    BARRIER();
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
                    for (u32 next = 1; next < 16u; next += 3u) {
                        part others[3];
                        UNROLL for (u32 k = 0; k < 3u; k++) others[k] = own[(u64)(next + k) << digits];
                        UNROLL for (u32 k = 0; k < 3u; k++) whole = combine_next(whole, others[k]);
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
                    for (u32 next = 1; next < 16u; next += 3u) {
                        part others[3];
                        UNROLL for (u32 k = 0; k < 3u; k++) others[k] = own[(u64)(next + k) << digits];
                        UNROLL for (u32 k = 0; k < 3u; k++) whole = combine_next(whole, others[k]);
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
                    for (u32 next = 1; next < 16u; next += 3u) {
                        part others[3];
                        UNROLL for (u32 k = 0; k < 3u; k++) others[k] = own[(u64)(next + k) << digits];
                        UNROLL for (u32 k = 0; k < 3u; k++) whole = combine_next(whole, others[k]);
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
