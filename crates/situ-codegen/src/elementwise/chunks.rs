//! The dense walk of a processor: one thread goes through many neighbours.

use super::variant::Access;
use super::writer::Writer;

/// Elements that are computed before the first of them is written. An output may be an input, so that loops which read and
/// write could not become vectors.
pub(super) const AT_ONCE: u32 = 256;

/// The walk through chunks.
pub(super) fn chunks(writer: &Writer<'_>) -> String {
    let number = |n: usize| n - writer.inputs().end;
    let mut text = format!(
        "    EACH_THREAD {{
        const u64 start = (u64)BLOCK_X * segment;
        const u64 end = size - start < segment ? size : start + segment;
        for (u64 first = start; first < end; first += {AT_ONCE}u) {{
            const u32 count = end - first < {AT_ONCE}u ? (u32)(end - first) : {AT_ONCE}u;\n"
    );
    for n in writer.inputs().filter(|&n| writer.access(n) == Access::Repeated) {
        text += &format!("            const {} a{n} = {};\n", writer.element(n), writer.load(n, "0"));
    }
    for n in writer.outputs() {
        text += &format!("            {} r{}[{AT_ONCE}];\n", writer.element(n), number(n));
    }
    let input = |n: usize| match writer.access(n) {
        Access::Immediate => writer.operand(n),
        Access::Index => "(i64)(first + k)".to_owned(),
        Access::Repeated => format!("a{n}"),
        _ => writer.load(n, "first + k"),
    };
    let output = |n: usize| format!("&r{}[k]", number(n));
    let each = |body: &str| format!("for (u32 k = 0; k < count; k++) {body}\n");
    if writer.has_usual {
        text += "            u32 rare = 0u;\n";
    }
    text += &format!("            {}", each(&writer.compute_usual(input, output)));
    if writer.has_usual {
        text += &format!("            if (rare) {}", each(&writer.compute(input, output)));
    }
    for n in writer.outputs() {
        text += &format!("            {}", each(&writer.store(n, "first + k", &format!("r{}[k]", number(n)))));
    }
    text + "        }\n    }\n"
}
