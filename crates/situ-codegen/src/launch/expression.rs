//! Values.

use situ_ir::kernel::{Exchange, Expression, SubGroup, Value};
use situ_types::{DType, Scalar};

use super::atomic::Change;
use super::literal::literal;
use super::sub_group::Shared;
use super::text::{Writer, position_name};
use crate::Dialect;
use crate::dialect::{suffix, type_name};
use crate::expression::{Version, apply};

impl Writer<'_> {
    /// A value where it is used.
    pub(super) fn value(&self, value: Value) -> String {
        self.inlined[value.index()].clone().unwrap_or_else(|| format!("v{}", value.index()))
    }

    /// The dtype in which a value is held.
    fn held_in(&self, value: Value) -> DType {
        if self.ranges.is_narrow(value) { DType::I32 } else { self.kernel.dtype(value) }
    }

    pub(super) fn define(&mut self, value: Value, expression: &Expression) {
        if let Expression::Constant(number) = expression {
            self.constants[value.index()] = Some(*number);
        }
        if let Some(name) = self.name_of(expression) {
            self.inlined[value.index()] = Some(name);
            return;
        }
        let text = self.expression(value, expression);
        let of = type_name(self.held_in(value));
        self.line(format!("const {of} v{} = {text};", value.index()));
    }

    /// What needs no computation is written where it is used.
    fn name_of(&self, expression: &Expression) -> Option<String> {
        Some(match expression {
            Expression::Constant(number) => literal(*number),
            Expression::Extent(array, axis) => match &self.kernel.array(*array).shape {
                Some(shape) => literal(Scalar::I64(shape[*axis] as i64)),
                None => format!("{}_extent_{axis}", self.names.arrays[array.index()]),
            },
            Expression::Position(position, axis) => position_name(*position, *axis),
            _ => return None,
        })
    }

    fn expression(&mut self, value: Value, expression: &Expression) -> String {
        match expression {
            Expression::Constant(_) | Expression::Extent(..) | Expression::Position(..) => {
                self.name_of(expression).unwrap_or_default()
            }
            Expression::Apply(op, args) => {
                let dtypes = args.iter().map(|&arg| self.held_in(arg));
                let is_narrow = dtypes.clone().all(|dtype| dtype == DType::I32);
                let holds = matches!(self.held_in(value), DType::I32 | DType::Bool);
                // Of int64s for which 32 bits are enough, if they are for the result, too.
                let dtype = match args.first().map(|&arg| self.kernel.dtype(arg)) {
                    Some(DType::I64) if is_narrow && holds => DType::I32,
                    Some(dtype) => dtype,
                    None => self.kernel.dtype(value),
                };
                let texts: Vec<String> = args.iter().map(|&arg| self.value(arg)).collect();
                let is_exact = dtype == DType::I32 && args.iter().any(|&arg| self.kernel.dtype(arg) == DType::I64);
                match operator(op.c_expression()).filter(|_| is_exact) {
                    Some(operator) => texts.join(operator),
                    None => apply(*op, dtype, &texts, self.dialect, Version::Whole),
                }
            }
            Expression::Cast(from) => {
                let [from_dtype, to] = [*from, value].map(|value| self.held_in(value));
                format!("cast_{}_{}({})", suffix(from_dtype), suffix(to), self.value(*from))
            }
            Expression::Select(args) => {
                let [condition, yes, no] = args.map(|arg| self.value(arg));
                format!("{condition} ? {yes} : {no}")
            }
            Expression::Get(variable) => format!("n{}", variable.index()),
            Expression::Load(array, at) => self.load(*array, at),
            Expression::SubGroup(what) => match what {
                SubGroup::Id => "(i32)(thread % 32u)",
                SubGroup::Size => "(i32)sub_group_size(thread, threads)",
                SubGroup::GroupId => "(i32)(thread / 32u)",
                SubGroup::GroupCount => "(i32)((threads + 31u) / 32u)",
            }
            .into(),
            Expression::Exchange(exchange, of, place) => self.exchange(*exchange, *of, *place),
            Expression::Atomic(atomic, array, at, with) => {
                let info = self.kernel.array(*array);
                let change = Change { atomic: Some(*atomic), dtype: info.dtype, space: info.space };
                let call = format!("{}({}, {})", change.name(), self.address(*array, at), self.value(*with));
                self.changes.insert(change);
                self.if_alive(call, info.dtype)
            }
            Expression::CompareExchange(array, at, [expected, with]) => {
                let info = self.kernel.array(*array);
                let change = Change { atomic: None, dtype: info.dtype, space: info.space };
                let (at, expected, with) = (self.address(*array, at), self.value(*expected), self.value(*with));
                let call = format!("{}({at}, {expected}, {with})", change.name());
                self.changes.insert(change);
                self.if_alive(call, info.dtype)
            }
        }
    }

    fn exchange(&mut self, exchange: Exchange, of: Value, place: Option<Value>) -> String {
        let (dtype, text) = (self.kernel.dtype(of), self.value(of));
        let place = place.map(|place| self.value(place)).unwrap_or_default();
        let room = if self.dialect == Dialect::OpenCl { ", exchanged + thread / 32u * 32u" } else { "" };
        let from = match exchange {
            Exchange::Reduce(op) => {
                let shared = Shared { op: Some(op), dtype };
                let call = format!("{}({text}, thread % 32u, sub_group_size(thread, threads){room})", shared.name());
                self.shared.insert(Shared { op: None, dtype });
                self.shared.insert(shared);
                return call;
            }
            Exchange::Shuffle => format!("(u64){place}"),
            Exchange::ShuffleXor => format!("(u64)(thread % 32u) ^ (u64){place}"),
            Exchange::ShuffleDown => format!("(u64)(thread % 32u) + (u64){place}"),
            Exchange::ShuffleUp => format!("(u64)(thread % 32u) - (u64){place}"),
        };
        let shared = Shared { op: None, dtype };
        let call = format!("{}({text}, {from}, thread % 32u, sub_group_size(thread, threads){room})", shared.name());
        self.shared.insert(shared);
        call
    }
}

/// The operator that a function of the library is where nothing can overflow, after which the compiler may count on that.
fn operator(function: &str) -> Option<&'static str> {
    match function {
        "add(a, b)" => Some(" + "),
        "sub(a, b)" => Some(" - "),
        "mul(a, b)" => Some(" * "),
        _ => None,
    }
}
