//! Members of the enums in `situ._enums`, by name.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use situ_types::{BackendKind, DeviceType};

/// A member of one of the enums.
pub(crate) fn member<'py>(py: Python<'py>, enumeration: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static ENUMS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let enums = ENUMS.get_or_try_init(py, || py.import("situ._enums").map(Bound::unbind))?;
    enums.bind(py).getattr(enumeration)?.getattr(name)
}

/// A member of `backend_type`.
pub(crate) fn backend(py: Python<'_>, backend: BackendKind) -> PyResult<Bound<'_, PyAny>> {
    member(py, "backend_type", backend.name())
}

/// A member of `device_type`.
pub(crate) fn device_type(py: Python<'_>, device_type: DeviceType) -> PyResult<Bound<'_, PyAny>> {
    member(py, "device_type", device_type.name())
}
