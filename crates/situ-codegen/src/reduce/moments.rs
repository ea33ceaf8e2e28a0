//! Sums of squared deviations, as [`situ_ir::moments`] define them.

use situ_ir::tree::ROUNDS;

/// Numbers of a part.
pub(super) const FIELDS: usize = 4;

/// The types of a part, and of a run of values that a thread combines one after another and counts by itself: zeros, before
/// it has one.
pub(super) fn types(value: &str) -> String {
    format!(
        "typedef struct ALIGNED(16) {{ {value} squares; {value} mean; {value} origin; {value} count; }} part;

typedef struct {{ {value} squares; {value} mean; {value} origin; }} run;
"
    )
}

/// The functions `continued`, `closed` and `combine`.
pub(super) fn functions(value: &str) -> String {
    // Divided by the compiler, once: a thread would have to do it for every round.
    let shares: Vec<String> = (1..=ROUNDS).map(|count| format!("({value})1 / {count}")).collect();
    format!(
        "// What the last of so many values moves their mean by, as a part of its distance from it.
CONSTANT {value} shares[{ROUNDS}] = {{
    {shares}
}};

INLINE run continued(run a, {value} value, u32 before, u32 is_first) {{
    // Then its distance from itself is zero, unless it is infinite or not a number, and so is all that follows.
    if (is_first) a.origin = value;
    const {value} distance = value - a.origin - a.mean;
    const {value} moved = distance * shares[before];
    a.squares = a.squares + distance * (distance - moved);
    a.mean = a.mean + moved;
    return a;
}}

INLINE part closed(run a, u32 count) {{
    part whole;
    whole.squares = a.squares;
    whole.mean = a.mean;
    whole.origin = a.origin;
    whole.count = ({value})count;
    return whole;
}}

INLINE part combine(part a, part b) {{
    part whole;
    whole.count = a.count + b.count;
    const {value} distance = (b.origin - a.origin) + (b.mean - a.mean);
    const {value} moved = distance * (b.count / whole.count);
    const {value} between = distance * (distance - moved) * b.count;
    whole.squares = a.squares + (b.squares + between);
    whole.mean = a.mean + moved;
    whole.origin = a.origin;
    return whole;
}}

#define combine_next(a, b) combine(a, b)
",
        shares = shares.join(", "),
    )
}
