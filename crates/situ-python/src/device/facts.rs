//! What a device says about itself, one row per property of `situ.Device`.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyType};
use situ_types::{Aspect, DeviceInfo, DeviceType, VectorWidths};

use super::{PyDevice, enums};

/// How a property is read.
type Read = for<'py> fn(Python<'py>, &DeviceInfo) -> PyResult<Bound<'py, PyAny>>;

struct Fact {
    name: &'static str,
    doc: &'static str,
    read: Read,
}

/// A property's docstring: a sentence, and an example for the CPU, which every machine has.
macro_rules! docstring {
    ($name:expr, $doc:literal, $rest:literal, $shown:literal) => {
        concat!($doc, "\n\n>>> import situ\n>>> situ.Device(\"cpu\").", $name, $rest, "\n", $shown)
    };
}

macro_rules! facts {
    (|$py:ident, $info:ident| $($name:ident: $doc:literal, $rest:literal => $shown:literal = $value:expr;)*) => {
        &[$(Fact {
            name: stringify!($name),
            doc: docstring!(stringify!($name), $doc, $rest, $shown),
            read: |$py, $info| $value.into_bound_py_any($py),
        }),*]
    };
}

#[allow(unused_variables, reason = "not every fact looks at the description")]
const FACTS: &[Fact] = facts! { |py, info|
    name: "The name of the device.", "" => "'...'" = &info.name;
    vendor: "The vendor of the hardware.", "" => "'...'" = &info.vendor;
    driver_version: "The version of the driver.", "" => "'...'" = &info.driver_version;
    backend: "The family of driver, a `backend_type`.", "" => "<backend_type.native: ...>" = enums::backend(py, info.backend)?;
    device_type: "What sort of processor it is, a `device_type`.", ".name" => "'cpu'" = enums::device_type(py, info.device_type)?;
    is_cpu: "Whether it is a CPU.", "" => "True" = info.device_type == DeviceType::Cpu;
    is_gpu: "Whether it is a GPU.", "" => "False" = info.device_type == DeviceType::Gpu;
    is_accelerator: "Whether it is an accelerator.", "" => "False" = info.device_type == DeviceType::Accelerator;
    default_selector_score: "Its rank for default selection: the highest wins, -1 is never chosen.", " >= -1" => "True"
        = info.default_score.max(-1);
    max_compute_units: "The number of cores or multiprocessors.", " >= 1" => "True" = info.max_compute_units;
    max_work_item_dims: "The largest number of dimensions of an nd-range.", "" => "3" = info.max_work_item_dims;
    max_work_item_sizes1d: "The most work-items in a group, for one dimension.", "" => "(...,)" = (info.max_work_item_sizes[0],);
    max_work_item_sizes2d: "The most work-items in a group along each of two dimensions.", "" => "(..., ...)"
        = (info.max_work_item_sizes[0], info.max_work_item_sizes[1]);
    max_work_item_sizes3d: "The most work-items in a group along each of three dimensions.", "" => "(..., ..., ...)"
        = (info.max_work_item_sizes[0], info.max_work_item_sizes[1], info.max_work_item_sizes[2]);
    max_work_group_size: "The most work-items in a group.", " >= 0" => "True" = info.max_work_group_size;
    max_num_sub_groups: "The most sub-groups in a group.", " >= 0" => "True" = info.max_num_sub_groups;
    sub_group_sizes: "The supported sub-group sizes.", "" => "[...]" = info.sub_group_sizes.clone();
    sub_group_independent_forward_progress: "Whether sub-groups of one group make progress independently.", " in (True, False)" => "True"
        = info.sub_group_independent_forward_progress;
    max_clock_frequency: "The clock in MHz; 0 when it is not known.", " >= 0" => "True" = info.max_clock_frequency;
    profiling_timer_resolution: "The resolution of profiling times in nanoseconds.", " >= 0" => "True" = info.profiling_timer_resolution;
    global_mem_size: "Bytes of global memory.", " >= 0" => "True" = info.global_mem_size;
    local_mem_size: "Bytes of memory local to a work-group.", " >= 0" => "True" = info.local_mem_size;
    max_mem_alloc_size: "Bytes of the largest single allocation.", " >= 0" => "True" = info.max_mem_alloc_size;
    global_mem_cache_type: "What the global-memory cache can do, a `global_mem_cache_type`.", ".name" => "'read_write'"
        = enums::member(py, "global_mem_cache_type", info.global_mem_cache_kind.name())?;
    global_mem_cache_size: "Bytes of global-memory cache.", " >= 0" => "True" = info.global_mem_cache_size;
    global_mem_cache_line_size: "Bytes per line of the global-memory cache.", " >= 0" => "True" = info.global_mem_cache_line_size;
    partition_max_sub_devices: "The largest number of sub-devices; 0 when it cannot be split.", " >= 0" => "True"
        = info.partition_max_sub_devices;
    image_2d_max_width: "The largest width of a 2-D image; 0, as situ has no images.", "" => "0" = 0;
    image_2d_max_height: "The largest height of a 2-D image; 0, as situ has no images.", "" => "0" = 0;
    image_3d_max_width: "The largest width of a 3-D image; 0, as situ has no images.", "" => "0" = 0;
    image_3d_max_height: "The largest height of a 3-D image; 0, as situ has no images.", "" => "0" = 0;
    image_3d_max_depth: "The largest depth of a 3-D image; 0, as situ has no images.", "" => "0" = 0;
    max_read_image_args: "The most images a kernel can read; 0, as situ has no images.", "" => "0" = 0;
    max_write_image_args: "The most images a kernel can write; 0, as situ has no images.", "" => "0" = 0;
};

struct Width {
    element: &'static str,
    of: fn(&VectorWidths) -> u32,
}

const WIDTHS: &[Width] = &[
    Width { element: "char", of: |widths| widths.char },
    Width { element: "short", of: |widths| widths.short },
    Width { element: "int", of: |widths| widths.int },
    Width { element: "long", of: |widths| widths.long },
    Width { element: "float", of: |widths| widths.float },
    Width { element: "double", of: |widths| widths.double },
    Width { element: "half", of: |widths| widths.half },
];

/// Gives the class a read-only property.
fn add<F>(class: &Bound<'_, PyType>, name: &str, doc: &str, read: F) -> PyResult<()>
where
    F: for<'py> Fn(Python<'py>, &DeviceInfo) -> PyResult<Bound<'py, PyAny>> + Send + Sync + 'static,
{
    let py = class.py();
    let getter = PyCFunction::new_closure(py, None, None, move |args, _keywords| -> PyResult<Py<PyAny>> {
        let device = args.get_item(0)?;
        Ok(read(args.py(), device.cast::<PyDevice>()?.get().0.info())?.unbind())
    })?;
    let property = py.import("builtins")?.getattr("property")?;
    class.setattr(name, property.call1((getter, py.None(), py.None(), doc))?)
}

/// Gives the class its properties.
pub(super) fn add_to(class: &Bound<'_, PyType>) -> PyResult<()> {
    for fact in FACTS {
        add(class, fact.name, fact.doc, fact.read)?;
    }
    for aspect in Aspect::ALL {
        let name = format!("has_aspect_{}", aspect.name());
        let doc = format!(
            "Whether the device has the aspect `{}`.\n\n>>> import situ\n\
             >>> [device for device in situ.get_devices() if device.{name}]\n[...]",
            aspect.name()
        );
        add(class, &name, &doc, move |py, info| info.has(aspect).into_bound_py_any(py))?;
    }
    for width in WIDTHS {
        let element = width.element;
        let shown = |name: &str| format!("\n\n>>> import situ\n>>> situ.Device(\"cpu\").{name} >= 0\nTrue");
        let name = format!("preferred_vector_width_{element}");
        let doc = format!("The number of {element} elements in the vectors that run best; 0 where unsupported.");
        add(class, &name, &(doc + &shown(&name)), |py, info| {
            (width.of)(&info.preferred_vector_widths).into_bound_py_any(py)
        })?;
        let name = format!("native_vector_width_{element}");
        let doc = format!("The number of {element} elements in a vector of the hardware; 0 where unsupported.");
        add(class, &name, &(doc + &shown(&name)), |py, info| {
            (width.of)(&info.native_vector_widths).into_bound_py_any(py)
        })?;
    }
    Ok(())
}
