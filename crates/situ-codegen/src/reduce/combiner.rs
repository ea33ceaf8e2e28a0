//! What a kernel does with values: the map, what brings two together, and the finishing program.

use std::hash::{Hash, Hasher};
use std::ptr;
use std::sync::Arc;

use situ_hal::ReductionRef;
use situ_ir::{Combine, Op, Program, Reduction};
use situ_types::DType;

use super::moments;
use crate::Dialect;
use crate::dialect::{suffix, type_name};
use crate::elementwise::{ACCESS, copies, element_function, is_long, long_element_function};
use crate::expression::{Version, apply};
use crate::signature::{Role, signed};

/// A reduction as part of a kernel's key. Those that live for ever are told apart by where they are, others by what they
/// say.
#[derive(Clone, Debug)]
pub(super) struct Reducer(pub(super) ReductionRef);

impl PartialEq for Reducer {
    fn eq(&self, other: &Reducer) -> bool {
        match (&self.0, &other.0) {
            (ReductionRef::Static(a), ReductionRef::Static(b)) => ptr::eq(*a, *b),
            (ReductionRef::Shared(a), ReductionRef::Shared(b)) => Arc::ptr_eq(a, b) || a == b,
            _ => false,
        }
    }
}

impl Eq for Reducer {}

impl Hash for Reducer {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            ReductionRef::Static(reduction) => (ptr::from_ref(*reduction) as usize).hash(state),
            ReductionRef::Shared(reduction) => reduction.hash(state),
        }
    }
}

impl std::ops::Deref for Reducer {
    type Target = Reduction;

    fn deref(&self) -> &Reduction {
        &self.0
    }
}

impl Reducer {
    /// Whether positions are looked for.
    fn is_search(&self) -> bool {
        matches!(self.combine(), Combine::ArgMax | Combine::ArgMin)
    }

    /// Whether a part says more than a value or a position does.
    fn is_moments(&self) -> bool {
        self.combine() == Combine::Moments
    }

    /// Whether little is kept of the values and little computed.
    pub(super) fn is_plain(&self) -> bool {
        let is_light = match self.combine() {
            Combine::Op(op) => !is_long(op),
            Combine::ArgMax | Combine::ArgMin => false,
            Combine::Moments => self.accumulator().size() <= 4,
        };
        is_light && copies(self.map()) == ACCESS
    }

    /// The type of OpenCL C whose vectors add up as the values do, where they are nothing but elements that are added up.
    pub(super) fn plain_sum(&self) -> Option<&'static str> {
        let is_sum = self.combine() == Combine::Op(Op::Add) && self.map().steps().is_empty();
        match (self.map().inputs(), self.accumulator()) {
            ([DType::F32], DType::F32) if is_sum => Some("float"),
            ([DType::F64], DType::F64) if is_sum => Some("double"),
            _ => None,
        }
    }

    /// What it is called in a kernel's name: how values are combined, and of which dtypes.
    pub(super) fn name(&self) -> String {
        let combine = match self.combine() {
            Combine::Op(op) => op.name(),
            Combine::ArgMax => "argmax",
            Combine::ArgMin => "argmin",
            Combine::Moments => "moments",
        };
        let from = self.map().inputs().first().copied().unwrap_or(self.accumulator());
        format!("{combine}_{}_{}", suffix(from), suffix(self.accumulator()))
    }

    /// Some lines about it.
    pub(super) fn about(&self) -> String {
        format!("{}\n{:?}\n{}", self.map(), self.combine(), self.finish())
    }

    /// Bytes of a `part`.
    pub(super) fn part_size(&self, wide: bool) -> usize {
        let dtype = self.accumulator();
        if !self.is_search() {
            return dtype.size() * if self.is_moments() { moments::FIELDS } else { 1 };
        }
        let position = if wide { 8 } else { 4 };
        let alignment = position.max(dtype.size());
        (dtype.size().next_multiple_of(position) + position).next_multiple_of(alignment)
    }

    /// The type of a number that the finishing program reads.
    pub(super) fn number(&self, n: u8) -> &'static str {
        type_name(self.finish().inputs()[1 + n as usize])
    }

    /// How many of them there are.
    pub(super) fn numbers(&self) -> u8 {
        (self.finish().inputs().len() - 1) as u8
    }

    /// The type of the result.
    pub(super) fn result_type(&self) -> &'static str {
        type_name(self.result())
    }

    /// The type of a value.
    pub(super) fn value_type(&self) -> &'static str {
        if self.is_moments() { type_name(self.accumulator()) } else { "part" }
    }

    /// Declares `own`, what a thread knows of so many runs of values, each of which it combines one after another.
    pub(super) fn runs(&self, count: usize) -> String {
        if self.is_moments() { format!("run own[{count}] = {{{{0, 0, 0}}}};") } else { format!("part own[{count}];") }
    }

    /// A statement by which `value` comes to a run, after so many others; `is_first` is whether these are none.
    pub(super) fn taken_in(&self, run: &str, before: &str, is_first: &str) -> String {
        if self.is_moments() {
            return format!("{run} = continued({run}, value, {before}, {is_first});");
        }
        format!("{run} = {is_first} ? value : combine_next({run}, value);")
    }

    /// A run of so many values as a part.
    pub(super) fn closed(&self, run: &str, count: &str) -> String {
        if self.is_moments() { format!("closed({run}, {count})") } else { run.into() }
    }

    /// Declares what is known of so many lanes side by side. Where that is a value and its position, these lie apart, so that
    /// compilers find vectors of both.
    pub(super) fn lanes(&self, count: usize, wide: bool) -> String {
        if self.is_search() {
            let (value, position) = (type_name(self.accumulator()), signed(wide));
            return format!("{value} values[{count}];\n        {position} positions[{count}];");
        }
        self.runs(count)
    }

    /// As [`taken_in`](Self::taken_in), for lane `k` of these.
    pub(super) fn taken_in_by_lane(&self, before: &str, is_first: &str) -> String {
        if self.is_search() {
            return format!(
                "const part known = {{values[k], positions[k]}};
                const part better = {is_first} ? value : combine_next(known, value);
                values[k] = better.value;
                positions[k] = better.position;"
            );
        }
        self.taken_in("own[k]", before, is_first)
    }

    /// As [`closed`](Self::closed), for lane `k` of these.
    pub(super) fn closed_lane(&self, count: &str) -> String {
        if self.is_search() { "(part){values[k], positions[k]}".into() } else { self.closed("own[k]", count) }
    }

    /// How many parts a thread holds while it waits for more, beside one: a divisor of 15.
    pub(super) fn parts_at_once(&self) -> usize {
        if self.is_moments() { 3 } else { 15 }
    }

    /// The functions: `leaf` of what the map reads and a position; `combine` of two parts, `combine_next` of two of which
    /// the second comes later; `finished` of a part and the numbers. Where values are not parts, `continued` and `closed` make
    /// parts of them.
    pub(super) fn functions(&self, dialect: Dialect, wide: bool) -> String {
        let dtype = self.accumulator();
        let (value, position, of) = (type_name(dtype), signed(wide), self.result_type());
        let (definition, combines) = match self.combine() {
            Combine::Op(op) => (format!("typedef {value} part;\n"), combined(op, dtype, dialect)),
            Combine::ArgMax => (found_part(value, position), found(true, dtype, dialect)),
            Combine::ArgMin => (found_part(value, position), found(false, dtype, dialect)),
            Combine::Moments => (moments::types(value), moments::functions(value)),
        };
        let made = if self.is_search() {
            "    part found;\n    found.value = value;\n    found.position = position;\n    return found;\n"
        } else {
            "    return value;\n"
        };
        let term = self.value_type();
        let map = function(self.map(), dialect, "map_value");
        let inputs: Vec<String> =
            self.map().inputs().iter().enumerate().map(|(n, &dtype)| format!("{} v{n}, ", type_name(dtype))).collect();
        let passed: String = (0..inputs.len()).map(|n| format!("v{n}, ")).collect();
        let state = match self.combine() {
            Combine::Op(_) => "whole",
            Combine::ArgMax | Combine::ArgMin => "(i64)whole.position",
            Combine::Moments => "whole.squares",
        };
        let numbers = 0..self.numbers();
        let given: String =
            numbers.clone().map(|n| format!(", {} {}", self.number(n), Role::Number(n).name())).collect();
        let numbers: String = numbers.map(|n| format!(", {}", Role::Number(n).name())).collect();
        let finish = element_function(self.finish(), dialect, "finish");
        format!(
            "// What is known of some of the values.
{definition}
{map}
INLINE {term} leaf({inputs}{position} position) {{
    {value} value;
    map_value({passed}&value);
{made}}}

{combines}
{finish}
INLINE {of} finished(part whole{given}) {{
    {of} result;
    finish({state}{numbers}, &result);
    return result;
}}

",
            inputs = inputs.concat(),
        )
    }
}

/// A function that runs a program for one element.
fn function(program: &Program, dialect: Dialect, name: &str) -> String {
    if copies(program) < ACCESS {
        long_element_function(program, dialect, name)
    } else {
        element_function(program, dialect, name)
    }
}

/// The functions that combine values by an op.
fn combined(op: Op, dtype: DType, dialect: Dialect) -> String {
    let expression = apply(op, dtype, &["a".into(), "b".into()], dialect, Version::Whole);
    let qualifier = if is_long(op) { "OUTLINE" } else { "INLINE" };
    format!(
        "{qualifier} part combine(part a, part b) {{ return {expression}; }}\n\n#define combine_next(a, b) combine(a, b)\n"
    )
}

fn found_part(value: &str, position: &str) -> String {
    format!("typedef struct {{ {value} value; {position} position; }} part;\n")
}

/// The functions that keep the greatest value, or the least, and where it is: of equal ones the first, and what is not a
/// number before all others.
fn found(greatest: bool, dtype: DType, dialect: Dialect) -> String {
    let call = |op: Op, args: &[&str]| {
        let args: Vec<String> = args.iter().map(|arg| format!("{arg}.value")).collect();
        apply(op, dtype, &args, dialect, Version::Whole)
    };
    let less = if greatest { call(Op::Less, &["a", "b"]) } else { call(Op::Less, &["b", "a"]) };
    let [a, b] = ["a", "b"].map(|name| call(Op::Isnan, &[name]));
    format!(
        "INLINE part combine_next(part a, part b) {{ return ({b} || {less}) && !({a}) ? b : a; }}

INLINE part combine(part a, part b) {{
    return a.position < b.position ? combine_next(a, b) : combine_next(b, a);
}}
"
    )
}
