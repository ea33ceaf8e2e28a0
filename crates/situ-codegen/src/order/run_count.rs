//! Runs of equal elements, counted.

use situ_hal::RunCount;
use situ_types::DType;
use smallvec::smallvec;

use super::ordered::Ordered;
use crate::group::SUM_U32;
use crate::indexing::Totals;
use crate::signature::{Parameter, Parameters, Role, Signature, THREADS};
use crate::work::{Value, Work};
use crate::{Dialect, Kernel};

/// Elements that a thread looks at at a time.
const EACH: u32 = 8;

/// Elements that a block looks at at a time.
const TILE: usize = (THREADS * EACH) as usize;

/// Blocks that keep a large device busy; beyond this many, blocks do more instead.
const BLOCKS: usize = 2048;

/// What the text depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunCounts {
    dtype: DType,
}

/// How many runs of equal elements a sorted sequence has.
pub(crate) fn run_count(command: &RunCount) -> Work {
    let mut work = Work::default();
    let segment = command.length.div_ceil(BLOCKS).next_multiple_of(TILE).max(TILE);
    // Without elements one block still says that there is no run.
    let blocks = command.length.div_ceil(segment).max(1);
    let totals = work.reserve(blocks * size_of::<u64>());
    work.launch(Kernel::RunCounts(RunCounts { dtype: command.dtype }), blocks, |parameter| match parameter {
        Parameter::Address(Role::Sorted) => command.sorted.into(),
        Parameter::Address(_) => Value::scratch(totals),
        Parameter::Segment => segment.into(),
        _ => command.length.into(),
    });
    Totals::Sum.push(&mut work, totals, blocks, command.count.into());
    work
}

/// The functions with which runs are told apart: `is_start(sorted, n)` says whether the n-th element begins one.
pub(super) fn starts(dtype: DType) -> String {
    let ordered = Ordered(dtype);
    ordered.place_of()
        + &ordered.comparisons()
        + &ordered.differs()
        + "// Whether two elements are equal. What is not a number is equal to nothing.
INLINE u32 is_equal(word a, word b) {
    const word place = place_of(a);
    return is_same(place, place_of(b)) && !differs(place);
}

// Whether an element is the first of its run.
INLINE u32 is_start(GLOBAL const word *sorted, u64 n) {
    return n == 0 || !is_equal(sorted[n - 1u], sorted[n]);
}\n\n"
}

impl Signature for RunCounts {
    fn name(&self) -> String {
        format!("situ_runs_{}", self.ordered().name())
    }

    fn about(&self) -> String {
        "How many runs of equal elements begin in each segment.".into()
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![Parameter::Address(Role::Sorted), Parameter::Address(Role::Totals)];
        all.extend([Parameter::Size, Parameter::Segment]);
        all
    }

    fn pointee(&self, role: Role) -> String {
        if role == Role::Totals { "u64".into() } else { format!("const {}", self.ordered().element()) }
    }

    fn before(&self, _dialect: Dialect) -> String {
        starts(self.dtype) + &SUM_U32.fold(THREADS)
    }

    fn body(&self, _dialect: Dialect) -> String {
        let items = format!("UNROLL for (u32 j = 0; j < {EACH}u; j++)");
        format!(
            "    SHARED u32 counts[{THREADS}];
    const u64 begin = BLOCK_X * segment;
    const u64 end = size - begin < segment ? size : begin + segment;
    EACH_THREAD {{
        u32 count = 0;
        u64 tile = begin;
        for (; end - tile >= {TILE}u; tile += {TILE}u) {{
            {items} count += is_start(sorted, tile + j * {THREADS}u + THREAD_X);
        }}
        for (u64 n = tile + THREAD_X; n < end; n += {THREADS}u) count += is_start(sorted, n);
        counts[THREAD_X] = count;
    }}
    BARRIER();
    fold_sum_u32(counts);
    EACH_THREAD {{
        if (THREAD_X == 0) totals[BLOCK_X] = counts[0];
    }}\n"
        )
    }

    fn is_wide(&self) -> bool {
        true
    }
}

impl RunCounts {
    fn ordered(&self) -> Ordered {
        Ordered(self.dtype)
    }
}
