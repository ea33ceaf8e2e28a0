//! Kernels for any steps: neighbouring threads take neighbouring elements, each thread several a block apart.

use super::access::Kernel;
use super::form::Reach;
use super::plan::THREADS;

/// The strided walk.
pub(super) fn strided(kernel: Kernel<'_>) -> String {
    let (width, axes, size) = (kernel.form.width, kernel.form.axes as usize, kernel.size_type());
    let mut parameters = kernel.operand_parameters();
    parameters.push(format!("{size} count"));
    parameters.extend(kernel.divisor_parameters(axes));
    parameters.extend(kernel.step_parameters(0, |n| kernel.reach(n) == Reach::Stepped));
    let mut text = kernel.declaration(&parameters);
    text += "    EACH_THREAD {\n";
    text += &format!("        {size} first = ({size})BLOCK_X * {}u + THREAD_X;\n", THREADS * width as usize);
    for n in kernel.inputs().filter(|&n| kernel.reach(n).is_memory()) {
        text += &format!("        {} a{n}[{width}];\n", kernel.element(n));
    }
    let number = |n: usize| n - kernel.inputs().end;
    for n in kernel.outputs().filter(|&n| kernel.reach(n) == Reach::Stepped) {
        text += &format!("        {} to{}[{width}];\n", kernel.step_type(), number(n));
    }
    let each = format!(
        "        UNROLL\n        for (u32 k = 0; k < {width}; k++) {{\n            \
         {size} i = first + k * {THREADS}u;\n            if (i < count) {{\n"
    );

    // All loads come before the first store, so that they are under way together.
    text += &each;
    if kernel.operands().any(|n| kernel.reach(n) == Reach::Stepped) {
        text += &kernel.coordinates("i", axes, "                ");
    }
    for n in kernel.inputs() {
        let offset = match kernel.reach(n) {
            Reach::Stepped => kernel.offset(n, 0),
            Reach::Along => "i".to_owned(),
            Reach::Repeated => "0".to_owned(),
            _ => continue,
        };
        text += &format!("                a{n}[k] = {};\n", kernel.load(n, &offset));
    }
    for n in kernel.outputs().filter(|&n| kernel.reach(n) == Reach::Stepped) {
        text += &format!("                to{}[k] = {};\n", number(n), kernel.offset(n, 0));
    }
    text += "            }\n        }\n";

    text += &each;
    for n in kernel.outputs() {
        text += &format!("                {} r{};\n", kernel.element(n), number(n));
    }
    let compute = kernel.compute(
        |n| match kernel.reach(n) {
            Reach::Immediate => kernel.operand(n),
            Reach::Index => "(i64)i".to_owned(),
            _ => format!("a{n}[k]"),
        },
        |n| format!("&r{}", number(n)),
    );
    text += &format!("                {compute}\n");
    for n in kernel.outputs() {
        let offset = match kernel.reach(n) {
            Reach::Stepped => format!("to{}[k]", number(n)),
            Reach::Repeated => "0".to_owned(),
            _ => "i".to_owned(),
        };
        text += &format!("                {}\n", kernel.store(n, &offset, &format!("r{}", number(n))));
    }
    text + "            }\n        }\n    }\n}\n"
}
