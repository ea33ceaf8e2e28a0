//! Waiting that can be cut short: somebody may say meanwhile that it takes too long.
//!
//! Only the processor's kernels can be ended early, so only waits for them ask. Whatever else is waited for goes on to its end.

use std::sync::OnceLock;
use std::time::Duration;

use situ_types::BackendKind;

use crate::Result;

/// How long a wait goes on before it asks again.
const SLICE: Duration = Duration::from_millis(100);

static ASK: OnceLock<fn() -> bool> = OnceLock::new();

/// Has long waits ask now and then whether kernels that are waited for are to end early. The first one to ask for it is heard.
pub fn ask_while_waiting(ask: fn() -> bool) {
    ASK.get_or_init(|| ask);
}

/// Waits by steps, each of which says whether it is over, and interrupts what is waited for where somebody wants that. Callers hold no
/// lock: whoever is asked may have to wait for somebody who wants it.
pub(crate) fn wait(
    backend: BackendKind,
    mut step: impl FnMut(Option<Duration>) -> Result<bool>,
    interrupt: impl Fn(),
) -> Result<()> {
    let Some(ask) = ASK.get().filter(|_| backend == BackendKind::Native) else {
        return step(None).map(|_| ());
    };
    while !step(Some(SLICE))? {
        if ask() {
            interrupt();
        }
    }
    Ok(())
}
