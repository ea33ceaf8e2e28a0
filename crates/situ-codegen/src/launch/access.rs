//! Elements of arrays.

use situ_ir::kernel::{Array, Space, Value};
use situ_types::{DType, Scalar};

use super::kernel::is_step_given;
use super::literal::literal;
use super::text::Writer;
use crate::dialect::suffix;

impl Writer<'_> {
    /// Where an element is, in elements from the first one.
    fn offset(&self, array: Array, at: &[Value]) -> String {
        let info = self.kernel.array(array);
        let first = self.first_axes[array.index()];
        let mut terms = Vec::new();
        for (axis, &index) in at.iter().enumerate() {
            let index = self.index(index, info.space);
            let step = match &info.shape {
                Some(shape) => shape[axis + 1..].iter().product::<usize>().to_string(),
                None if is_step_given(self.variant, info.space, info.ndim, axis, first) => {
                    format!("{}_step_{axis}", self.names.arrays[array.index()])
                }
                None => "1".into(),
            };
            terms.push(if step == "1" { index } else { format!("{index} * {step}") });
        }
        if terms.is_empty() { "0".into() } else { terms.join(" + ") }
    }

    /// An index in the type in which places are computed.
    fn index(&self, index: Value, space: Space) -> String {
        let text = self.value(index);
        let is_wide = self.variant.wide && space == Space::Global;
        match (is_wide, self.ranges.is_narrow(index)) {
            (false, false) => format!("(i32){text}"),
            _ => text,
        }
    }

    /// The address of an element.
    pub(super) fn address(&self, array: Array, at: &[Value]) -> String {
        format!("&{}[{}]", self.array_name(array.index()), self.offset(array, at))
    }

    pub(super) fn load(&self, array: Array, at: &[Value]) -> String {
        let dtype = self.kernel.array(array).dtype;
        let element = match (dtype, self.is_loose(array)) {
            // Any byte but 0 is true.
            (DType::Bool, _) => format!("{}[{}] != 0", self.array_name(array.index()), self.offset(array, at)),
            (_, true) => format!("load_{}({})", suffix(dtype), self.address(array, at)),
            _ => format!("{}[{}]", self.array_name(array.index()), self.offset(array, at)),
        };
        self.if_alive(element, dtype)
    }

    /// What a work-item reads, unless it has failed and only comes along to barriers.
    pub(super) fn if_alive(&self, element: String, dtype: DType) -> String {
        if !self.lives_on {
            return element;
        }
        format!("alive ? ({element}) : {}", literal(Scalar::from_bytes(dtype, [0; 16])))
    }

    pub(super) fn store(&self, array: Array, at: &[Value], value: Value) -> String {
        let dtype = self.kernel.array(array).dtype;
        let value = self.value(value);
        let alive = if self.lives_on { "if (alive) " } else { "" };
        if self.is_loose(array) {
            return format!("{alive}store_{}({}, {value});", suffix(dtype), self.address(array, at));
        }
        format!("{alive}{}[{}] = {value};", self.array_name(array.index()), self.offset(array, at))
    }

    /// Whether an array is where its dtype would not be.
    fn is_loose(&self, array: Array) -> bool {
        let info = self.kernel.array(array);
        info.space == Space::Global && info.dtype.size() > 1 && self.variant.is_loose(array.index())
    }
}
