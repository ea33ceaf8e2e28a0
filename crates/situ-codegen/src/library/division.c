// for u32 u64
// n divided by a number of which the magic multiplier and the shift are given, for n below half the range.
INLINE T quotient_T(T n, T magic, u32 shift) { return MULHI_T(n + n, magic) >> shift; }
