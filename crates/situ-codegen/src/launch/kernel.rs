//! The key of a compiled kernel that a user wrote, and its parameters.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use situ_ir::kernel::{Kernel, Parameter as Given, Space};
use situ_types::DType;

use super::local::is_dynamic;
use super::names::{Names, plain};
use super::text::Text;
use super::variant::Variant;
use crate::Dialect;
use crate::dialect::type_name;
use crate::signature::{Parameter, Parameters, Role, Signature};

/// A user's kernel in a variant.
///
/// Who launches a kernel again and again has one in hand, so that looking at addresses is enough to find that two are the
/// same; and its hash is known beforehand.
#[derive(Clone, Debug)]
pub struct UserKernel {
    pub(super) kernel: Arc<Kernel>,
    pub(super) variant: Variant,
}

impl PartialEq for UserKernel {
    fn eq(&self, other: &UserKernel) -> bool {
        self.variant == other.variant
            && (Arc::ptr_eq(&self.kernel, &other.kernel)
                || (self.kernel.digest() == other.kernel.digest() && self.kernel == other.kernel))
    }
}

impl Eq for UserKernel {}

impl Hash for UserKernel {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kernel.digest().hash(state);
        self.variant.hash(state);
    }
}

impl UserKernel {
    pub(super) fn new(kernel: Arc<Kernel>, variant: Variant) -> UserKernel {
        UserKernel { kernel, variant }
    }

    /// What a number of a dtype is handed over as.
    pub(super) fn scalar_type(&self, parameter: u16, dtype: DType) -> DType {
        let is_narrow = dtype == DType::I64 && self.variant.is_narrow(usize::from(parameter));
        if is_narrow { DType::I32 } else { dtype }
    }
}

/// The steps of an array that are parameters: along each axis, the number of the parameter, unless elements have no gap
/// there. Axes are numbered from `first` on.
pub(super) fn is_step_given(variant: &Variant, space: Space, ndim: usize, axis: usize, first: usize) -> bool {
    match space {
        Space::Global => !variant.is_unit(first + axis),
        // A group's array has no gaps.
        Space::Local | Space::Private => axis + 1 < ndim,
    }
}

impl Signature for UserKernel {
    fn name(&self) -> String {
        format!("situ_{}", plain(self.kernel.name()))
    }

    fn about(&self) -> String {
        self.kernel.to_string()
    }

    fn parameters(&self) -> Parameters {
        let (kernel, variant) = (&*self.kernel, &self.variant);
        let mut all = Parameters::new();
        let mut axes = 0;
        for (n, given) in kernel.parameters().iter().enumerate() {
            let Given::Array(array) = given else {
                all.push(Parameter::Immediate(Role::Given(n as u16)));
                continue;
            };
            let (info, number) = (kernel.array(*array), array.index() as u16);
            all.push(match info.space {
                Space::Global => Parameter::Address(Role::Given(n as u16)),
                Space::Local | Space::Private => Parameter::ArrayOffset(number),
            });
            let steps = (0..info.ndim).filter(|&axis| is_step_given(variant, info.space, info.ndim, axis, axes));
            all.extend(steps.map(|axis| Parameter::ArrayStep(number, axis as u8)));
            if info.space == Space::Global {
                axes += info.ndim;
            }
        }
        let asked = kernel.extents().iter().filter(|(array, _)| kernel.array(*array).shape.is_none());
        all.extend(asked.map(|(array, axis)| Parameter::ArrayExtent(array.index() as u16, *axis as u8)));
        let range_axes = 0..kernel.axes() as u8;
        if !variant.has_groups {
            all.extend(range_axes.clone().map(Parameter::GlobalSize));
        }
        if variant.is_flat {
            all.extend(range_axes.clone().map(Parameter::LocalSize));
            all.extend(range_axes.map(Parameter::GroupCount));
        }
        if !kernel.reports().is_empty() {
            all.push(Parameter::Address(Role::Report));
        }
        all
    }

    fn parameter_name(&self, parameter: Parameter) -> String {
        let names = Names::of(&self.kernel);
        let array = |n: u16| &names.arrays[usize::from(n)];
        match parameter {
            Parameter::Address(Role::Given(n)) | Parameter::Immediate(Role::Given(n)) => {
                match &self.kernel.parameters()[usize::from(n)] {
                    Given::Array(array) => format!("{}_data", names.arrays[array.index()]),
                    Given::Scalar(..) => names.scalars[usize::from(n)].clone(),
                }
            }
            Parameter::ArrayExtent(n, axis) => format!("{}_extent_{axis}", array(n)),
            Parameter::ArrayStep(n, axis) => format!("{}_step_{axis}", array(n)),
            Parameter::ArrayOffset(n) => format!("{}_offset", array(n)),
            other => other.name(),
        }
    }

    fn pointee(&self, role: Role) -> String {
        let Role::Given(n) = role else { return type_name(DType::I64).to_owned() };
        match &self.kernel.parameters()[usize::from(n)] {
            Given::Array(array) => {
                let info = self.kernel.array(*array);
                let constant = if info.is_written { "" } else { "const " };
                format!("{constant}{}", type_name(info.dtype))
            }
            Given::Scalar(value, _) => type_name(self.scalar_type(n, self.kernel.dtype(*value))).to_owned(),
        }
    }

    fn before(&self, dialect: Dialect) -> String {
        Text::of(&self.kernel, &self.variant, dialect).before
    }

    fn body(&self, dialect: Dialect) -> String {
        Text::of(&self.kernel, &self.variant, dialect).body
    }

    fn is_wide(&self) -> bool {
        self.variant.wide
    }

    fn threads(&self) -> u32 {
        self.variant.threads
    }

    fn may_alias(&self) -> bool {
        true
    }

    fn local_parameter(&self, dialect: Dialect) -> Option<&'static str> {
        (dialect == Dialect::OpenCl && is_dynamic(&self.kernel)).then_some("LOCAL u8 *local_memory")
    }

    fn may_contract(&self) -> bool {
        self.kernel.may_contract()
    }
}
