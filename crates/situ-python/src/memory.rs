//! `situ.memory`: USM allocations as Python objects.

use pyo3::PyTraverseError;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use situ_runtime::{Access, Buffer, Queue};
use situ_types::UsmKind;

use crate::args::{numpy, shown, type_name, usm_kind};
use crate::array::{Exporter, Keeper};
use crate::context::PyContext;
use crate::device::PyDevice;
use crate::errors::{Outcome, Raised};
use crate::interface::Described;
use crate::place::{context_of, default_queue};
use crate::queue::PyQueue;
use crate::raw_buffer::{HostBytes, exporter_class};

/// What pickle keeps: the function that restores, and its arguments.
type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyBytes>, &'static str));

/// A piece of USM memory. The three public classes in `situ.memory` derive from this.
#[pyclass(name = "Memory", module = "situ._native", frozen, subclass)]
#[derive(Debug)]
pub(crate) struct PyMemory {
    pub(crate) buffer: Buffer,
    pub(crate) offset: usize,
    pub(crate) nbytes: usize,
    pub(crate) queue: Queue,
    keeper: Option<Py<Keeper>>,
    /// The object this is a view of.
    reference: Option<Py<PyAny>>,
}

impl PyMemory {
    /// A view of part of a buffer.
    pub(crate) fn view(buffer: Buffer, offset: usize, nbytes: usize, queue: Queue, of: Option<Py<PyAny>>) -> PyMemory {
        let keeper = Exporter::keeper(&buffer);
        PyMemory { buffer, offset, nbytes, queue, keeper, reference: of }
    }

    fn pointer_value(&self) -> usize {
        self.buffer.publish().value() + self.offset
    }

    fn copy_out(&self, py: Python<'_>, pointer: usize) -> PyResult<()> {
        let done: Outcome<()> = py.detach(|| {
            // SAFETY: every caller passes at least `nbytes` writable bytes that it keeps alive past the wait below.
            let copy =
                unsafe { self.queue.copy_to_host(pointer as *mut u8, &self.buffer, self.offset, self.nbytes, &[]) };
            Ok(copy?.wait()?)
        });
        Ok(done?)
    }

    fn copy_in(&self, py: Python<'_>, host: &HostBytes) -> PyResult<()> {
        let done: Outcome<()> = py.detach(|| {
            // SAFETY: `host` keeps its bytes alive, and the copy is waited for.
            let copy = unsafe { self.queue.copy_from_host(&self.buffer, self.offset, host.pointer, host.len, &[]) };
            Ok(copy?.wait()?)
        });
        Ok(done?)
    }
}

/// The public class for a kind of memory.
pub(crate) fn class_of<'py>(py: Python<'py>, kind: UsmKind) -> PyResult<Bound<'py, PyAny>> {
    let name = match kind {
        UsmKind::Device => "MemoryUSMDevice",
        UsmKind::Shared => "MemoryUSMShared",
        UsmKind::Host => "MemoryUSMHost",
    };
    py.import("situ.memory")?.getattr(name)
}

/// The source of a copy that a constructor makes: a view of other memory, handed through Python's constructor.
#[pyclass(name = "_View", module = "situ._native", frozen)]
#[derive(Debug)]
pub(crate) struct PyView(pub(crate) Buffer, pub(crate) usize, pub(crate) usize, pub(crate) Queue, pub(crate) Py<PyAny>);

/// A memory object of the public class for the buffer's kind.
pub(crate) fn memory_object<'py>(
    py: Python<'py>,
    buffer: &Buffer,
    offset: usize,
    nbytes: usize,
    queue: &Queue,
    of: Py<PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let view = PyView(buffer.clone(), offset, nbytes, queue.clone(), of);
    class_of(py, buffer.kind())?.call1((view,))
}

#[pymethods]
impl PyMemory {
    #[new]
    #[classmethod]
    #[pyo3(signature = (source, /, *, alignment=0, queue=None, copy=false))]
    fn new(
        class: &Bound<'_, PyType>,
        source: &Bound<'_, PyAny>,
        alignment: isize,
        queue: Option<&Bound<'_, PyAny>>,
        copy: bool,
    ) -> PyResult<PyMemory> {
        let py = class.py();
        let kind = usm_kind(&class.getattr("_usm_kind")?)?;
        if let Ok(view) = source.cast::<PyView>() {
            let PyView(buffer, offset, nbytes, queue, of) = view.get();
            return Ok(PyMemory::view(buffer.clone(), *offset, *nbytes, queue.clone(), Some(of.clone_ref(py))));
        }
        let queue = match queue {
            None => None,
            Some(object) => Some(
                object
                    .cast::<PyQueue>()
                    .map_err(|_| PyTypeError::new_err(format!("queue: expected a Queue, got {}", type_name(object))))?
                    .get()
                    .0
                    .clone(),
            ),
        };
        let Some(described) = Described::of(source)? else {
            // Integers of NumPy are sizes, too.
            if source.hasattr("__index__")? {
                return allocate(py, source, alignment, kind, queue);
            }
            return Err(PyValueError::new_err(format!(
                "expected a size in bytes or an object with __sycl_usm_array_interface__, got {} {}",
                type_name(source),
                shown(source)
            )));
        };
        let target = queue.unwrap_or_else(|| described.queue.clone());
        if !copy {
            if described.buffer.kind() != kind {
                return Err(PyValueError::new_err(format!(
                    "the memory is of kind {:?}, not {:?}; pass copy=True for a copy of the other kind",
                    described.buffer.kind().name(),
                    kind.name()
                )));
            }
            if *target.context() == *described.queue.context() {
                let Described { buffer, offset, nbytes, .. } = described;
                // The memory of a memory object is shared with it, and needs nobody else to stay.
                let owner = (!source.is_instance_of::<PyMemory>()).then(|| source.clone().unbind());
                return Ok(PyMemory::view(buffer, offset, nbytes, target, owner));
            }
        }
        let made: Outcome<PyMemory> = py.detach(|| {
            let nbytes = described.nbytes;
            let buffer = Buffer::allocate(&target, kind, nbytes.max(1), 0)?;
            target.transfer(&buffer, 0, &described.queue, &described.buffer, described.offset, nbytes)?;
            Ok(PyMemory::view(buffer, 0, nbytes, target, None))
        });
        Ok(made?)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.keeper)?;
        visit.call(&self.reference)
    }

    /// Its size in bytes.
    #[getter]
    fn nbytes(&self) -> usize {
        self.nbytes
    }

    /// Its size in bytes.
    #[getter]
    fn size(&self) -> usize {
        self.nbytes
    }

    fn __len__(&self) -> usize {
        self.nbytes
    }

    fn __sizeof__(&self) -> usize {
        self.nbytes
    }

    /// The queue its operations are submitted to.
    #[getter]
    fn sycl_queue(&self) -> PyQueue {
        PyQueue(self.queue.clone())
    }

    /// The device it was allocated for.
    #[getter]
    fn sycl_device(&self) -> PyDevice {
        PyDevice(self.queue.device().clone())
    }

    /// The context it belongs to.
    #[getter]
    fn sycl_context(&self) -> PyContext {
        PyContext(self.queue.context().clone())
    }

    #[getter]
    fn _queue(&self) -> PyQueue {
        self.sycl_queue()
    }

    #[getter]
    fn _context(&self) -> PyContext {
        self.sycl_context()
    }

    /// The address of its first byte.
    #[getter]
    fn _pointer(&self) -> usize {
        self.pointer_value()
    }

    /// The object this is a view of, or None.
    #[getter]
    fn reference_obj(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.reference.as_ref().map(|object| object.clone_ref(py))
    }

    /// 'device', 'shared' or 'host', as seen from its own or another context; 'unknown' from an unrelated one.
    #[pyo3(signature = (syclobj=None))]
    fn get_usm_type(&self, syclobj: Option<&Bound<'_, PyAny>>) -> PyResult<&'static str> {
        match syclobj {
            Some(object) if context_of(object)? != *self.buffer.context() => Ok("unknown"),
            _ => Ok(self.buffer.kind().name()),
        }
    }

    /// `get_usm_type` as dpctl numbers it: unknown 0, device 1, shared 2, host 3.
    #[pyo3(signature = (syclobj=None))]
    fn get_usm_type_enum(&self, syclobj: Option<&Bound<'_, PyAny>>) -> PyResult<u8> {
        Ok(match self.get_usm_type(syclobj)? {
            "device" => 1,
            "shared" => 2,
            "host" => 3,
            _ => 0,
        })
    }

    /// Copies everything to host memory: into a writable buffer of bytes, or a new uint8 NumPy array. Returns it.
    #[pyo3(signature = (obj=None))]
    fn copy_to_host<'py>(&self, py: Python<'py>, obj: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let target = match obj {
            Some(object) => object,
            None => numpy(py)?.call_method1("empty", (self.nbytes, "u1"))?,
        };
        let host = HostBytes::of(&target, "obj")?;
        if !host.writable {
            return Err(PyValueError::new_err("obj: the buffer is read-only"));
        }
        if host.len < self.nbytes {
            let need = self.nbytes;
            return Err(PyValueError::new_err(format!("obj: the buffer holds {} bytes, {need} are needed", host.len)));
        }
        self.copy_out(py, host.pointer as usize)?;
        Ok(target)
    }

    /// Copies host memory to the beginning of this one.
    fn copy_from_host(&self, py: Python<'_>, obj: &Bound<'_, PyAny>) -> PyResult<()> {
        let host = HostBytes::of(obj, "obj")?;
        self.must_hold("obj", host.len)?;
        self.copy_in(py, &host)
    }

    /// Copies other USM memory to the beginning of this one: directly inside one context, else by way of the host.
    fn copy_from_device(&self, py: Python<'_>, sycl_usm_ary: &Bound<'_, PyAny>) -> PyResult<()> {
        let source = Described::of(sycl_usm_ary)?.ok_or_else(|| {
            PyValueError::new_err(format!(
                "expected an object with __sycl_usm_array_interface__, got {}",
                type_name(sycl_usm_ary)
            ))
        })?;
        self.must_hold("sycl_usm_ary", source.nbytes)?;
        let done: Outcome<()> = py.detach(|| {
            let Described { queue, buffer, offset, nbytes, .. } = &source;
            self.queue.transfer(&self.buffer, self.offset, queue, buffer, *offset, *nbytes)?;
            Ok(self.buffer.wait_before(Access::Read)?)
        });
        Ok(done?)
    }

    /// Sets every byte to a value.
    #[pyo3(signature = (val=0))]
    fn memset(&self, py: Python<'_>, val: u8) -> PyResult<()> {
        let event = py.detach(|| self.queue.fill(&self.buffer, self.offset, &[val], self.nbytes, &[]));
        crate::wait::for_event(py, &event.map_err(Raised::from)?)
    }

    /// A copy as a bytes object.
    fn tobytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        PyBytes::new_with(py, self.nbytes, |bytes| self.copy_out(py, bytes.as_mut_ptr() as usize))
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.tobytes(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let restore = py.import("situ.memory")?.getattr("_restore")?;
        Ok((restore, (self.tobytes(py)?, self.buffer.kind().name())))
    }

    /// What another library needs to use this memory without a copy.
    #[getter]
    fn __sycl_usm_array_interface__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let this = slf.get();
        let interface = PyDict::new(slf.py());
        interface.set_item("data", (this.pointer_value(), true))?;
        interface.set_item("shape", (this.nbytes,))?;
        interface.set_item("strides", slf.py().None())?;
        interface.set_item("typestr", "|u1")?;
        interface.set_item("version", 1)?;
        interface.set_item("syclobj", this.sycl_queue())?;
        interface.set_item(crate::interface::OWNER, slf)?;
        Ok(interface)
    }

    fn __repr__(&self) -> String {
        let kind = self.buffer.kind();
        format!("<situ USM-{kind} allocation of {} bytes at {:#x}>", self.nbytes, self.pointer_value())
    }
}

impl PyMemory {
    /// Address, length and whether it may only be read, for the buffer protocol, once no command touches the memory any
    /// more.
    pub(crate) fn host_view(&self, py: Python<'_>) -> PyResult<(usize, usize, bool)> {
        let kind = self.buffer.kind();
        if !self.buffer.context().host_reaches(kind) {
            return Err(PyBufferError::new_err(format!(
                "{kind} memory of {} is out of the host's reach; copy it with copy_to_host() or tobytes()",
                self.buffer.device().label()
            )));
        }
        py.detach(|| self.buffer.settle()).map_err(Raised::from)?;
        Ok((self.pointer_value(), self.nbytes, self.buffer.is_read_only()))
    }

    fn must_hold(&self, what: &str, bytes: usize) -> PyResult<()> {
        if bytes <= self.nbytes {
            return Ok(());
        }
        Err(PyValueError::new_err(format!("{what}: {bytes} bytes do not fit in an allocation of {}", self.nbytes)))
    }
}

fn allocate(
    py: Python<'_>,
    size: &Bound<'_, PyAny>,
    alignment: isize,
    kind: UsmKind,
    queue: Option<Queue>,
) -> PyResult<PyMemory> {
    let bytes: i128 = size.extract().map_err(|_| PyValueError::new_err("the number of bytes is too large"))?;
    if bytes <= 0 {
        return Err(PyValueError::new_err(format!("the number of bytes must be positive, got {bytes}")));
    }
    let bytes = usize::try_from(bytes)
        .ok()
        .filter(|&bytes| bytes <= isize::MAX as usize)
        .ok_or_else(|| PyValueError::new_err(format!("{bytes} bytes are more than can be addressed")))?;
    let queue = match queue {
        Some(queue) => queue,
        None => default_queue(Some(py))?,
    };
    let made: Outcome<PyMemory> = py.detach(|| {
        let buffer = Buffer::allocate(&queue, kind, bytes, alignment.max(0) as usize)?;
        Ok(PyMemory::view(buffer, 0, bytes, queue, None))
    });
    Ok(made?)
}

/// Puts the classes into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyMemory>()?;
    module.add_class::<PyView>()?;
    module.add("BufferExporter", exporter_class(module.py())?)
}
