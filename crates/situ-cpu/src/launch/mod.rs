//! Kernels that users write, in blocks of many work-items at once.
//!
//! No machine code is made. Every instruction of a kernel is carried out for a whole block of work-items before the next one, by
//! the SIMD loops that are there for the op table already. So a kernel computes what arrays compute, in vectors as wide as the
//! processor has, without a compiler; what it costs beyond the vectors is a call for some hundred work-items.
//!
//! * `lower`: a kernel becomes a `plan`, a list of steps over registers. `same` finds what is computed twice; `uses` and `liveness` know what is needed how long;
//!   `packing` knows what a loop needs, `cost` guesses how long it all takes.
//! * `launched`: a launch, as all threads see it. `frame`: a thread's registers and masks.
//! * `run`: steps that compute. Registers whose elements are all the same, or evenly spaced (`linear`), are computed with once,
//!   for all work-items. `fused`, `mixed`, `moves`: loops that ops do not have.
//! * `control`: branches and loops under masks. `pack`: work-items that are left in a loop move closer together.
//! * `memory`, `change` with `add` and `sums`, `exchange`: arrays, atomic changes, sub-groups. `ids`: where work-items are.
//! * `divide`: blocks, and threads for them.

mod add;
mod change;
mod control;
mod cost;
mod divide;
mod exchange;
mod frame;
mod fused;
mod ids;
mod integer;
mod launched;
mod linear;
mod liveness;
mod lower;
mod memory;
mod mixed;
mod moves;
mod pack;
mod packing;
mod plan;
mod run;
mod same;
mod sums;
mod uses;
mod visit;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, Weak};

use situ_hal::Launch;
use situ_ir::kernel::Kernel;

use self::plan::Plan;
use crate::elementwise::{Fork, Machine};
use crate::executor::LONGEST_FAVOUR;
use crate::isa::Isa;

/// Plans that are kept for kernels that are still there.
const KEPT: usize = 256;

/// A kernel's plan for an instruction set.
type Planned = (Weak<Kernel>, Isa, Arc<Plan>);

/// Plans by kernel, the last used first.
static PLANS: Mutex<Vec<Planned>> = Mutex::new(Vec::new());

/// The plan of a kernel, made when it is first asked for.
fn plan(kernel: &Arc<Kernel>, isa: Isa) -> Arc<Plan> {
    let is_it = |(other, for_isa, _): &Planned| std::ptr::eq(other.as_ptr(), Arc::as_ptr(kernel)) && *for_isa == isa;
    let find = || {
        let mut plans = PLANS.lock().ok()?;
        let found = plans.iter().position(is_it)?;
        plans[..=found].rotate_right(1);
        Some(plans[0].2.clone())
    };
    find().unwrap_or_else(|| {
        let plan = Arc::new(lower::lower(kernel, isa));
        if let Ok(mut plans) = PLANS.lock() {
            plans.retain(|(kernel, ..)| kernel.strong_count() > 0);
            plans.truncate(KEPT - 1);
            plans.insert(0, (Arc::downgrade(kernel), isa, plan.clone()));
        }
        plan
    })
}

/// Whether work-items should go no further. Loops ask in every iteration, on all threads.
pub(crate) type Interrupted<'a> = &'a (dyn Fn() -> bool + Sync);

/// A rough estimate, in nanoseconds, of one thread's work: more than anybody does who has to look at other things in between,
/// if nobody knows how long it takes.
pub(crate) fn cost(command: &Launch) -> u64 {
    let plan = plan(&command.kernel, Isa::detected());
    let least = if plan.is_open { LONGEST_FAVOUR + 1 } else { 0 };
    estimated(command, &plan).max(least)
}

fn estimated(command: &Launch, plan: &Plan) -> u64 {
    (command.range.count() as u64).saturating_mul(plan.picoseconds) / 1000
}

/// Runs a kernel until it is over or interrupted.
///
/// # Safety
///
/// Every element that the kernel comes to can be accessed as it does. The processor has the machine's instruction set.
pub(crate) unsafe fn launch(command: &Launch, machine: &Machine, fork: Fork<'_>, is_interrupted: Interrupted<'_>) {
    let plan = plan(&command.kernel, machine.isa);
    // SAFETY: passed on from the caller.
    unsafe { divide::run(command, &plan, estimated(command, &plan), machine, fork, is_interrupted) };
}
