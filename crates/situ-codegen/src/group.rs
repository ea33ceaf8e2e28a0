//! What the threads of a block do together: combining one value of each.
//!
//! The functions made here are called by all threads of a block at once, outside `EACH_THREAD`, after a barrier, and
//! end with one.

/// A way to make one value of two. Values may be grouped in any way, but for a fold also in any order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Combination {
    /// What it is called.
    pub(crate) name: &'static str,
    /// The type of values.
    pub(crate) of: &'static str,
    /// What becomes of `a` and `b`, where `a` comes before.
    pub(crate) expression: &'static str,
}

/// Sums of small counts.
pub(crate) const SUM_U32: Combination = Combination { name: "sum", of: "u32", expression: "a + b" };

/// Sums of counts.
pub(crate) const SUM_U64: Combination = Combination { name: "sum", of: "u64", expression: "a + b" };

impl Combination {
    fn combine(self) -> String {
        let Combination { name, of, expression } = self;
        format!("INLINE {of} {name}_{of}({of} a, {of} b) {{ return {expression}; }}\n\n")
    }

    /// A function `fold_<name>_<of>(values)` that combines one value per thread into the first of them, in an order of
    /// its own. The number of threads is a power of two.
    pub(crate) fn fold(self, threads: u32) -> String {
        let Combination { name, of, .. } = self;
        let half = threads / 2;
        self.combine()
            + &format!(
                "// Combines the values of {threads} threads into the first of them.
INLINE void fold_{name}_{of}(LOCAL {of} *values) {{
    for (u32 left = {half}u; left > 0u; left /= 2u) {{
        EACH_THREAD {{
            if (THREAD_X < left) values[THREAD_X] = {name}_{of}(values[THREAD_X], values[THREAD_X + left]);
        }}
        BARRIER();
    }}
}}\n\n"
            )
    }

    /// A function `scan_<name>_<of>(values)` that combines each of the values, one per thread, with all before it.
    /// There is room for twice as many, and the number of threads is a power of four, so that the last round ends where
    /// the first began.
    pub(crate) fn scan(self, threads: u32) -> String {
        debug_assert!(threads.is_power_of_two() && threads.trailing_zeros().is_multiple_of(2));
        let Combination { name, of, .. } = self;
        self.combine()
            + &format!(
                "// Combines each value of {threads} threads with all before it. There is room for twice as many.
INLINE void scan_{name}_{of}(LOCAL {of} *values) {{
    LOCAL {of} *from = values;
    LOCAL {of} *to = values + {threads};
    for (u32 step = 1u; step < {threads}u; step *= 2u) {{
        EACH_THREAD {{
            const {of} own = from[THREAD_X];
            to[THREAD_X] = THREAD_X < step ? own : {name}_{of}(from[THREAD_X - step], own);
        }}
        BARRIER();
        LOCAL {of} *next = from;
        from = to;
        to = next;
    }}
}}\n\n"
            )
    }
}
