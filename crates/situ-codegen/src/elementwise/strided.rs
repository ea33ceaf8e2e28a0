//! Kernels for any steps: neighbouring threads take neighbouring elements, each thread several a block apart.

use super::variant::Access;
use super::writer::Writer;
use crate::coordinates::coordinates;
use crate::signature::{Axes, THREADS};

/// The strided walk.
pub(super) fn strided(writer: &Writer<'_>) -> String {
    let (width, axes, size) = (writer.variant.width, writer.variant.axes, writer.size_type());
    let mut text = String::new();
    text += "    EACH_THREAD {\n";
    text += &format!("        {size} first = ({size})BLOCK_X * {}u + THREAD_X;\n", THREADS * u32::from(width));
    for n in writer.inputs().filter(|&n| writer.access(n).is_memory()) {
        text += &format!("        {} a{n}[{width}];\n", writer.element(n));
    }
    let number = |n: usize| n - writer.inputs().end;
    for n in writer.outputs().filter(|&n| writer.access(n) == Access::Stepped) {
        text += &format!("        {} to{}[{width}];\n", writer.step_type(), number(n));
    }
    let each = format!(
        "        UNROLL\n        for (u32 k = 0; k < {width}; k++) {{\n            \
         {size} i = first + k * {THREADS}u;\n            if (i < size) {{\n"
    );

    // All loads come before the first store, so that they are under way together.
    text += &each;
    if writer.operands().any(|n| writer.access(n) == Access::Stepped) {
        text += &coordinates(Axes::Space, axes, writer.variant.wide, "i", 16);
    }
    for n in writer.inputs() {
        let offset = match writer.access(n) {
            Access::Stepped => writer.offset(n, axes),
            Access::Dense => "i".to_owned(),
            Access::Repeated => "0".to_owned(),
            _ => continue,
        };
        text += &format!("                a{n}[k] = {};\n", writer.load(n, &offset));
    }
    for n in writer.outputs().filter(|&n| writer.access(n) == Access::Stepped) {
        text += &format!("                to{}[k] = {};\n", number(n), writer.offset(n, axes));
    }
    text += "            }\n        }\n";

    text += &each;
    for n in writer.outputs() {
        text += &format!("                {} r{};\n", writer.element(n), number(n));
    }
    let compute = writer.compute(
        |n| match writer.access(n) {
            Access::Immediate => writer.operand(n),
            Access::Index => "(i64)i".to_owned(),
            _ => format!("a{n}[k]"),
        },
        |n| format!("&r{}", number(n)),
    );
    text += &format!("                {compute}\n");
    for n in writer.outputs() {
        let offset = match writer.access(n) {
            Access::Stepped => format!("to{}[k]", number(n)),
            Access::Repeated => "0".to_owned(),
            _ => "i".to_owned(),
        };
        text += &format!("                {}\n", writer.store(n, &offset, &format!("r{}", number(n))));
    }
    text + "            }\n        }\n    }\n"
}
