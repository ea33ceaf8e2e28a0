//! The memory operations of `situ.Queue`, each of which its synchronous form waits for.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use situ_runtime::{Event, Route};

use super::PyQueue;
use super::arguments::Side;
use crate::errors::Outcome;
use crate::event::{Held, PyEvent, events};

/// The events of a `dEvents` argument.
pub(super) fn after(object: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Event>> {
    object.map_or(Ok(Vec::new()), |object| events(object, "dEvents"))
}

impl PyQueue {
    pub(super) fn copy_bytes(
        &self,
        dest: &Bound<'_, PyAny>,
        src: &Bound<'_, PyAny>,
        count: usize,
        after: &[Event],
    ) -> PyResult<PyEvent> {
        let (to, from) = (Side::of(&self.0, dest, "dest", true)?, Side::of(&self.0, src, "src", false)?);
        to.must_hold("dest", count)?;
        from.must_hold("src", count)?;
        let event: Outcome<Event> =
            dest.py().detach(|| Ok(self.0.copy(&to.buffer, to.offset, &from.buffer, from.offset, count, after)?));
        let event = event?;
        match (to.is_host, from.is_host) {
            (false, true) => self.0.count_transfer(Route::FromHost, count),
            (true, false) => self.0.count_transfer(Route::ToHost, count),
            _ => {}
        }
        let hosts: Vec<_> = [to, from].into_iter().filter(|side| side.is_host).map(|side| side.buffer).collect();
        if hosts.is_empty() || event.status().is_over() {
            return Ok(event.into());
        }
        Ok(PyEvent::holding(event.clone(), Held::new(vec![event], hosts, Vec::new())))
    }

    pub(super) fn fill_pattern(
        &self,
        mem: &Bound<'_, PyAny>,
        pattern: &[u8],
        count: usize,
        after: &[Event],
    ) -> PyResult<PyEvent> {
        let side = Side::of_usm(mem)?;
        let bytes = pattern.len().checked_mul(count);
        side.must_hold("mem", bytes.ok_or_else(|| PyValueError::new_err("count: the range is too large"))?)?;
        let event: Outcome<Event> =
            mem.py().detach(|| Ok(self.0.fill(&side.buffer, side.offset, pattern, count, after)?));
        Ok(event?.into())
    }

    pub(super) fn hint_prefetch(&self, mem: &Bound<'_, PyAny>, count: i64, after: &[Event]) -> PyResult<PyEvent> {
        let side = Side::of_usm(mem)?;
        // The runtime's hints begin with the allocation; covering what lies before the view does no harm.
        let bytes = side.offset + side.covered(count)?;
        let event: Outcome<Event> = mem.py().detach(|| Ok(self.0.prefetch(&side.buffer, bytes, after)?));
        Ok(event?.into())
    }

    pub(super) fn hint_advice(
        &self,
        mem: &Bound<'_, PyAny>,
        count: i64,
        advice: i32,
        after: &[Event],
    ) -> PyResult<PyEvent> {
        let side = Side::of_usm(mem)?;
        let bytes = side.offset + side.covered(count)?;
        let event: Outcome<Event> = mem.py().detach(|| Ok(self.0.mem_advise(&side.buffer, bytes, advice, after)?));
        Ok(event?.into())
    }
}
