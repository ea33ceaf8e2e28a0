//! Kernels as text.

use std::fmt::{self, Display, Formatter};

use super::{
    Array, Block, Exchange, Expression, For, Guard, Indices, Kernel, Parameter, Space, Statement, SubGroup, Value,
    Variable,
};

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl Display for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "${}", self.0)
    }
}

/// Words or values with something between them.
fn joined<T: Display>(items: impl IntoIterator<Item = T>, separator: &str) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(separator)
}

impl Display for Kernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let parameters = self.parameters.iter().map(|parameter| match parameter {
            Parameter::Array(array) => self.declaration(*array),
            Parameter::Scalar(value, name) => format!("{name} {value}: {}", self.dtype(*value)),
        });
        let plural = if self.axes == 1 { "axis" } else { "axes" };
        writeln!(f, "kernel {} over {} {plural} ({}) {{", self.name, self.axes, joined(parameters, ", "))?;
        for (i, info) in self.arrays.iter().enumerate() {
            if info.shape.is_some() {
                writeln!(f, "  array {}", self.declaration(Array(i as u32)))?;
            }
        }
        for (i, dtype) in self.variables.iter().enumerate() {
            writeln!(f, "  variable ${i}: {dtype}")?;
        }
        self.block(f, &self.body, 1)?;
        f.write_str("}")
    }
}

impl Kernel {
    fn declaration(&self, array: Array) -> String {
        let info = self.array(array);
        let space = match info.space {
            Space::Global => "",
            Space::Local => "local ",
            Space::Private => "private ",
        };
        let shape = info.shape.as_ref().map_or_else(|| info.ndim.to_string(), |shape| joined(shape, " x "));
        format!("{}: {space}{}[{shape}]", info.name, info.dtype)
    }

    fn element(&self, array: Array, at: &Indices) -> String {
        format!("{}[{}]", self.array(array).name, joined(at, ", "))
    }

    fn block(&self, f: &mut Formatter<'_>, block: &Block, depth: usize) -> fmt::Result {
        block.iter().try_for_each(|statement| self.statement(f, statement, depth))
    }

    fn statement(&self, f: &mut Formatter<'_>, statement: &Statement, depth: usize) -> fmt::Result {
        let indent = "  ".repeat(depth);
        match statement {
            Statement::Define(value, expression) => {
                writeln!(f, "{indent}{value} = {}: {}", self.expression(expression), self.dtype(*value))
            }
            Statement::Set(variable, value) => writeln!(f, "{indent}{variable} = {value}"),
            Statement::Store(array, at, value) => writeln!(f, "{indent}{} = {value}", self.element(*array, at)),
            Statement::If(condition, then, otherwise) => {
                writeln!(f, "{indent}if {condition} {{")?;
                self.block(f, then, depth + 1)?;
                if !otherwise.is_empty() {
                    writeln!(f, "{indent}}} else {{")?;
                    self.block(f, otherwise, depth + 1)?;
                }
                writeln!(f, "{indent}}}")
            }
            Statement::Loop(body) => {
                writeln!(f, "{indent}loop {{")?;
                self.block(f, body, depth + 1)?;
                writeln!(f, "{indent}}}")
            }
            Statement::For(For { counter, start, stop, step, body }) => {
                writeln!(f, "{indent}for {counter} from {start} to {stop} by {step} {{")?;
                self.block(f, body, depth + 1)?;
                writeln!(f, "{indent}}}")
            }
            Statement::Break => writeln!(f, "{indent}break"),
            Statement::Continue => writeln!(f, "{indent}continue"),
            Statement::Return => writeln!(f, "{indent}return"),
            Statement::Barrier(None) => writeln!(f, "{indent}barrier"),
            Statement::Barrier(Some(report)) => {
                writeln!(f, "{indent}barrier or report {:?}", self.reports[*report])
            }
            Statement::Fence => writeln!(f, "{indent}fence"),
            Statement::Guard(Guard { condition, report, values }) => {
                let text = &self.reports[*report];
                writeln!(f, "{indent}guard {condition} or report {text:?} of ({})", joined(values, ", "))
            }
        }
    }

    fn expression(&self, expression: &Expression) -> String {
        match expression {
            Expression::Constant(value) => format!("constant {value:?}"),
            Expression::Apply(op, args) => format!("{op} {}", joined(args, " ")),
            Expression::Cast(value) => format!("cast {value}"),
            Expression::Select(args) => format!("select {}", joined(args, " ")),
            Expression::Get(variable) => variable.to_string(),
            Expression::Load(array, at) => self.element(*array, at),
            Expression::Extent(array, axis) => format!("extent {} {axis}", self.array(*array).name),
            Expression::Position(position, axis) => format!("{} {axis}", position.name()),
            Expression::SubGroup(what) => match what {
                SubGroup::Id => "sub_group_local_id",
                SubGroup::Size => "sub_group_size",
                SubGroup::GroupId => "sub_group_id",
                SubGroup::GroupCount => "sub_group_count",
            }
            .into(),
            Expression::Exchange(exchange, value, place) => {
                let name = match exchange {
                    Exchange::Reduce(op) => format!("sub_group_reduce {op}"),
                    Exchange::Shuffle => "shuffle".into(),
                    Exchange::ShuffleXor => "shuffle_xor".into(),
                    Exchange::ShuffleDown => "shuffle_down".into(),
                    Exchange::ShuffleUp => "shuffle_up".into(),
                };
                place.map_or_else(|| format!("{name} {value}"), |place| format!("{name} {value} {place}"))
            }
            Expression::Atomic(atomic, array, at, value) => {
                format!("atomic {} {} {value}", atomic.name(), self.element(*array, at))
            }
            Expression::CompareExchange(array, at, [expected, new]) => {
                format!("atomic compare_exchange {} {expected} {new}", self.element(*array, at))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use situ_types::{DType, Scalar};

    use super::super::{KernelBuilder, Position};
    use crate::Op;

    #[test]
    fn structure_is_indented() {
        let mut k = KernelBuilder::new("count", 1).unwrap();
        let out = k.array("out", DType::I64, 1).unwrap();
        let n = k.variable(DType::I64);
        let i = k.position(Position::GlobalId, 0).unwrap();
        let (zero, one) = (k.constant(Scalar::I64(0)), k.constant(Scalar::I64(1)));
        let j = k.open_for(zero, i, one).unwrap();
        let is_late = k.apply(Op::Greater, &[j, one]).unwrap();
        k.open_if(is_late).unwrap();
        k.leave().unwrap();
        k.otherwise().unwrap();
        k.set(n, j).unwrap();
        k.close().unwrap();
        k.close().unwrap();
        let n = k.get(n).unwrap();
        k.store(out, &[i], n).unwrap();
        let text = k.finish().unwrap().to_string();
        let expected = "\
kernel count over 1 axis (out: int64[1]) {
  variable $0: int64
  %0 = global_id 0: int64
  %1 = constant I64(0): int64
  %2 = constant I64(1): int64
  for %3 from %1 to %0 by %2 {
    %4 = greater %3 %2: bool
    if %4 {
      break
    } else {
      $0 = %3
    }
  }
  %5 = $0: int64
  out[%0] = %5
}";
        assert_eq!(text, expected);
    }
}
