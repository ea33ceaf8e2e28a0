// for f64
// Functions that take longer in double precision than an H200's memory takes to bring the next element; see the file before.
#define HEAVY_acos_T 1

#define HEAVY_asin_T 1

#define HEAVY_atan2_T 1

#define HEAVY_expm1_T 1
