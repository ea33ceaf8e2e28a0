// CUDA C's names for what the library is written in.
#define INLINE static __device__ __forceinline__

#define KERNEL extern "C" __global__ void

// No block has more threads than this.
#define BOUNDED(threads) __launch_bounds__(threads)

#define GLOBAL
#define BLOCK_X blockIdx.x
#define BLOCK_Y blockIdx.y
#define THREAD_X threadIdx.x
#define THREAD_Y threadIdx.y
#define BLOCK_SIZE_X blockDim.x
#define BLOCK_SIZE_Y blockDim.y
typedef int i32;
typedef unsigned char u8;
typedef float f32;
INLINE u8 lt_i32(i32 a, i32 b) { return a < b; }

// A product and a sum after it are two roundings; compilers are told not to make them one.
INLINE f32 add_f32(f32 a, f32 b) { return a + b; }

INLINE f32 mul_f32(f32 a, f32 b) { return a * b; }

// kernel stencil over 2 axes (x: float32[2], out: float32[2], factor %0: float32) {
//   %1 = global_id 0: int64
//   %2 = global_id 1: int64
//   %3 = extent x 1: int64
//   %4 = constant I64(1): int64
//   %5 = add %2 %4: int64
//   %6 = less %5 %3: bool
//   if %6 {
//     %7 = x[%1, %2]: float32
//     %8 = x[%1, %5]: float32
//     %9 = add %7 %8: float32
//     %10 = multiply %9 %0: float32
//     out[%1, %2] = %10
//   }
// }
KERNEL BOUNDED(256) situ_stencil(GLOBAL const f32 *x_data, const i32 x_step_0, GLOBAL f32 *out_data,
    const i32 out_step_0, const f32 factor_value, const i32 x_extent_1, const i32 global_size_0,
    const i32 global_size_1) {
    const i32 global_id_0 = (i32)BLOCK_Y * (i32)BLOCK_SIZE_Y + (i32)THREAD_Y;
    const i32 global_id_1 = (i32)BLOCK_X * (i32)BLOCK_SIZE_X + (i32)THREAD_X;
    if (global_id_0 >= global_size_0 || global_id_1 >= global_size_1) return;
    const i32 v5 = global_id_1 + 1;
    const u8 v6 = lt_i32(v5, x_extent_1);
    if (v6) {
        const f32 v7 = x_data[global_id_0 * x_step_0 + global_id_1];
        const f32 v8 = x_data[global_id_0 * x_step_0 + v5];
        const f32 v9 = add_f32(v7, v8);
        const f32 v10 = mul_f32(v9, factor_value);
        out_data[global_id_0 * out_step_0 + global_id_1] = v10;
    }
}
