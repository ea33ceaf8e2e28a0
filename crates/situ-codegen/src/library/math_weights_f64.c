// for f64
// Functions that take longer in double precision than an H200's memory takes to bring the next element. No kernel uses these names:
// they tell the planner that a thread does better with several groups of elements.
#define HEAVY_acos_T 1

#define HEAVY_asin_T 1

#define HEAVY_atan2_T 1

#define HEAVY_expm1_T 1
