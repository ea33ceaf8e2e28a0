//! The one table from error kinds to Python exceptions.

use pyo3::create_exception;
use pyo3::exceptions::{
    PyException, PyIndexError, PyMemoryError, PyOverflowError, PyRuntimeError, PyTypeError, PyUserWarning, PyValueError,
};
use pyo3::prelude::*;
use situ_runtime::placement::{MixedKindsNotice, notice_mixed_kinds};
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
    MixedUSMTypesWarning,
    PyUserWarning,
    "Operands are in memory of different kinds, which can be slow.",
    ">>> from situ import utils\n\
     >>> before = utils.warn_about_mixed_usm_types(True)\n\
     >>> import warnings\n\
     >>> with warnings.catch_warnings(record=True) as caught:\n\
     ...     warnings.simplefilter(\"always\")\n\
     ...     x = situ.tensor.ones(3, usm_type=\"host\") + situ.tensor.ones(3)\n\
     >>> caught[0].category.__name__\n\
     'MixedUSMTypesWarning'\n\
     >>> utils.warn_about_mixed_usm_types(before)\n\
     True"
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
            ErrorKind::Axis => Python::attach(|py| numpy_error(py, "exceptions", "AxisError", message)),
            ErrorKind::Overflow => PyOverflowError::new_err(message),
            ErrorKind::Memory => USMAllocationError::new_err(message),
            ErrorKind::Placement => ExecutionPlacementError::new_err(message),
            ErrorKind::MixedKinds => MixedUSMTypesWarning::new_err(message),
            ErrorKind::DeviceCreation => DeviceCreationError::new_err(message),
            ErrorKind::SubDeviceCreation => SubDeviceCreationError::new_err(message),
            ErrorKind::ContextCreation => ContextCreationError::new_err(message),
            ErrorKind::QueueCreation => QueueCreationError::new_err(message),
            ErrorKind::Compile => KernelCompileError::new_err(message),
            ErrorKind::LinAlg => Python::attach(|py| numpy_error(py, "linalg", "LinAlgError", message)),
            ErrorKind::Fault => KernelFault::new_err(message),
            ErrorKind::Device => DeviceError::new_err(message),
        }
    }
}

/// NumPy's own exception, so that whoever expects it catches it: an AxisError is an IndexError and a ValueError, too, and a
/// LinAlgError a ValueError.
fn numpy_error(py: Python<'_>, module: &str, name: &str, message: String) -> PyErr {
    let class = || {
        let numpy = crate::args::numpy(py)?;
        let home = numpy.getattr(module).unwrap_or_else(|_| numpy.clone().into_any());
        home.getattr(name)?.call1((&message,))
    };
    class().map_or_else(|error| error, PyErr::from_value)
}

/// A result on its way to Python.
pub(crate) type Outcome<T> = Result<T, Raised>;

/// Warns, or not any more, wherever operands in memory of different kinds meet, in array functions and kernels.
///
/// They may meet: the result is in device memory rather than shared, and in shared rather than host memory. But memory of
/// another kind than the rest can be slow to reach.
///
/// Parameters:
///     on (bool): Whether to warn.
///
/// Returns:
///     bool: Whether it was warned before.
///
/// >>> from situ import utils
/// >>> utils.warn_about_mixed_usm_types(True)
/// False
/// >>> utils.warn_about_mixed_usm_types(False)
/// True
#[pyfunction]
#[pyo3(signature = (on=true, /))]
fn warn_about_mixed_usm_types(on: bool) -> bool {
    notice_mixed_kinds(on.then_some(warn as MixedKindsNotice)).is_some()
}

/// Warns in Python. A warning that is to be an error becomes one.
fn warn(text: &str) -> situ_runtime::Result<()> {
    Python::attach(|py| {
        let category = py.get_type::<MixedUSMTypesWarning>();
        let warned = py.import("warnings").and_then(|warnings| warnings.call_method1("warn", (text, category)));
        warned.map(|_| ()).map_err(|_| situ_runtime::Error::MixedKinds(text.into()))
    })
}

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
    module.add("MixedUSMTypesWarning", py.get_type::<MixedUSMTypesWarning>())?;
    module.add_function(wrap_pyfunction!(warn_about_mixed_usm_types, module)?)?;
    module.add("USMAllocationError", py.get_type::<USMAllocationError>())
}
