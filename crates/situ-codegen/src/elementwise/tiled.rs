//! Kernels that turn tiles of their inputs round in shared memory.

use super::access::Kernel;
use super::form::Reach;
use super::plan::THREADS;

/// The tiled walk. Axis 0 is the one along which the output lies densely, axis 1 the one along which staged inputs do.
pub(super) fn tiled(kernel: Kernel<'_>) -> String {
    let (side, axes, size) = (kernel.form.width as usize, kernel.form.axes as usize, kernel.size_type());
    let number = |n: usize| n - kernel.inputs().end;
    let staged = || kernel.inputs().filter(|&n| kernel.reach(n) == Reach::Staged);
    let loaded = || kernel.inputs().filter(|&n| kernel.reach(n) == Reach::Stepped);
    let mut parameters = kernel.operand_parameters();
    parameters.extend([format!("{size} size0"), format!("{size} size1")]);
    parameters.extend(kernel.divisor_parameters(axes));
    parameters.extend(kernel.step_parameters(0, |_| true));
    let mut text = kernel.declaration(&parameters);
    for n in staged() {
        // A column more than the tile has, so that a column's elements lie in different banks.
        text += &format!("    SHARED {} tile{n}[{side}][{}];\n", kernel.element(n), side + 1);
    }

    // `at0` and `at1` are a tile's number until they are an element's.
    let tile = kernel.coordinates(&format!("({size})BLOCK_X"), axes, "        ");
    let tile = tile.replace(" at0 =", " tile_at0 =").replace(" at1 =", " tile_at1 =");
    let each = |across: &str, along: &str| {
        format!(
            "        UNROLL\n        for (u32 k = 0; k < {}; k++) {{\n            \
             u32 x = (THREAD_X + k * {THREADS}u) % {side}u;\n            \
             u32 y = (THREAD_X + k * {THREADS}u) / {side}u;\n            \
             {size} at{across} = tile_at{across} * {side}u + x;\n            \
             {size} at{along} = tile_at{along} * {side}u + y;\n            \
             if (at0 < size0 && at1 < size1) {{\n",
            side * side / THREADS
        )
    };
    let end = "            }\n        }\n";

    text += &format!("    EACH_THREAD {{\n{tile}{}", each("1", "0"));
    for n in staged() {
        text += &format!("                tile{n}[y][x] = {};\n", kernel.load(n, &kernel.offset(n, 0)));
    }
    text += &format!("{end}    }}\n    BARRIER();\n    EACH_THREAD {{\n{tile}");
    for n in loaded() {
        text += &format!("        {} a{n}[{}];\n", kernel.element(n), side * side / THREADS);
    }
    if loaded().next().is_some() {
        text += &each("0", "1");
        for n in loaded() {
            text += &format!("                a{n}[k] = {};\n", kernel.load(n, &kernel.offset(n, 0)));
        }
        text += end;
    }
    text += &each("0", "1");
    for n in kernel.outputs() {
        text += &format!("                {} r{};\n", kernel.element(n), number(n));
    }
    let compute = kernel.compute(
        |n| match kernel.reach(n) {
            Reach::Staged => format!("tile{n}[x][y]"),
            Reach::Immediate => kernel.operand(n),
            _ => format!("a{n}[k]"),
        },
        |n| format!("&r{}", number(n)),
    );
    text += &format!("                {compute}\n");
    for n in kernel.outputs() {
        let store = kernel.store(n, &kernel.offset(n, 0), &format!("r{}", number(n)));
        text += &format!("                {store}\n");
    }
    text + end + "    }\n}\n"
}
