// for f32 f64
// Functions that take longer to compute than an H200's memory takes to bring the next element. No kernel uses these names:
// they tell the planner that a thread does better with several groups of elements.
#define HEAVY_acosh_T 1

#define HEAVY_asinh_T 1

#define HEAVY_atanh_T 1

#define HEAVY_cbrt_T 1

#define HEAVY_log1p_T 1

#define HEAVY_logaddexp_T 1

#define HEAVY_pow_T 1

#define HEAVY_sinh_T 1

#define HEAVY_tan_T 1

#define HEAVY_tanh_T 1
