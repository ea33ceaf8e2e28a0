//! Kernels that turn tiles of their inputs round in local memory.

use super::variant::Access;
use super::writer::Writer;
use crate::coordinates::coordinates;
use crate::signature::{Axes, Parameter, THREADS};

/// The tiled walk. The output lies densely along the innermost axis, staged inputs along the one around it.
pub(super) fn tiled(writer: &Writer<'_>) -> String {
    let (side, axes, wide) = (u32::from(writer.variant.width), writer.variant.axes, writer.variant.wide);
    let number = |n: usize| n - writer.inputs().end;
    let staged = || writer.inputs().filter(|&n| writer.access(n) == Access::Staged);
    let loaded = || writer.inputs().filter(|&n| writer.access(n) == Access::Stepped);
    let mut text = String::new();
    for n in staged() {
        // A column more than the tile has, so that a column's elements lie in different banks.
        text += &format!("    SHARED {} tile{n}[{side}][{}];\n", writer.element(n), side + 1);
    }

    let mut tile = coordinates(Axes::Tiles, axes, wide, &format!("({})BLOCK_X", writer.size_type()), 8);
    for axis in 0..axes - 2 {
        let (own, whole) = (Axes::Space.coordinate(axis), Axes::Tiles.coordinate(axis));
        tile += &format!("        const {} {own} = {whole};\n", writer.step_type());
    }
    let (outer, inner) = (axes - 2, axes - 1);
    let each = |across: u8, along: u8| {
        let start = |axis: u8, at: &str| {
            let (own, tile, of) = (Axes::Space.coordinate(axis), Axes::Tiles.coordinate(axis), writer.step_type());
            format!("            const {of} {own} = {tile} * {side} + ({of}){at};\n")
        };
        let inside = |axis: u8| {
            let (own, of) = (Axes::Space.coordinate(axis), writer.size_type());
            format!("({of}){own} < {}", Parameter::Extent(Axes::Space, axis).name())
        };
        format!(
            "        UNROLL\n        for (u32 k = 0; k < {}; k++) {{\n            \
             u32 x = (THREAD_X + k * {THREADS}u) % {side}u;\n            \
             u32 y = (THREAD_X + k * {THREADS}u) / {side}u;\n{}{}            \
             if ({} && {}) {{\n",
            side * side / THREADS,
            start(across, "x"),
            start(along, "y"),
            inside(inner),
            inside(outer),
        )
    };
    let end = "            }\n        }\n";

    text += &format!("    EACH_THREAD {{\n{tile}{}", each(outer, inner));
    for n in staged() {
        text += &format!("                tile{n}[y][x] = {};\n", writer.load(n, &writer.offset(n, axes)));
    }
    text += &format!("{end}    }}\n    BARRIER();\n    EACH_THREAD {{\n{tile}");
    for n in loaded() {
        text += &format!("        {} a{n}[{}];\n", writer.element(n), side * side / THREADS);
    }
    if loaded().next().is_some() {
        text += &each(inner, outer);
        for n in loaded() {
            text += &format!("                a{n}[k] = {};\n", writer.load(n, &writer.offset(n, axes)));
        }
        text += end;
    }
    text += &each(inner, outer);
    for n in writer.outputs() {
        text += &format!("                {} r{};\n", writer.element(n), number(n));
    }
    let compute = writer.compute(
        |n| match writer.access(n) {
            Access::Staged => format!("tile{n}[x][y]"),
            Access::Immediate => writer.operand(n),
            _ => format!("a{n}[k]"),
        },
        |n| format!("&r{}", number(n)),
    );
    text += &format!("                {compute}\n");
    for n in writer.outputs() {
        let store = writer.store(n, &writer.offset(n, axes), &format!("r{}", number(n)));
        text += &format!("                {store}\n");
    }
    text + end + "    }\n"
}
