//! Kernels in which a thread moves neighbouring elements at once: the dense walk and the walk through rows.

use std::collections::BTreeSet;

use super::access::Kernel;
use super::form::Reach;
use super::plan::THREADS;

/// The type of what a thread moves of an operand at once.
fn vector(kernel: &Kernel<'_>, operand: usize) -> String {
    format!("{}x{}", kernel.element(operand), kernel.form.width)
}

/// The type as which it moves.
fn whole(kernel: &Kernel<'_>, operand: usize) -> String {
    format!("bytes{}", kernel.form.width as usize * kernel.program.operand_dtype(operand).size())
}

/// The definitions of those types.
fn vector_types(kernel: &Kernel<'_>) -> String {
    let define = |n: usize| {
        let (element, width, whole) = (kernel.element(n), kernel.form.width, whole(kernel, n));
        format!("typedef union {{ {element} at[{width}]; {whole} whole; }} {};\n", vector(kernel, n))
    };
    let along = kernel.operands().filter(|&n| kernel.reach(n) == Reach::Along);
    let types: BTreeSet<String> = along.map(define).collect();
    types.into_iter().collect::<String>() + "\n"
}

/// Loads, computes and stores what a thread moves; `place` is an operand's offset and `position` the first element's
/// number.
fn group(kernel: &Kernel<'_>, place: impl Fn(usize) -> String, position: &str) -> String {
    let mut text = String::new();
    let number = |n: usize| n - kernel.inputs().end;
    for n in kernel.inputs() {
        let (vector, name, offset) = (vector(kernel, n), kernel.operand(n), place(n));
        let whole = whole(kernel, n);
        text += &match kernel.reach(n) {
            Reach::Along => {
                format!("            {vector} a{n};\n            a{n}.whole = load_{whole}({name} + {offset});\n")
            }
            Reach::Repeated => format!("            {} a{n} = {name}[{offset}];\n", kernel.element(n)),
            _ => String::new(),
        };
    }
    for n in kernel.outputs() {
        text += &format!("            {} r{};\n", vector(kernel, n), number(n));
    }
    let compute = kernel.compute(
        |n| match kernel.reach(n) {
            Reach::Along => format!("a{n}.at[k]"),
            Reach::Index => format!("(i64)({position} + k)"),
            Reach::Immediate => kernel.operand(n),
            _ => format!("a{n}"),
        },
        |n| format!("&r{}.at[k]", number(n)),
    );
    text += "            UNROLL\n";
    text += &format!("            for (u32 k = 0; k < {}; k++) {{\n", kernel.form.width);
    text += &format!("                {compute}\n            }}\n");
    for n in kernel.outputs() {
        let (whole, name, offset) = (whole(kernel, n), kernel.operand(n), place(n));
        text += &format!("            store_{whole}({name} + {offset}, r{}.whole);\n", number(n));
    }
    text
}

/// The dense walk: a thread per group of elements, and one for each element that is left over.
pub(super) fn dense(kernel: Kernel<'_>) -> String {
    let width = kernel.form.width;
    let number = |n: usize| n - kernel.inputs().end;
    let mut parameters = kernel.operand_parameters();
    parameters.push("u64 count".to_owned());
    let mut text = vector_types(&kernel) + &kernel.declaration(&parameters);
    text += "    EACH_THREAD {\n";
    text += &format!("        u64 group = (u64)BLOCK_X * {THREADS}u + THREAD_X;\n");
    text += &format!("        u64 groups = count / {width}u;\n        if (group < groups) {{\n");
    text += &format!("            u64 first = group * {width}u;\n");
    let place = |n: usize| if kernel.reach(n) == Reach::Repeated { "0" } else { "first" }.to_owned();
    text += &group(&kernel, place, "first");
    if width == 1 {
        return text + "        }\n    }\n}\n";
    }
    text += &format!("        }} else if (group - groups < count % {width}u) {{\n");
    text += &format!("            u64 last = groups * {width}u + (group - groups);\n");
    for n in kernel.outputs() {
        text += &format!("            {} r{};\n", kernel.element(n), number(n));
    }
    let compute = kernel.compute(
        |n| match kernel.reach(n) {
            Reach::Immediate => kernel.operand(n),
            Reach::Index => "(i64)last".to_owned(),
            Reach::Repeated => kernel.load(n, "0"),
            _ => kernel.load(n, "last"),
        },
        |n| format!("&r{}", number(n)),
    );
    text += &format!("            {compute}\n");
    for n in kernel.outputs() {
        text += &format!("            {}\n", kernel.store(n, "last", &format!("r{}", number(n))));
    }
    text + "        }\n    }\n}\n"
}

/// The walk through rows: a thread per group of elements of a row.
pub(super) fn rows(kernel: Kernel<'_>) -> String {
    let (width, axes, size) = (kernel.form.width, kernel.form.axes as usize, kernel.size_type());
    let mut parameters = kernel.operand_parameters();
    parameters.push(format!("{size} groups"));
    parameters.extend(kernel.divisor_parameters(axes));
    parameters.extend(kernel.step_parameters(1, |_| true));
    let mut text = vector_types(&kernel) + &kernel.declaration(&parameters);
    text += "    EACH_THREAD {\n";
    text += &format!("        {size} group = ({size})BLOCK_X * {THREADS}u + THREAD_X;\n");
    text += "        if (group < groups) {\n";
    text += &kernel.coordinates("group", axes, "            ");
    let place = |n: usize| match kernel.reach(n) {
        Reach::Along => format!("(({})at0 * {width} + {})", kernel.step_type(), kernel.offset(n, 1)),
        _ => kernel.offset(n, 1),
    };
    text += &group(&kernel, place, "");
    text + "        }\n    }\n}\n"
}
