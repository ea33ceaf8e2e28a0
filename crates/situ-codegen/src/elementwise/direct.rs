//! Kernels in which a thread moves neighbouring elements at once: the dense walk and the walk through rows.

use std::collections::BTreeSet;

use super::variant::{Access, Walk};
use super::writer::Writer;
use crate::coordinates::coordinates;
use crate::signature::{Axes, THREADS};

/// The type of what a thread moves of an operand at once.
fn vector(writer: &Writer<'_>, operand: usize) -> String {
    format!("{}x{}", writer.element(operand), writer.variant.width)
}

/// The type as which it moves.
fn whole(writer: &Writer<'_>, operand: usize) -> String {
    format!("bytes{}", writer.variant.width as usize * writer.program.operand_dtype(operand).size())
}

/// The definitions of those types.
pub(super) fn vector_types(writer: &Writer<'_>) -> String {
    let define = |n: usize| {
        let (element, width, whole) = (writer.element(n), writer.variant.width, whole(writer, n));
        format!("typedef union {{ {element} at[{width}]; {whole} whole; }} {};\n", vector(writer, n))
    };
    let along = writer.operands().filter(|&n| writer.access(n) == Access::Dense);
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
fn group(writer: &Writer<'_>, place: impl Fn(usize) -> String, position: &str) -> String {
    let (width, vectors) = (writer.variant.width as usize, writer.variant.vectors as usize);
    let (which, all) = if vectors > 1 { ("[v]", format!("[{vectors}]")) } else { ("", String::new()) };
    let each_vector = |body: &str| match vectors {
        1 => body.to_owned(),
        _ => format!("UNROLL\n{}", each("v", vectors, body)),
    };
    let mut text = String::new();
    let mut loads = String::new();
    let number = |n: usize| n - writer.inputs().end;
    for n in writer.inputs() {
        let (name, offset, whole) = (writer.operand(n), place(n), whole(writer, n));
        match writer.access(n) {
            Access::Dense => {
                text += &format!("{} a{n}{all};\n", vector(writer, n));
                loads += &format!("a{n}{which}.whole = load_{whole}({name} + {offset});\n");
            }
            Access::Repeated => text += &format!("{} a{n} = {name}[{offset}];\n", writer.element(n)),
            _ => {}
        }
    }
    if !loads.is_empty() {
        text += &each_vector(&loads);
    }
    for n in writer.outputs() {
        text += &format!("{} r{}{all};\n", vector(writer, n), number(n));
    }
    let input = |n: usize| match writer.access(n) {
        Access::Dense => format!("a{n}{which}.at[k]"),
        Access::Index => format!("(i64)({position} + k)"),
        Access::Immediate => writer.operand(n),
        _ => format!("a{n}"),
    };
    let compute = writer.compute_usual(input, |n| format!("&r{}{which}.at[k]", number(n)));
    if writer.has_usual {
        text += "u32 rare = 0u;\n";
    }
    text += &each_vector(&format!("UNROLL\n{}", each("k", width, &compute)));
    let mut stores = String::new();
    for n in writer.outputs() {
        let (whole, name, offset) = (whole(writer, n), writer.operand(n), place(n));
        stores += &format!("store_{whole}({name} + {offset}, r{}{which}.whole);\n", number(n));
    }
    stores = each_vector(&stores);
    if !writer.has_usual {
        return text + &stores;
    }
    let again = single(
        writer,
        |n| match writer.access(n) {
            // Of the offset's own type: it may be negative.
            Access::Dense if writer.variant.walk == Walk::Rows => format!("{} + ({})k", place(n), writer.step_type()),
            Access::Dense => format!("{} + k", place(n)),
            _ => place(n),
        },
        &format!("{position} + k"),
    );
    let again = each("k", width, &again);
    let again = if vectors > 1 { each("v", vectors, &again) } else { again };
    text + &format!("if (rare) {{\n{}}} else {{\n{}}}\n", indented(&again, 1), indented(&stores, 1))
}

/// Loads, computes and stores one element, each operand at its offset.
fn single(writer: &Writer<'_>, offset: impl Fn(usize) -> String, position: &str) -> String {
    let number = |n: usize| n - writer.inputs().end;
    let mut text = String::new();
    for n in writer.outputs() {
        text += &format!("{} e{};\n", writer.element(n), number(n));
    }
    let input = |n: usize| match writer.access(n) {
        Access::Immediate => writer.operand(n),
        Access::Index => format!("(i64)({position})"),
        _ => writer.load(n, &offset(n)),
    };
    text += &format!("{}\n", writer.compute(input, |n| format!("&e{}", number(n))));
    for n in writer.outputs() {
        text += &format!("{}\n", writer.store(n, &offset(n), &format!("e{}", number(n))));
    }
    text
}

/// The dense walk: a thread per group of elements, and one for each element that is left over.
pub(super) fn dense(writer: &Writer<'_>) -> String {
    let (width, vectors) = (u32::from(writer.variant.width), u32::from(writer.variant.vectors));
    let mut text = "    EACH_THREAD {\n".to_owned();
    let place = |at: &str| {
        let at = at.to_owned();
        move |n: usize| if writer.access(n) == Access::Repeated { "0".to_owned() } else { at.clone() }
    };
    let one = single(writer, place("last"), "last");
    if vectors > 1 {
        // Whole blocks need no test, and the last one's elements are taken one by one.
        let elements = THREADS * width * vectors;
        let first = format!("(first + v * {}u)", THREADS * width);
        text += &format!("        u64 start = (u64)BLOCK_X * {elements}u;\n");
        text += &format!("        if (size - start >= {elements}u) {{\n");
        text += &format!("            u64 first = start + THREAD_X * {width}u;\n");
        text += &indented(&group(writer, place(&first), &first), 3);
        text += &format!(
            "        }} else {{\n            for (u64 last = start + THREAD_X; last < size; last += {THREADS}u) {{\n"
        );
        text += &indented(&one, 4);
        return text + "            }\n        }\n    }\n";
    }
    text += &format!("        u64 group = (u64)BLOCK_X * {THREADS}u + THREAD_X;\n");
    text += &format!("        u64 groups = size / {width}u;\n        if (group < groups) {{\n");
    text += &format!("            u64 first = group * {width}u;\n");
    text += &indented(&group(writer, place("first"), "first"), 3);
    if width == 1 {
        return text + "        }\n    }\n";
    }
    text += &format!("        }} else if (group - groups < size % {width}u) {{\n");
    text += &format!("            u64 last = groups * {width}u + (group - groups);\n");
    text += &indented(&one, 3);
    text + "        }\n    }\n"
}

/// The walk through rows: a thread per group of elements of a row. The innermost axis is one of groups.
pub(super) fn rows(writer: &Writer<'_>) -> String {
    let (width, axes, size) = (writer.variant.width, writer.variant.axes, writer.size_type());
    let inner = Axes::Space.coordinate(axes - 1);
    let mut text = format!("    EACH_THREAD {{\n        {size} group = ({size})BLOCK_X * {THREADS}u + THREAD_X;\n");
    text += "        if (group < size) {\n";
    text += &coordinates(Axes::Space, axes, writer.variant.wide, "group", 12);
    let place = |n: usize| match writer.access(n) {
        Access::Dense => format!("({inner} * {width} + {})", writer.offset(n, axes - 1)),
        _ => writer.offset(n, axes - 1),
    };
    text += &indented(&group(writer, place, ""), 3);
    text + "        }\n    }\n"
}
