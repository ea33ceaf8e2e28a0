//! Numbers of segments, added up by one block.

use smallvec::smallvec;

use crate::group::SUM_U64;
use crate::signature::{Parameter, Parameters, Role, Signature};
use crate::work::{Value, Work};
use crate::{Dialect, Kernel};

/// Threads of the block.
const THREADS: u32 = 1024;

/// Numbers that a thread takes at a time.
const EACH: u32 = 8;

/// What becomes of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Totals {
    /// Their sum is written elsewhere.
    Sum,
    /// Each is replaced by the sum of all before it.
    Scan,
}

impl Totals {
    /// Adds the launch, for `count` numbers in scratch memory. A sum goes to the answer's address.
    pub(crate) fn push(self, work: &mut Work, start: usize, count: usize, answer: Value) {
        work.launch(Kernel::Totals(self), 1, |parameter| match parameter {
            Parameter::Address(Role::Totals) => Value::scratch(start),
            Parameter::Address(_) => answer,
            _ => count.into(),
        });
    }
}

impl Signature for Totals {
    fn name(&self) -> String {
        match self {
            Totals::Sum => "sum_totals".into(),
            Totals::Scan => "scan_totals".into(),
        }
    }

    fn about(&self) -> String {
        match self {
            Totals::Sum => "The sum of all numbers, by one block.".into(),
            Totals::Scan => "Replaces each number by the sum of those before it, by one block.".into(),
        }
    }

    fn parameters(&self) -> Parameters {
        match self {
            Totals::Sum => {
                smallvec![Parameter::Address(Role::Totals), Parameter::Size, Parameter::Address(Role::Answer)]
            }
            Totals::Scan => smallvec![Parameter::Address(Role::Totals), Parameter::Size],
        }
    }

    fn pointee(&self, role: Role) -> String {
        match (self, role) {
            (Totals::Scan, _) => "u64".into(),
            (Totals::Sum, Role::Totals) => "const u64".into(),
            (Totals::Sum, _) => "i64".into(),
        }
    }

    fn before(&self, _dialect: Dialect) -> String {
        match self {
            Totals::Sum => SUM_U64.fold(THREADS),
            Totals::Scan => SUM_U64.scan(THREADS),
        }
    }

    fn body(&self, _dialect: Dialect) -> String {
        match self {
            Totals::Sum => format!(
                "    SHARED u64 sums[{THREADS}];
    EACH_THREAD {{
        u64 sum = 0;
        for (u64 n = THREAD_X; n < size; n += {THREADS}u) sum += totals[n];
        sums[THREAD_X] = sum;
    }}
    BARRIER();
    fold_sum_u64(sums);
    EACH_THREAD {{
        if (THREAD_X == 0) answer[0] = (i64)sums[0];
    }}\n"
            ),
            Totals::Scan => format!(
                "    SHARED u64 sums[{room}];
    u64 before = 0;
    for (u64 start = 0; start < size; start += {chunk}u) {{
        EACH_THREAD {{
            const u64 first = start + THREAD_X * {EACH}u;
            u64 sum = 0;
            UNROLL for (u32 j = 0; j < {EACH}u; j++) sum += first + j < size ? totals[first + j] : 0;
            sums[THREAD_X] = sum;
        }}
        BARRIER();
        scan_sum_u64(sums);
        EACH_THREAD {{
            const u64 first = start + THREAD_X * {EACH}u;
            u64 sum = before + (THREAD_X > 0 ? sums[THREAD_X - 1] : 0);
            UNROLL for (u32 j = 0; j < {EACH}u; j++) {{
                if (first + j < size) {{
                    const u64 own = totals[first + j];
                    totals[first + j] = sum;
                    sum += own;
                }}
            }}
        }}
        before += sums[{last}];
        BARRIER();
    }}\n",
                room = 2 * THREADS,
                chunk = THREADS * EACH,
                last = THREADS - 1,
            ),
        }
    }

    fn is_wide(&self) -> bool {
        true
    }

    fn threads(&self) -> u32 {
        THREADS
    }
}
