//! Arrays on other devices and queues.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use situ_tensor::Tensor;

use super::PyArray;
use crate::args::{type_name, usm_kind};
use crate::errors::Outcome;
use crate::place::queue_of;
use crate::queue::PyQueue;

#[pymethods]
impl PyArray {
    /// The same array on another device or queue: without a copy inside one context, else moved.
    ///
    /// >>> import situ
    /// >>> from situ import tensor
    /// >>> queue = situ.Queue("cpu")
    /// >>> tensor.arange(3).to_device(queue).sycl_queue == queue
    /// True
    #[pyo3(signature = (target_device, /, *, stream=None))]
    fn to_device(&self, target_device: &Bound<'_, PyAny>, stream: Option<&Bound<'_, PyAny>>) -> PyResult<PyArray> {
        let py = target_device.py();
        let queue = queue_of(target_device, "target_device")?;
        if let Some(stream) = stream {
            // Order follows the data here; a stream is checked and then has nothing left to do.
            stream.cast::<PyQueue>().map_err(|_| {
                PyTypeError::new_err(format!("stream: expected a Queue or None, got {}", type_name(stream)))
            })?;
        }
        let moved: Outcome<Tensor> = py.detach(|| Ok(self.tensor().to_queue(&queue)?));
        Ok(self.derived(py, moved?))
    }

    /// The same array on another device or queue and in memory of a kind: without a copy where context and kind stay
    /// the same.
    ///
    /// >>> import situ
    /// >>> from situ import tensor
    /// >>> tensor.arange(3).to(situ.Queue("cpu"), usm_type="shared").usm_type
    /// 'shared'
    #[pyo3(signature = (target, /, usm_type=None))]
    fn to(&self, target: &Bound<'_, PyAny>, usm_type: Option<&Bound<'_, PyAny>>) -> PyResult<PyArray> {
        let py = target.py();
        let tensor = self.tensor();
        let queue = queue_of(target, "target")?;
        let kind = usm_type.map_or(Ok(tensor.kind()), usm_kind)?;
        let moved: Outcome<Tensor> = py.detach(|| {
            let stays = kind == tensor.kind();
            Ok(if stays { tensor.to_queue(&queue)? } else { tensor.copied_to(&queue, kind)? })
        });
        Ok(self.derived(py, moved?))
    }

    /// The same array on another queue and in memory of a kind; another name for `to`, as a keyword has it.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.arange(3).asarray("cpu", usm_type="host").usm_type
    /// 'host'
    #[pyo3(signature = (queue, usm_type=None))]
    fn asarray(&self, queue: &Bound<'_, PyAny>, usm_type: Option<&Bound<'_, PyAny>>) -> PyResult<PyArray> {
        self.to(queue, usm_type)
    }

    /// A copy on another device or queue, in memory of the same kind or of another one.
    ///
    /// >>> from situ import tensor
    /// >>> tensor.arange(3).copy_to("cpu", usm_type="host").usm_type
    /// 'host'
    #[pyo3(signature = (target, /, usm_type=None))]
    fn copy_to(&self, target: &Bound<'_, PyAny>, usm_type: Option<&Bound<'_, PyAny>>) -> PyResult<PyArray> {
        let py = target.py();
        let tensor = self.tensor();
        let queue = queue_of(target, "target")?;
        let kind = usm_type.map_or(Ok(tensor.kind()), usm_kind)?;
        let copied: Outcome<Tensor> = py.detach(|| Ok(tensor.copied_to(&queue, kind)?.with_writable(true)));
        Ok(self.derived(py, copied?))
    }

    /// Makes this array usable on a queue, and returns it: from now on that is the queue it is associated with. Nothing
    /// is copied inside one context; from another context the contents move, and views that were made before keep the
    /// old memory.
    ///
    /// >>> import situ
    /// >>> from situ import tensor
    /// >>> x, queue = tensor.arange(3), situ.Queue("cpu")
    /// >>> x.make_available(queue) is x
    /// True
    /// >>> x.sycl_queue == queue
    /// True
    #[pyo3(signature = (queue, /))]
    fn make_available<'py>(slf: &Bound<'py, Self>, queue: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        let py = queue.py();
        let queue = queue_of(queue, "queue")?;
        let array = slf.get();
        let tensor = array.tensor();
        if *tensor.queue() != queue {
            let moved: Outcome<Tensor> = py.detach(|| Ok(tensor.to_queue(&queue)?));
            array.transform(py, moved?);
        }
        Ok(slf.clone())
    }
}
