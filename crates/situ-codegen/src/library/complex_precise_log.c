// once

// Logarithms of 11/16, 12/16, ... 23/16, each as a double and the rest.
CONSTANT f64 LOGS_OF_SIXTEENTHS[26] = {
    -0.3746934494414107, 3.9243112288632396e-18,
    -0.2876820724517809, -2.607160616442564e-17,
    -0.2076393647782445, -1.2053243216686129e-17,
    -0.13353139262452263, 3.664457663660085e-18,
    -0.06453852113757118, 6.470486661692933e-18,
    0.0, 0.0,
    0.06062462181643484, 2.6424025938726934e-18,
    0.11778303565638346, -1.1971685747593677e-18,
    0.17185025692665923, -6.0224538210113705e-18,
    0.22314355131420976, -9.091270597324799e-18,
    0.27193371548364176, 7.83319637697442e-19,
    0.3184537311185346, 2.7114779367326236e-17,
    0.3629054936893685, -2.1492361455310972e-17,
};

// Angles whose tangents are 0/16, 1/16, ... 16/16, each as a double and the rest.
CONSTANT f64 ANGLES_OF_SIXTEENTHS[34] = {
    0.0, 0.0,
    0.06241880999595735, -1.5490756308295046e-18,
    0.12435499454676144, -3.1253241424539383e-18,
    0.18534794999569476, 4.180692268843079e-18,
    0.24497866312686414, 1.0698755618734451e-17,
    0.3028848683749714, -1.1010827903001369e-17,
    0.35877067027057225, -2.4623815582638635e-17,
    0.4124104415973873, -1.587652227770689e-17,
    0.4636476090008061, 2.2698777452961687e-17,
    0.5123894603107377, -2.5462781472855804e-17,
    0.5585993153435624, -5.4556305485916264e-18,
    0.6022873461349642, 2.950430737228402e-17,
    0.6435011087932844, 1.5834785051444286e-17,
    0.6823165548747481, 6.943223671560008e-18,
    0.7188299996216245, -2.1478388444456983e-17,
    0.7531512809621944, -2.4256934659182068e-17,
    0.785398163397448309615660845819875721, 3.061616997868383e-17,
};

// The nearest whole number to one that is not negative, halves up.
INLINE f64 nearest_whole_f64(f64 value) {
    f64 whole = TRUNC_f64(value);
    return value - whole >= 0.5 ? whole + 1.0 : whole;
}

// s + sigma s^3/3 + s^5/5 + sigma s^7/7 + ... for |s| up to 1/31: the inverse tangent for sigma = -1, the hyperbolic
// one for sigma = 1.
INLINE twofold odd_series_twofold(twofold s, f64 sigma) {
    twofold square = twofold_times_power_of_two(twofold_mul(s, s), sigma);
    // These terms are so small that one double holds enough of them.
    f64 tail = FMA_f64(1.0 / 19.0, square.hi, 1.0 / 17.0);
    tail = FMA_f64(tail, square.hi, 1.0 / 15.0);
    tail = FMA_f64(tail, square.hi, 1.0 / 13.0);
    tail = FMA_f64(tail, square.hi, 1.0 / 11.0);
    tail = FMA_f64(tail, square.hi, 1.0 / 9.0);
    tail = FMA_f64(tail, square.hi, 1.0 / 7.0);
    twofold fifth = make_twofold(0.2, -1.1102230246251566e-17);
    twofold third = make_twofold(0.3333333333333333, 1.850371707708594e-17);
    twofold from_fifth = twofold_plus_smaller(fifth, twofold_mul(square, make_twofold(tail, 0.0)));
    twofold from_third = twofold_plus_smaller(third, twofold_mul(square, from_fifth));
    return twofold_plus_smaller(s, twofold_mul(s, twofold_mul(square, from_third)));
}

// Half the logarithm of large^2 + small^2, which lies between 1 and 8, and shift times that of two.
INLINE twofold half_log_of_squares_f64(f64 large, f64 small, i32 shift) {
    twofold squares = sum_of_squares_f64(large, small);
    i32 twos = exponent_f64(squares.hi * 1.41421356237309504880168872420969808);
    twofold near_one = twofold_times_power_of_two(squares, whole_power_of_two_f64(-twos));
    f64 sixteenths = nearest_whole_f64(16.0 / near_one.hi);
    twofold product = twofold_mul(near_one, make_twofold(sixteenths / 16.0, 0.0));
    twofold rest = twofold_sub(product, make_twofold(1.0, 0.0));
    // log(1 + rest) = 2 atanh(rest / (2 + rest))
    twofold quotient = twofold_div(rest, twofold_add(rest, make_twofold(2.0, 0.0)));
    twofold series = twofold_times_power_of_two(odd_series_twofold(quotient, 1.0), 2.0);
    i32 place = 2 * ((i32)sixteenths - 11);
    twofold of_sixteenths = make_twofold(LOGS_OF_SIXTEENTHS[place], LOGS_OF_SIXTEENTHS[place + 1]);
    twofold of_twos = twofold_mul(make_twofold((f64)(twos + 2 * shift), 0.0), make_twofold(LN_TWO, LN_TWO_REST));
    twofold known = twofold_sub(of_twos, of_sixteenths);
    return twofold_times_power_of_two(twofold_add(known, series), 0.5);
}

// The angle whose tangent is small / large, between 0 and pi/4.
INLINE twofold octant_angle_f64(f64 large, f64 small) {
    f64 sixteenths = nearest_whole_f64(16.0 * (small / large));
    f64 tangent = sixteenths / 16.0;
    twofold along = twofold_add(make_twofold(large, 0.0), twofold_product(tangent, small));
    twofold across = twofold_sub(make_twofold(small, 0.0), twofold_product(tangent, large));
    i32 place = 2 * (i32)sixteenths;
    twofold known = make_twofold(ANGLES_OF_SIXTEENTHS[place], ANGLES_OF_SIXTEENTHS[place + 1]);
    return twofold_add(known, odd_series_twofold(twofold_div(across, along), -1.0));
}
