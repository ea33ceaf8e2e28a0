//! What the constructor and the memory operations of `situ.Queue` accept.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyMemoryView, PyString, PyTuple};
use situ_runtime::{Buffer, Queue};
use situ_types::{QueueProperties, UsmKind};

use crate::args::{shown, type_name};
use crate::memory::PyMemory;
use crate::raw_buffer::HostBytes;

const PROFILING: i64 = 1;
const IN_ORDER: i64 = 2;

fn unknown(object: &Bound<'_, PyAny>) -> PyErr {
    PyValueError::new_err(format!(
        "property: {} is not one of 'default', 'in_order', 'enable_profiling', a bit mask of 1 (profiling) and 2 (in \
         order), or a sequence of these",
        shown(object)
    ))
}

fn bits(object: &Bound<'_, PyAny>) -> PyResult<i64> {
    if object.is_instance_of::<PyInt>() {
        let mask: i64 = object.extract().map_err(|_| unknown(object))?;
        return if mask & !(PROFILING | IN_ORDER) == 0 { Ok(mask) } else { Err(unknown(object)) };
    }
    if !object.is_instance_of::<PyString>() {
        return Err(unknown(object));
    }
    match object.extract::<String>()?.as_str() {
        "default" => Ok(0),
        "in_order" => Ok(IN_ORDER),
        "enable_profiling" => Ok(PROFILING),
        _ => Err(unknown(object)),
    }
}

/// The properties of a queue; none without an argument.
pub(super) fn properties(object: Option<&Bound<'_, PyAny>>) -> PyResult<QueueProperties> {
    let bits = match object {
        None => 0,
        Some(several) if several.is_instance_of::<PyList>() || several.is_instance_of::<PyTuple>() => {
            several.try_iter()?.try_fold(0, |all, item| PyResult::Ok(all | bits(&item?)?))?
        }
        Some(one) => bits(one)?,
    };
    Ok(QueueProperties { in_order: bits & IN_ORDER != 0, profiling: bits & PROFILING != 0 })
}

/// One side of a copy.
#[derive(Debug)]
pub(super) struct Side {
    pub(super) buffer: Buffer,
    pub(super) offset: usize,
    pub(super) nbytes: usize,
    /// Whether the host owns the memory, which then has to be kept until a copy is over.
    pub(super) is_host: bool,
}

impl Side {
    /// USM memory, or anything with the buffer protocol.
    pub(super) fn of(queue: &Queue, object: &Bound<'_, PyAny>, what: &str, writes: bool) -> PyResult<Side> {
        if let Ok(memory) = object.cast::<PyMemory>() {
            return Ok(Side::usm(memory.get()));
        }
        if PyMemoryView::from(object).is_err() {
            return Err(PyTypeError::new_err(format!(
                "{what}: expected USM memory (MemoryUSMDevice, MemoryUSMShared or MemoryUSMHost) or an object with the \
                 buffer protocol, got {}",
                type_name(object)
            )));
        }
        let host = HostBytes::of(object, what)?;
        if writes && !host.writable {
            return Err(PyTypeError::new_err(format!("{what}: the {} is read-only", type_name(object))));
        }
        let (address, nbytes) = (situ_runtime::Address(host.pointer), host.len);
        // SAFETY: `host`, the owner, keeps the object's buffer exported and so its memory in place; that the host
        // does not touch it during a copy is what the user of an asynchronous copy promises.
        let buffer = unsafe { Buffer::foreign(queue, UsmKind::Host, address, nbytes, Box::new(host)) };
        Ok(Side { buffer, offset: 0, nbytes, is_host: true })
    }

    /// USM memory only.
    pub(super) fn of_usm(object: &Bound<'_, PyAny>) -> PyResult<Side> {
        let memory = object.cast::<PyMemory>().map_err(|_| {
            PyTypeError::new_err(format!("mem: expected MemoryUSMDevice, Shared or Host, got {}", type_name(object)))
        })?;
        Ok(Side::usm(memory.get()))
    }

    fn usm(memory: &PyMemory) -> Side {
        let PyMemory { buffer, offset, nbytes, .. } = memory;
        Side { buffer: buffer.clone(), offset: *offset, nbytes: *nbytes, is_host: false }
    }

    /// An error unless that many bytes are there.
    pub(super) fn must_hold(&self, what: &str, bytes: usize) -> PyResult<()> {
        if bytes <= self.nbytes {
            return Ok(());
        }
        let held = self.nbytes;
        Err(PyValueError::new_err(format!("count: {bytes} bytes are more than the {held} bytes of {what}")))
    }

    /// How many bytes a hint covers: all of them where the count is 0 or more than there are.
    pub(super) fn covered(&self, count: i64) -> PyResult<usize> {
        let negative = |_| PyValueError::new_err(format!("count: {count} is negative; 0 stands for all bytes"));
        let count = usize::try_from(count).map_err(negative)?;
        Ok(if count == 0 { self.nbytes } else { count.min(self.nbytes) })
    }
}

/// The bytes of a fill pattern: bytes themselves, or one byte given as a number.
pub(super) fn pattern(object: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if object.is_instance_of::<PyInt>() {
        return Ok(vec![object.extract().map_err(|_| {
            PyValueError::new_err(format!("pattern: {} is not a byte; pass wider values as bytes", shown(object)))
        })?]);
    }
    let host = HostBytes::of(object, "pattern")?;
    if !matches!(host.len, 1 | 2 | 4 | 8 | 16) {
        let width = host.len;
        return Err(PyValueError::new_err(format!("pattern: it has 1, 2, 4, 8 or 16 bytes, not {width}")));
    }
    // SAFETY: `host` keeps that many bytes readable while they are copied, GIL held.
    Ok(unsafe { std::slice::from_raw_parts(host.pointer, host.len) }.to_vec())
}
