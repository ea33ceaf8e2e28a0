//! The one table from error kinds to Python exceptions.

use pyo3::create_exception;
use pyo3::exceptions::{
    PyException, PyIndexError, PyMemoryError, PyOverflowError, PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use situ_types::ErrorKind;

/// An exception with a docstring: a sentence and an example.
macro_rules! exception {
    ($name:ident, $base:ident, $doc:literal, $example:literal) => {
        exception!(situ, $name, $base, $doc, $example);
    };
    ($module:expr, $name:ident, $base:ident, $doc:literal, $example:literal) => {
        create_exception!($module, $name, $base, concat!($doc, "\n\n>>> import situ\n", $example));
    };
}
exception!(
    DeviceCreationError,
    PyException,
    "No device fits the request.",
    ">>> situ.Device(\"nothing\")\n\
     Traceback (most recent call last):\n\
     situ.DeviceCreationError: ..."
);
exception!(
    SubDeviceCreationError,
    PyException,
    "A device cannot be split as asked.",
    ">>> situ.Device(\"cpu\").create_sub_devices(partition=[10**6])\n\
     Traceback (most recent call last):\n\
     situ.SubDeviceCreationError: ..."
);
exception!(
    ContextCreationError,
    PyException,
    "A context cannot be created.",
    ">>> situ.Context(\"nothing\")\n\
     Traceback (most recent call last):\n\
     situ.ContextCreationError: ..."
);
exception!(
    QueueCreationError,
    PyException,
    "A queue cannot be created.",
    ">>> situ.Queue(\"nothing\")\n\
     Traceback (most recent call last):\n\
     situ.QueueCreationError: ..."
);
exception!(
    DeviceError,
    PyException,
    "A device or its driver failed.",
    ">>> try:\n\
     ...     situ.Queue(\"cpu\").wait()\n\
     ... except situ.DeviceError as error:\n\
     ...     print(\"the device failed:\", error)"
);
exception!(
    ExecutionPlacementError,
    PyValueError,
    "Where to compute is ambiguous.",
    ">>> x = situ.tensor.ones(3, device=\"cpu\")\n\
     >>> x + x.to_device(situ.Queue(\"cpu\"))\n\
     Traceback (most recent call last):\n\
     situ.ExecutionPlacementError: add: the operands are on different queues, ..."
);
exception!(
    USMAllocationError,
    PyMemoryError,
    "USM memory could not be allocated.",
    ">>> situ.tensor.empty(2**50)\n\
     Traceback (most recent call last):\n\
     situ.USMAllocationError: ..."
);

exception!(
    situ.kernels,
    KernelCompileError,
    PyTypeError,
    "A function cannot be made a kernel. The message says where, and what is supported instead.",
    ">>> @situ.kernels.kernel\n\
     ... def f(x):\n\
     ...     x[0] = [1]\n\
     >>> f(situ.tensor.ones(3))\n\
     Traceback (most recent call last):\n\
     situ.kernels.KernelCompileError: ..."
);
exception!(
    situ.kernels,
    KernelFault,
    PyRuntimeError,
    "A kernel with `debug=True` has found an index outside of an array, a division by zero or a barrier that not all \
     work-items reach.",
    ">>> @situ.kernels.kernel(debug=True)\n\
     ... def f(x):\n\
     ...     x[situ.kernels.get_global_id(0) + 1] = 0\n\
     >>> f(situ.tensor.ones(3))\n\
     Traceback (most recent call last):\n\
     situ.kernels.KernelFault: ..."
);

/// An error of any layer on its way to Python.
#[derive(Debug)]
pub(crate) struct Raised(ErrorKind, String);

impl From<situ_runtime::Error> for Raised {
    fn from(error: situ_runtime::Error) -> Self {
        Raised(error.kind(), error.to_string())
    }
}

impl From<situ_tensor::Error> for Raised {
    fn from(error: situ_tensor::Error) -> Self {
        Raised(error.kind(), error.to_string())
    }
}

impl Raised {
    /// The same error under another heading, where the inventory's rules ask for one.
    pub(crate) fn into_kind(self, kind: ErrorKind) -> Raised {
        Raised(kind, self.1)
    }

    pub(crate) fn kind(&self) -> ErrorKind {
        self.0
    }
}

impl From<Raised> for PyErr {
    fn from(Raised(kind, message): Raised) -> PyErr {
        match kind {
            ErrorKind::Value => PyValueError::new_err(message),
            ErrorKind::Type => PyTypeError::new_err(message),
            ErrorKind::Index => PyIndexError::new_err(message),
            ErrorKind::Axis => Python::attach(|py| axis_error(py, message)),
            ErrorKind::Overflow => PyOverflowError::new_err(message),
            ErrorKind::Memory => USMAllocationError::new_err(message),
            ErrorKind::Placement => ExecutionPlacementError::new_err(message),
            ErrorKind::DeviceCreation => DeviceCreationError::new_err(message),
            ErrorKind::SubDeviceCreation => SubDeviceCreationError::new_err(message),
            ErrorKind::ContextCreation => ContextCreationError::new_err(message),
            ErrorKind::QueueCreation => QueueCreationError::new_err(message),
            ErrorKind::Fault => KernelFault::new_err(message),
            ErrorKind::Device => DeviceError::new_err(message),
        }
    }
}

/// NumPy's own exception, which is an IndexError and a ValueError, so that whoever expects either catches it.
fn axis_error(py: Python<'_>, message: String) -> PyErr {
    let class = || {
        let numpy = crate::args::numpy(py)?;
        let home = numpy.getattr("exceptions").unwrap_or_else(|_| numpy.clone().into_any());
        home.getattr("AxisError")?.call1((&message,))
    };
    class().map_or_else(|error| error, PyErr::from_value)
}

/// A result on its way to Python.
pub(crate) type Outcome<T> = Result<T, Raised>;

/// Puts the exceptions into the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("DeviceCreationError", py.get_type::<DeviceCreationError>())?;
    module.add("SubDeviceCreationError", py.get_type::<SubDeviceCreationError>())?;
    module.add("ContextCreationError", py.get_type::<ContextCreationError>())?;
    module.add("QueueCreationError", py.get_type::<QueueCreationError>())?;
    module.add("DeviceError", py.get_type::<DeviceError>())?;
    module.add("ExecutionPlacementError", py.get_type::<ExecutionPlacementError>())?;
    module.add("KernelCompileError", py.get_type::<KernelCompileError>())?;
    module.add("KernelFault", py.get_type::<KernelFault>())?;
    module.add("USMAllocationError", py.get_type::<USMAllocationError>())
}
