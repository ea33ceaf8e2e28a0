//! Waits that can be interrupted: by Ctrl-C, for one, of which only the bindings know.
//!
//! Only the processor's kernels can be ended early, so only waits for them ask. Whatever else is waited for goes on to its end.

use std::sync::OnceLock;
use std::time::Duration;

use situ_types::BackendKind;

use crate::Result;

/// How long a wait goes on before it asks again.
const SLICE: Duration = Duration::from_millis(100);

static IS_INTERRUPTED: OnceLock<fn() -> bool> = OnceLock::new();

/// Sets the function that long waits call ten times a second, to know whether kernels that are waited for are to end early. It can be set
/// once.
pub fn set_interrupt_check(is_interrupted: fn() -> bool) {
    IS_INTERRUPTED.get_or_init(|| is_interrupted);
}

/// Waits by steps, each of which says whether it is over, and interrupts what is waited for where somebody wants that. Callers hold no
/// lock: the check may have to wait for somebody who wants it.
pub(crate) fn wait(
    backend: BackendKind,
    mut step: impl FnMut(Option<Duration>) -> Result<bool>,
    interrupt: impl Fn(),
) -> Result<()> {
    let Some(is_interrupted) = IS_INTERRUPTED.get().filter(|_| backend == BackendKind::Native) else {
        return step(None).map(|_| ());
    };
    while !step(Some(SLICE))? {
        if is_interrupted() {
            interrupt();
        }
    }
    Ok(())
}
