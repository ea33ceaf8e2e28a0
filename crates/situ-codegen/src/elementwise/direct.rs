//! Kernels in which a thread moves neighbouring elements at once: the dense walk and the walk through rows.

use std::collections::BTreeSet;

use super::access::Kernel;
use super::form::{Reach, Walk};
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

/// Lines set in by so many steps.
fn indented(text: &str, steps: usize) -> String {
    text.lines().map(|line| format!("{}{line}\n", "    ".repeat(steps))).collect()
}

/// A loop over a body of lines.
fn each(variable: &str, count: usize, body: &str) -> String {
    format!("for (u32 {variable} = 0; {variable} < {count}; {variable}++) {{\n{}}}\n", indented(body, 1))
}

/// Loads, computes and stores what a thread moves; `place` is an operand's offset and `position` the first element's
/// number, both of the vector numbered `v` where there are several.
fn group(kernel: &Kernel<'_>, place: impl Fn(usize) -> String, position: &str) -> String {
    let (width, vectors) = (kernel.form.width as usize, kernel.form.vectors as usize);
    let (which, all) = if vectors > 1 { ("[v]", format!("[{vectors}]")) } else { ("", String::new()) };
    let each_vector = |body: &str| match vectors {
        1 => body.to_owned(),
        _ => format!("UNROLL\n{}", each("v", vectors, body)),
    };
    let mut text = String::new();
    let mut loads = String::new();
    let number = |n: usize| n - kernel.inputs().end;
    for n in kernel.inputs() {
        let (name, offset, whole) = (kernel.operand(n), place(n), whole(kernel, n));
        match kernel.reach(n) {
            Reach::Along => {
                text += &format!("{} a{n}{all};\n", vector(kernel, n));
                loads += &format!("a{n}{which}.whole = load_{whole}({name} + {offset});\n");
            }
            Reach::Repeated => text += &format!("{} a{n} = {name}[{offset}];\n", kernel.element(n)),
            _ => {}
        }
    }
    if !loads.is_empty() {
        text += &each_vector(&loads);
    }
    for n in kernel.outputs() {
        text += &format!("{} r{}{all};\n", vector(kernel, n), number(n));
    }
    let input = |n: usize| match kernel.reach(n) {
        Reach::Along => format!("a{n}{which}.at[k]"),
        Reach::Index => format!("(i64)({position} + k)"),
        Reach::Immediate => kernel.operand(n),
        _ => format!("a{n}"),
    };
    let compute = kernel.compute_usual(input, |n| format!("&r{}{which}.at[k]", number(n)));
    if kernel.has_usual {
        text += "u32 rare = 0u;\n";
    }
    text += &each_vector(&format!("UNROLL\n{}", each("k", width, &compute)));
    let mut stores = String::new();
    for n in kernel.outputs() {
        let (whole, name, offset) = (whole(kernel, n), kernel.operand(n), place(n));
        stores += &format!("store_{whole}({name} + {offset}, r{}{which}.whole);\n", number(n));
    }
    stores = each_vector(&stores);
    if !kernel.has_usual {
        return text + &stores;
    }
    let again = single(
        kernel,
        |n| match kernel.reach(n) {
            // Of the offset's own type: it may be negative.
            Reach::Along if kernel.form.walk == Walk::Rows => format!("{} + ({})k", place(n), kernel.step_type()),
            Reach::Along => format!("{} + k", place(n)),
            _ => place(n),
        },
        &format!("{position} + k"),
    );
    let again = each("k", width, &again);
    let again = if vectors > 1 { each("v", vectors, &again) } else { again };
    text + &format!("if (rare) {{\n{}}} else {{\n{}}}\n", indented(&again, 1), indented(&stores, 1))
}

/// Loads, computes and stores one element, each operand at its offset.
fn single(kernel: &Kernel<'_>, offset: impl Fn(usize) -> String, position: &str) -> String {
    let number = |n: usize| n - kernel.inputs().end;
    let mut text = String::new();
    for n in kernel.outputs() {
        text += &format!("{} e{};\n", kernel.element(n), number(n));
    }
    let input = |n: usize| match kernel.reach(n) {
        Reach::Immediate => kernel.operand(n),
        Reach::Index => format!("(i64)({position})"),
        _ => kernel.load(n, &offset(n)),
    };
    text += &format!("{}\n", kernel.compute(input, |n| format!("&e{}", number(n))));
    for n in kernel.outputs() {
        text += &format!("{}\n", kernel.store(n, &offset(n), &format!("e{}", number(n))));
    }
    text
}

/// The dense walk: a thread per group of elements, and one for each element that is left over.
pub(super) fn dense(kernel: Kernel<'_>) -> String {
    let (width, vectors) = (kernel.form.width as usize, kernel.form.vectors as usize);
    let mut parameters = kernel.operand_parameters();
    parameters.push("u64 count".to_owned());
    let mut text = vector_types(&kernel) + &kernel.declaration(&parameters);
    text += "    EACH_THREAD {\n";
    let place = |at: &str| {
        let at = at.to_owned();
        move |n: usize| if kernel.reach(n) == Reach::Repeated { "0".to_owned() } else { at.clone() }
    };
    let one = single(&kernel, place("last"), "last");
    if vectors > 1 {
        // Whole blocks need no test, and the last one's elements are taken one by one.
        let elements = THREADS * width * vectors;
        let first = format!("(first + v * {}u)", THREADS * width);
        text += &format!("        u64 start = (u64)BLOCK_X * {elements}u;\n");
        text += &format!("        if (count - start >= {elements}u) {{\n");
        text += &format!("            u64 first = start + THREAD_X * {width}u;\n");
        text += &indented(&group(&kernel, place(&first), &first), 3);
        text += &format!(
            "        }} else {{\n            for (u64 last = start + THREAD_X; last < count; last += {THREADS}u) {{\n"
        );
        text += &indented(&one, 4);
        return text + "            }\n        }\n    }\n}\n";
    }
    text += &format!("        u64 group = (u64)BLOCK_X * {THREADS}u + THREAD_X;\n");
    text += &format!("        u64 groups = count / {width}u;\n        if (group < groups) {{\n");
    text += &format!("            u64 first = group * {width}u;\n");
    text += &indented(&group(&kernel, place("first"), "first"), 3);
    if width == 1 {
        return text + "        }\n    }\n}\n";
    }
    text += &format!("        }} else if (group - groups < count % {width}u) {{\n");
    text += &format!("            u64 last = groups * {width}u + (group - groups);\n");
    text += &indented(&one, 3);
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
    text += &indented(&group(&kernel, place, ""), 3);
    text + "        }\n    }\n}\n"
}
