//! `situ._native.null_faults`: failures on request, for tests on the null device.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use situ_runtime::null::{self, Call, Fault, Faults, Latency};

fn known<T>(found: Option<T>, what: &str, given: &str, names: &[&str]) -> PyResult<T> {
    found.ok_or_else(|| PyValueError::new_err(format!("{what}: {given:?} is not one of {}", names.join(", "))))
}

fn call_named(name: &str) -> PyResult<Call> {
    known(Call::from_name(name), "call", name, &Call::ALL.map(Call::name))
}

/// Makes the nth such call from now fail, once; 1 is the very next.
#[pyfunction]
fn fail(call: &str, nth: u64, fault: &str) -> PyResult<()> {
    let call = call_named(call)?;
    let fault = known(Fault::from_name(fault), "fault", fault, &Fault::ALL.map(Fault::name))?;
    Faults::fail(call, nth, fault);
    Ok(())
}

/// Disarms every fault and forgets the counts; how many armed faults had not fired.
#[pyfunction]
fn reset() -> usize {
    Faults::reset()
}

/// How many such calls there have been since the last reset.
#[pyfunction]
fn count(call: &str) -> PyResult<u64> {
    Ok(Faults::count(call_named(call)?))
}

/// When commands run from now on: "immediate", before submission returns, or "on_wait", when somebody waits.
#[pyfunction]
fn set_latency(latency: &str) -> PyResult<()> {
    let chosen = match latency {
        "immediate" => Some(Latency::Immediate),
        "on_wait" => Some(Latency::OnWait),
        _ => None,
    };
    null::set_latency(known(chosen, "latency", latency, &["immediate", "on_wait"])?);
    Ok(())
}

/// Number and bytes of the blocks that are allocated now.
#[pyfunction]
fn live_allocations() -> (usize, usize) {
    null::live_allocations()
}

/// What was done against the backend's contract, one sentence each.
#[pyfunction]
fn misuse() -> Vec<String> {
    null::misuse()
}

/// Puts the functions into a module of their own.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let faults = PyModule::new(module.py(), "null_faults")?;
    faults.add_function(wrap_pyfunction!(fail, &faults)?)?;
    faults.add_function(wrap_pyfunction!(reset, &faults)?)?;
    faults.add_function(wrap_pyfunction!(count, &faults)?)?;
    faults.add_function(wrap_pyfunction!(set_latency, &faults)?)?;
    faults.add_function(wrap_pyfunction!(live_allocations, &faults)?)?;
    faults.add_function(wrap_pyfunction!(misuse, &faults)?)?;
    module.add_submodule(&faults)
}
