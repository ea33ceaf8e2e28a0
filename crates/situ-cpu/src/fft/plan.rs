//! How sequences of a length are transformed.

use std::fmt;
use std::sync::Arc;

use num_complex::Complex;
use parking_lot::Mutex;
use rustfft::{FftDirection, FftNum, FftPlanner, FftPlannerScalar};
use situ_hal::{Fft, FftKind};

use super::roots::Roots;
use crate::isa::Isa;

/// A few sequences of at least so many bytes are divided into shorter ones, so that all threads can work on one sequence.
const LONG: usize = 1 << 20;

/// The same for many sequences, of which each thread has its own: only what is far larger than a core's cache gains by it.
const VERY_LONG: usize = 1 << 23;

/// So many sequences are many, however many threads there are: their number does not change a bit of the results.
const MANY: usize = 4;

/// A long sequence is left whole if it has no divisor from here to its square root: the parts would be too different.
const SHORTEST_PART: usize = 32;

/// Plans that are kept.
const MOST_PLANS: usize = 64;

/// Numbers that kept plans have between them, at most: each has about one complex number for each point.
const MOST_POINTS: usize = 1 << 21;

/// The numbers that sequences are made of.
pub(super) trait Real: FftNum {
    /// The nearest one.
    fn of(number: f64) -> Self;
    /// The plans for it that are kept, the one that was used last at the end.
    fn plans() -> &'static Mutex<Vec<Arc<Plan<Self>>>>;
}

macro_rules! real {
    ($($type:ty)*) => {$(
        impl Real for $type {
            fn of(number: f64) -> Self {
                number as $type
            }

            fn plans() -> &'static Mutex<Vec<Arc<Plan<Self>>>> {
                static PLANS: Mutex<Vec<Arc<Plan<$type>>>> = Mutex::new(Vec::new());
                &PLANS
            }
        }
    )*};
}
real! { f32 f64 }

pub(super) type Short<T> = Arc<dyn rustfft::Fft<T>>;

/// How sequences of some length and kind are transformed.
pub(super) struct Plan<T> {
    kind: FftKind,
    length: usize,
    isa: Isa,
    is_one_of_many: bool,
    /// How many complex numbers are transformed: half as many as real ones, where those come in pairs.
    pub(super) points: usize,
    /// Real numbers come in pairs.
    pub(super) is_half: bool,
    /// The transform of the complex numbers.
    pub(super) core: Core<T>,
    /// Powers of the length's root, for sequences of half as many numbers.
    pub(super) roots: Roots,
    /// The first of these powers, up to a quarter of the length; none if the sequence is divided.
    pub(super) first_roots: Vec<Complex<T>>,
}

pub(super) enum Core<T> {
    Whole(Short<T>),
    Split(Split<T>),
}

/// A sequence as rows of a matrix: its columns are transformed, multiplied by roots, and then its rows.
pub(super) struct Split<T> {
    /// Transforms a column; there are as many rows as it is long.
    pub(super) column: Short<T>,
    /// Transforms a row; there are as many columns as it is long.
    pub(super) row: Short<T>,
    /// Powers of the root that belongs to the whole sequence.
    pub(super) roots: Roots,
}

impl<T> fmt::Debug for Plan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {} by {}", self.kind, self.length, self.isa.name())
    }
}

impl<T: Real> Plan<T> {
    /// The plan for a command, if it is kept or there is memory to make it.
    ///
    /// rustfft does not ask before it takes memory, and ends the process where there is none.
    pub(super) fn if_there_is_room(command: &Fft, isa: Isa) -> Option<Arc<Plan<T>>> {
        if let Some(plan) = Plan::kept(command, isa) {
            return Some(plan);
        }
        let lengths = Parts::of::<T>(command.kind, command.length, command.count() >= MANY).lengths();
        let bytes =
            lengths.into_iter().try_fold(0usize, |sum, length| sum.checked_add(planning_bytes::<T>(length)?))?;
        // Given back before the plan is made, which takes it again.
        let is_there = Vec::<u8>::new().try_reserve_exact(bytes).is_ok();
        is_there.then(|| Plan::of(command, isa))
    }

    /// The plan for a command, if it is kept.
    fn kept(command: &Fft, isa: Isa) -> Option<Arc<Plan<T>>> {
        let Fft { kind, length, .. } = *command;
        let is_one_of_many = command.count() >= MANY;
        let mut plans = T::plans().lock();
        let at = plans.iter().rposition(|plan| {
            plan.length == length && plan.kind == kind && plan.isa == isa && plan.is_one_of_many == is_one_of_many
        })?;
        plans[at..].rotate_left(1);
        plans.last().cloned()
    }

    /// The plan for a command.
    pub(super) fn of(command: &Fft, isa: Isa) -> Arc<Plan<T>> {
        if let Some(plan) = Plan::kept(command, isa) {
            return plan;
        }
        let Fft { kind, length, .. } = *command;
        let is_one_of_many = command.count() >= MANY;
        // Without the lock, because it may take as long as some transforms.
        let plan = Arc::new(Plan::new(kind, length, isa, is_one_of_many));
        let mut plans = T::plans().lock();
        plans.push(plan.clone());
        while plans.len() > MOST_PLANS
            || plans.len() > 1 && plans.iter().map(|plan| plan.kept_points()).sum::<usize>() > MOST_POINTS
        {
            plans.remove(0);
        }
        plan
    }

    fn new(kind: FftKind, length: usize, isa: Isa, is_one_of_many: bool) -> Plan<T> {
        let is_inverse = kind.is_inverse();
        let Parts { points, is_half, divided } = Parts::of::<T>(kind, length, is_one_of_many);
        let direction = if is_inverse { FftDirection::Inverse } else { FftDirection::Forward };
        let mut planner = Planner::new(isa);
        let core = match divided {
            None => Core::Whole(planner.plan(points, direction)),
            Some([rows, columns]) => Core::Split(Split {
                column: planner.plan(rows, direction),
                row: planner.plan(columns, direction),
                roots: Roots::new(points, is_inverse),
            }),
        };
        let roots = Roots::new(if is_half { length } else { 1 }, is_inverse);
        let is_short = is_half && matches!(core, Core::Whole(_));
        let mut first_roots = vec![Complex::new(T::zero(), T::zero()); if is_short { points / 2 + 1 } else { 0 }];
        roots.run(0, &mut first_roots);
        Plan { kind, length, isa, is_one_of_many, points, is_half, core, roots, first_roots }
    }

    fn kept_points(&self) -> usize {
        match &self.core {
            Core::Whole(_) => self.points,
            Core::Split(split) => split.row.len() + split.column.len(),
        }
    }

    /// Complex numbers of scratch memory that a transform of the core, or of a part of it, needs.
    pub(super) fn core_scratch(&self) -> usize {
        match &self.core {
            Core::Whole(short) => short.get_inplace_scratch_len(),
            Core::Split(split) => split.column.get_inplace_scratch_len().max(split.row.get_inplace_scratch_len()),
        }
    }
}

/// What is left of a sequence to be transformed, and how it is divided.
#[derive(Clone, Copy)]
struct Parts {
    points: usize,
    is_half: bool,
    /// Rows and columns.
    divided: Option<[usize; 2]>,
}

impl Parts {
    fn of<T>(kind: FftKind, length: usize, is_one_of_many: bool) -> Parts {
        let is_real = kind.is_from_real() || kind == FftKind::RealInverse;
        let is_half = is_real && length.is_multiple_of(2);
        let points = if is_half { length / 2 } else { length };
        let long = if is_one_of_many { VERY_LONG } else { LONG } / size_of::<Complex<T>>();
        let is_divisible = points >= long && (is_half || !is_real);
        Parts { points, is_half, divided: Some(points).filter(|_| is_divisible).and_then(divided) }
    }

    /// Of the sequences that the library plans.
    fn lengths(self) -> [usize; 2] {
        self.divided.unwrap_or([self.points, 0])
    }
}

/// Sequences of so many elements have plans of which nobody would notice the memory.
const SHORT: usize = 1 << 14;

/// Bytes that are taken while a sequence is planned, rather too many than too few; `None` if they cannot be counted.
fn planning_bytes<T>(length: usize) -> Option<usize> {
    if length <= SHORT {
        return Some(0);
    }
    // Other prime factors are transformed by way of sequences several times as long. A million took 430 MB.
    let numbers = if has_small_factors(length) { 8 } else { 64 };
    length.checked_mul(numbers * size_of::<T>())
}

/// Whether a length is a product of primes that the library has transforms of.
pub(super) fn has_small_factors(length: usize) -> bool {
    let rest = [2, 3, 5, 7, 11].into_iter().fold(length.max(1), |mut rest, factor| {
        while rest.is_multiple_of(factor) {
            rest /= factor;
        }
        rest
    });
    rest == 1
}

/// Rows and columns of a matrix that a long sequence becomes.
fn divided(points: usize) -> Option<[usize; 2]> {
    let rows = (SHORTEST_PART..=points.isqrt()).rev().find(|&rows| points.is_multiple_of(rows))?;
    Some([rows, points / rows])
}

/// rustfft's planner: with AVX and FMA where the instruction set allows them, else in plain Rust.
enum Planner<T: FftNum> {
    Best(FftPlanner<T>),
    Plain(FftPlannerScalar<T>),
}

impl<T: FftNum> Planner<T> {
    fn new(isa: Isa) -> Planner<T> {
        match isa {
            Isa::Baseline if cfg!(target_arch = "x86_64") => Planner::Plain(FftPlannerScalar::new()),
            _ => Planner::Best(FftPlanner::new()),
        }
    }

    fn plan(&mut self, length: usize, direction: FftDirection) -> Short<T> {
        match self {
            Planner::Best(planner) => planner.plan_fft(length, direction),
            Planner::Plain(planner) => planner.plan_fft(length, direction),
        }
    }
}
