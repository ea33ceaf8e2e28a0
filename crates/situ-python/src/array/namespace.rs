//! The module whose functions belong to an array.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::PyArray;
use super::instance::track;
use crate::args::type_name;

/// The versions of the Array API standard; each contains the ones before.
const VERSIONS: [&str; 5] = ["2021.12", "2022.12", "2023.12", "2024.12", "2025.12"];

impl PyArray {
    /// Sets the namespace of an array that is not an object yet.
    pub(super) fn name_namespace(&self, namespace: Option<Py<PyAny>>) {
        self.0.push(self.tensor().clone(), namespace);
    }
}

#[pymethods]
impl PyArray {
    /// The module with the functions for this array, of a version of the Array API standard.
    #[pyo3(signature = (api_version=None))]
    fn __array_namespace__<'py>(
        &self,
        py: Python<'py>,
        api_version: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(version) = api_version {
            let version = version.cast::<PyString>().map_err(|_| {
                PyTypeError::new_err(format!("api_version: expected a string or None, got {}", type_name(version)))
            })?;
            if !VERSIONS.contains(&&*version.to_string_lossy()) {
                return Err(PyValueError::new_err(format!(
                    "api_version: {version} is not supported; the versions are {}",
                    VERSIONS.join(", ")
                )));
            }
        }
        self.__array_module__(py)
    }

    /// The module with the functions for this array.
    #[getter]
    fn __array_module__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.0.namespace(py) {
            Some(namespace) => Ok(namespace.into_bound(py)),
            None => Ok(py.import("situ.tensor")?.into_any()),
        }
    }

    /// Sets what `__array_namespace__` returns; None restores `situ.tensor`.
    #[pyo3(signature = (namespace, /))]
    fn _set_namespace(slf: &Bound<'_, Self>, namespace: Option<Py<PyAny>>) {
        slf.get().name_namespace(namespace);
        track(slf);
    }
}
