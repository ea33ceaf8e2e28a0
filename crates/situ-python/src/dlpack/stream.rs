//! The `stream` of a request: whose work has to wait for ours, and ours for it when the memory comes back.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBool;
use situ_runtime::{Access, Queue};
use situ_tensor::Tensor;

use crate::args::{shown, type_name};
use crate::errors::Outcome;
use crate::queue::PyQueue;

/// The driver's default stream, which waits for all others but those that opted out. It is always there.
const LEGACY: usize = 1;

/// What the consumer says about its stream.
#[derive(Debug)]
pub(super) enum Stream {
    /// Nothing.
    Unnamed,
    /// That it sees to the order itself.
    Unordered,
    /// The driver's handle of it.
    Handle(usize),
    /// That it is one of our queues.
    Queue(Queue),
}

/// Who uses the memory once the capsule is taken.
#[derive(Debug)]
pub(super) enum Consumer {
    /// The host, which has finished when it lets go.
    Host,
    /// The driver's default stream.
    DefaultStream,
    /// One of our queues.
    Queue(Queue),
    /// Some stream, which may be gone by the time the memory comes back: its handle must not be used then.
    SomeStream,
}

impl Stream {
    /// Reads the argument, for an array on this queue.
    pub(super) fn of(argument: Option<&Bound<'_, PyAny>>, queue: &Queue) -> PyResult<Stream> {
        let Some(argument) = argument else { return Ok(Stream::Unnamed) };
        if let Ok(queue) = argument.cast::<PyQueue>() {
            return Ok(Stream::Queue(queue.get().0.clone()));
        }
        let has_streams = queue.native_stream().is_some();
        let number =
            if has_streams && !argument.is_instance_of::<PyBool>() { argument.extract::<i128>().ok() } else { None };
        match number {
            Some(-1) => Ok(Stream::Unordered),
            Some(0) => Err(PyValueError::new_err(
                "__dlpack__: stream=0 could mean several streams; 1 is the default stream, 2 the thread's own default \
                 stream, -1 asks for no order at all",
            )),
            Some(number) => usize::try_from(number)
                .map(Stream::Handle)
                .map_err(|_| PyValueError::new_err(format!("__dlpack__: stream={number} is no handle of a stream"))),
            None => {
                let kinds = if has_streams { "None, an integer or a Queue" } else { "None or a Queue" };
                let given = format!("{} {}", type_name(argument), shown(argument));
                Err(PyTypeError::new_err(format!("__dlpack__: stream must be {kinds}, got {given}")))
            }
        }
    }

    /// Makes the consumer wait until it may access the array: its stream where it has one, else this thread.
    pub(super) fn wait_for(&self, tensor: &Tensor, on_host: bool) -> Outcome<Consumer> {
        let (queue, buffer, access) = (tensor.queue(), tensor.contents()?, access(tensor));
        queue.check()?;
        // Who takes memory for the host's may still have a device read it, in a stream of its own.
        let host = if queue.native_stream().is_some() { Consumer::SomeStream } else { Consumer::Host };
        let (handle, consumer) = match self {
            Stream::Unordered => return Ok(host),
            Stream::Unnamed => (Some(LEGACY), Consumer::DefaultStream),
            Stream::Handle(LEGACY) => (Some(LEGACY), Consumer::DefaultStream),
            Stream::Handle(handle) => (Some(*handle), Consumer::SomeStream),
            Stream::Queue(queue) => (queue.native_stream(), Consumer::Queue(queue.clone())),
        };
        match handle.filter(|_| !on_host) {
            Some(handle) => {
                queue.lend(buffer, access, handle)?;
                Ok(consumer)
            }
            None => {
                buffer.wait_before(access)?;
                Ok(host)
            }
        }
    }
}

impl Consumer {
    /// Takes note that the consumer has submitted all its work on the array.
    pub(super) fn finish(&self, tensor: &Tensor) {
        // What was exported has contents.
        let Ok(buffer) = tensor.contents() else { return };
        let (queue, access) = (tensor.queue(), access(tensor));
        let taken_back = match self {
            Consumer::Host => Ok(()),
            Consumer::DefaultStream => queue.take_back(buffer, access, Some(LEGACY)),
            Consumer::Queue(other) => queue.take_back_from(buffer, access, other),
            Consumer::SomeStream => queue.take_back(buffer, access, None),
        };
        if taken_back.is_err() {
            // Nobody can say when the consumer is done with the memory: better lost than given to somebody else.
            std::mem::forget(tensor.clone());
        }
    }
}

/// What a consumer may do: where it can write, earlier readers must have finished as well.
fn access(tensor: &Tensor) -> Access {
    if tensor.is_writable() { Access::Update } else { Access::Read }
}
