// CUDA C's names for what the library is written in.
#define INLINE static __device__ __forceinline__

#define KERNEL extern "C" __global__ void

// The same, and a processor has room for so many of the blocks at a time.
#define RESIDENT(threads, blocks) __launch_bounds__(threads, blocks)

#define GLOBAL
#define SHARED __shared__
#define LOCAL

// What a thread keeps from one phase of a kernel to the next.
#define PRIVATE(type, name) type name

#define MINE(name) name

// What follows is done by every thread of the block.
#define EACH_THREAD

#define BARRIER() __syncthreads()
#define BLOCK_X blockIdx.x
#define THREAD_X threadIdx.x
#define UNROLL _Pragma("unroll")
typedef int i32;
typedef unsigned int u32;
typedef float f32;

// A product and a sum after it are two roundings; compilers are told not to make them one.
INLINE f32 add_f32(f32 a, f32 b) { return a + b; }

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

// Neighbours that a thread combines one after another.
typedef struct { part at[16]; } run;

// (%0: float32) {
// } -> %0
// Op(Add)
// (%0: float32) {
// } -> %0
KERNEL RESIDENT(256, 4) situ_scan_add_f32_f32_along(GLOBAL const f32 *in0, GLOBAL f32 *out, const u32 groups,
    const u32 slot_digits, const u32 size, const u32 length, const i32 in0_step_0, const i32 in0_step_1,
    const i32 out_step_0, const i32 out_step_1) {
    SHARED part ends[272];
    SHARED part tops[16];
    PRIVATE(run, own);
    const u32 block = BLOCK_X;
    const u32 share = block / groups;
    const u32 chunk = block - share * groups;
    const u32 first = share << (8u - slot_digits);
    const u32 begin = chunk * 4096u;
    SHARED part stage[4352];
    for (u32 pass = 0; pass < 1u; pass++) {
        EACH_THREAD {
            f32 a0[16];
            UNROLL for (u32 n = 0; n < 16u; n++) {
                const u32 staged = n * 256u + THREAD_X, place = pass * 4096u + staged;
                const u32 sequence = first + (place >> (slot_digits + 4u));
                const u32 position = begin + (place & ((16u << slot_digits) - 1u));
                if (sequence < size && position < length) {
                    const i32 k0 = (i32)sequence;
                    GLOBAL const f32 *from0 = in0 + (k0 * in0_step_0);
                    const i32 r0 = (i32)position;
                    a0[n] = from0[r0 * in0_step_1];
                }
            }
            UNROLL for (u32 n = 0; n < 16u; n++) {
                const u32 staged = n * 256u + THREAD_X, place = pass * 4096u + staged;
                const u32 sequence = first + (place >> (slot_digits + 4u));
                const u32 position = begin + (place & ((16u << slot_digits) - 1u));
                if (sequence < size && position < length) stage[staged + staged / 16u] = leaf(a0[n], position);
            }
        }
        BARRIER();
        EACH_THREAD {
            if (THREAD_X / 256u == pass) {
                UNROLL for (u32 k = 0; k < 16u; k++) MINE(own).at[k] = stage[THREAD_X % 256u * 17u + k];
            }
        }
        BARRIER();
    }
    EACH_THREAD {
        UNROLL for (u32 k = 1; k < 16u; k++) MINE(own).at[k] = combine(MINE(own).at[k - 1u], MINE(own).at[k]);
        ends[THREAD_X + THREAD_X / 16u] = MINE(own).at[15];
    }
    BARRIER();
    EACH_THREAD {
        if (THREAD_X < 16u) {
            LOCAL part *group = ends + THREAD_X * 17u;
            part running = group[0];
            for (u32 k = 1; k < 16u; k++) {
                const part value = group[k];
                running = (k & ((1u << slot_digits) - 1u)) == 0 ? value : combine(running, value);
                group[k] = running;
            }
            tops[THREAD_X] = running;
        }
    }
    BARRIER();
    EACH_THREAD {
        if (THREAD_X == 0) {
            part running = tops[0];
            for (u32 k = 1; k < 16u; k++) {
                const part value = tops[k];
                running = (k * 16u & ((1u << slot_digits) - 1u)) == 0 ? value : combine(running, value);
                tops[k] = running;
            }
        }
    }
    BARRIER();
    EACH_THREAD {
        const u32 slot = THREAD_X & ((1u << slot_digits) - 1u);
        part before;
        u32 is_first = 1u;
        if (slot >= 16u) {
            const part top = tops[THREAD_X / 16u - 1u];
            before = is_first ? top : combine(before, top);
            is_first = 0;
        }
        if (slot % 16u > 0u) {
            const part end = ends[THREAD_X + THREAD_X / 16u - 1u];
            before = is_first ? end : combine(before, end);
            is_first = 0;
        }
        if (!is_first) {
            UNROLL for (u32 k = 0; k < 16u; k++) MINE(own).at[k] = combine(before, MINE(own).at[k]);
        }
    }
    for (u32 pass = 0; pass < 1u; pass++) {
        EACH_THREAD {
            if (THREAD_X / 256u == pass) {
                UNROLL for (u32 k = 0; k < 16u; k++) stage[THREAD_X % 256u * 17u + k] = MINE(own).at[k];
            }
        }
        BARRIER();
        EACH_THREAD {
            UNROLL for (u32 n = 0; n < 16u; n++) {
                const u32 staged = n * 256u + THREAD_X, place = pass * 4096u + staged;
                const u32 sequence = first + (place >> (slot_digits + 4u));
                const u32 position = begin + (place & ((16u << slot_digits) - 1u));
                if (sequence < size && position < length) {
                    const i32 k0 = (i32)sequence;
                    const i32 r0 = (i32)position;
                    out[k0 * out_step_0 + r0 * out_step_1] = finished(stage[staged + staged / 16u]);
                }
            }
        }
        BARRIER();
    }
}
