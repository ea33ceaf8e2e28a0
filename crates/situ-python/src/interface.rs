//! `__sycl_usm_array_interface__`, read.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use situ_runtime::{Address, Buffer, Context, Queue};
use situ_types::{DType, Layout, Order};

use crate::args::{shown, type_name};
use crate::array::{Exporter, PyArray};
use crate::context::{PyContext, capsule};
use crate::errors::{Outcome, Raised};
use crate::memory::PyMemory;
use crate::place::queue_of;
use crate::queue::PyQueue;

/// The key under which situ's own objects name the memory object behind the pointer, so that whoever reads the
/// interface shares its order of commands. Other libraries' dictionaries do without it.
pub(crate) const OWNER: &str = "situ_memory";

/// Memory, and an array over it, that some object describes.
pub(crate) struct Described {
    pub(crate) buffer: Buffer,
    /// Bytes from the start of the buffer to the start of the described memory.
    pub(crate) offset: usize,
    pub(crate) nbytes: usize,
    pub(crate) queue: Queue,
    pub(crate) dtype: DType,
    /// Relative to the buffer, in elements.
    pub(crate) layout: Layout,
    pub(crate) readonly: bool,
}

fn invalid(reason: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("__sycl_usm_array_interface__: {reason}"))
}

impl Described {
    /// What the object describes, or `None` if it does not have the interface.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Described>> {
        if let Ok(memory) = object.cast::<PyMemory>() {
            return Self::of_memory(memory.get()).map(Some);
        }
        if let Ok(array) = object.cast::<PyArray>() {
            return Ok(Some(Self::of_tensor(array.get().tensor())?));
        }
        match object.getattr_opt("__sycl_usm_array_interface__")? {
            None => Ok(None),
            Some(interface) => {
                let interface = interface.cast_into::<PyDict>().map_err(|_| invalid("it is not a dictionary"))?;
                Self::of_interface(object, &interface).map(Some)
            }
        }
    }

    fn of_memory(memory: &PyMemory) -> PyResult<Described> {
        let layout = Layout::strided(&[memory.nbytes], &[1], memory.offset as isize).map_err(invalid)?;
        Ok(Described {
            buffer: memory.buffer.clone(),
            offset: memory.offset,
            nbytes: memory.nbytes,
            queue: memory.queue.clone(),
            dtype: DType::U8,
            layout,
            readonly: false,
        })
    }

    fn of_tensor(tensor: &situ_tensor::Tensor) -> Outcome<Described> {
        let size = tensor.dtype().size();
        let (low, high) = tensor.layout().bounds().unwrap_or((0, 0));
        Ok(Described {
            buffer: tensor.contents()?.clone(),
            offset: low as usize * size,
            nbytes: (high - low) as usize * size,
            queue: tensor.queue().clone(),
            dtype: tensor.dtype(),
            layout: tensor.layout().clone(),
            readonly: !tensor.is_writable(),
        })
    }

    fn of_interface(object: &Bound<'_, PyAny>, interface: &Bound<'_, PyDict>) -> PyResult<Described> {
        let entry = |key: &str| interface.get_item(key)?.ok_or_else(|| invalid(format!("{key:?} is missing")));
        let version: i64 = entry("version")?.extract().map_err(|_| invalid("\"version\" is not an integer"))?;
        if version != 1 {
            return Err(invalid(format!("version {version} is unknown; version 1 is supported")));
        }
        let (pointer, flag): (usize, bool) =
            entry("data")?.extract().map_err(|_| invalid("\"data\" is not a pair of pointer and flag"))?;
        let shape: Vec<usize> =
            entry("shape")?.extract().map_err(|_| invalid("\"shape\" is not a tuple of lengths"))?;
        let typestr: String = entry("typestr")?.extract().map_err(|_| invalid("\"typestr\" is not a string"))?;
        let dtype = DType::from_typestr(typestr.trim_start_matches(['|', '<', '=']))
            .ok_or_else(|| invalid(format!("typestr {typestr:?} is not supported")))?;
        let first: isize = match interface.get_item("offset")? {
            Some(offset) if !offset.is_none() => {
                offset.extract().map_err(|_| invalid("\"offset\" is not an integer"))?
            }
            _ => 0,
        };
        let size = dtype.size();
        let dense = Layout::dense(&shape, Order::C).map_err(invalid)?;
        if dense.size() > isize::MAX as usize / size {
            return Err(invalid(format!("an array of shape {shape:?} is larger than can be addressed")));
        }
        let strides: Vec<isize> = match interface.get_item("strides")? {
            Some(strides) if !strides.is_none() => {
                strides.extract().map_err(|_| invalid("\"strides\" is not a tuple"))?
            }
            _ => dense.strides().to_vec(),
        };
        let described = Layout::strided(&shape, &strides, first).map_err(invalid)?;
        let too_far = || invalid("the strides or the offset reach too far");
        let (low, high) = described.bounds().ok_or_else(too_far)?;
        let nbytes = high.checked_sub(low).and_then(|n| n.checked_mul(size as isize)).ok_or_else(too_far)? as usize;
        let start = low.checked_mul(size as isize).and_then(|step| pointer.checked_add_signed(step));
        let start = start.filter(|start| start.checked_add(nbytes).is_some()).ok_or_else(too_far)?;
        let queue = queue_behind(&entry("syclobj")?)?;
        let owner = interface.get_item(OWNER)?.and_then(|owner| owner.cast_into::<PyMemory>().ok());
        let (buffer, offset) = match owner.as_ref().map(|owner| owner.get()) {
            Some(memory) => {
                let base = memory.buffer.address().value();
                let inside = start >= base && start + nbytes <= base + memory.buffer.bytes();
                if !inside || memory.buffer.context() != queue.context() {
                    return Err(not_held(start, nbytes));
                }
                (memory.buffer.clone(), start - base)
            }
            None => (adopt(object, &queue, start, nbytes)?, 0),
        };
        // `first` is at least `low`, and both lie in memory that was found above.
        let position = offset as isize + (first - low) * size as isize;
        if !(position as usize).is_multiple_of(size) {
            return Err(invalid(format!("the memory is not aligned for {dtype}")));
        }
        let layout = Layout::strided(&shape, &strides, position / size as isize).map_err(invalid)?;
        // A memory object's flag says "writable", an array's says "read-only"; only an array has an offset.
        let is_memory = owner.is_some() && interface.get_item("offset")?.is_none();
        let readonly = flag && !is_memory;
        Ok(Described { buffer, offset, nbytes, queue, dtype, layout, readonly })
    }
}

/// Memory of one of our contexts that comes without its owner: order with earlier commands is kept by waiting for
/// its queue.
fn adopt(object: &Bound<'_, PyAny>, queue: &Queue, start: usize, nbytes: usize) -> PyResult<Buffer> {
    let address = Address(start as *mut u8);
    let (kind, pin) = queue.context().pin(address, nbytes).ok_or_else(|| not_held(start, nbytes))?;
    let owner = Box::new(Exporter::new(object, Some(pin))?);
    crate::wait::for_queue(object.py(), queue)?;
    // SAFETY: the range lies in a buffer of this context, which the pin keeps from being freed. The object keeps it from
    // being used for something else.
    Ok(unsafe { Buffer::foreign(queue, kind, address, nbytes, owner) })
}

fn not_held(start: usize, nbytes: usize) -> PyErr {
    invalid(format!(
        "no array or memory object in the context of \"syclobj\" has {nbytes} bytes from {start:#x} on; check the \
         pointer, the shape and the strides, and keep the object alive that the memory belongs to"
    ))
}

/// The queue that a context stands for.
fn home_of(context: &Context) -> PyResult<Queue> {
    Ok(context.cached_queue(&context.devices()[0]).map_err(Raised::from)?)
}

/// The queue a `syclobj` stands for.
fn queue_behind(object: &Bound<'_, PyAny>) -> PyResult<Queue> {
    if let Ok(context) = object.cast::<PyContext>() {
        return home_of(&context.get().0);
    }
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyQueue>() {
        return queue_of(object, "syclobj");
    }
    let capsule = match object.getattr_opt("_get_capsule")? {
        Some(method) => method.call0()?,
        None => object.clone(),
    };
    // A description may be read more than once, so that the capsule in it must not be used up.
    if let Some(queue) = capsule::peek::<Queue>(&capsule) {
        return Ok(queue);
    }
    if let Some(context) = capsule::peek::<Context>(&capsule) {
        return home_of(&context);
    }
    Err(PyTypeError::new_err(format!(
        "__sycl_usm_array_interface__: \"syclobj\" is {} {}, not a selector, queue, context or capsule of one",
        type_name(object),
        shown(object)
    )))
}
