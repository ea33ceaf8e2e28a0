//! The device library gives the same bits as the meaning in Rust: every op at every dtype, and every conversion.
//!
//! `SITU_TEST_POINTS` sets the number of random points per function, `SITU_TEST_SEED` which they are.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod host;

use std::sync::Arc;

use host::meaning::{Bytes, evaluate, same, shown};
use host::opencl::Device;
use host::points::{Points, special};
use host::{Library, runner};
use situ_codegen::Dialect;
use situ_codegen::elementwise::{element_function, usual_element_function};
use situ_hal::{Command, Elementwise, ProgramRef};
use situ_ir::{Op, Program, scalar_ops};
use situ_types::DType;
use smallvec::smallvec;

fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// Operands of a function: all combinations of special values, or some where they are too many, then random ones.
fn operands(dtypes: &[DType]) -> Vec<Vec<Bytes>> {
    let mut points = Points(setting("SITU_TEST_SEED", 1) as u64);
    let lists: Vec<Vec<Bytes>> = dtypes.iter().map(|&dtype| special(dtype)).collect();
    let combinations: usize = lists.iter().map(Vec::len).product();
    let mut rows = Vec::new();
    if combinations <= 40_000 {
        for mut number in 0..combinations {
            let mut pick = |list: &Vec<Bytes>| {
                let picked = list[number % list.len()];
                number /= list.len();
                picked
            };
            rows.push(lists.iter().map(&mut pick).collect());
        }
    } else {
        for _ in 0..40_000 {
            rows.push(lists.iter().map(|list| list[points.below(list.len())]).collect());
        }
    }
    if let [dtype] = *dtypes
        && dtype.size() <= 2
        && dtype != DType::Bool
    {
        rows = (0..=u16::MAX)
            .map(|bits| vec![std::array::from_fn(|i| *bits.to_ne_bytes().get(i).unwrap_or(&0))])
            .collect();
    }
    for _ in 0..setting("SITU_TEST_POINTS", 20_000) {
        let mut row: Vec<Bytes> = dtypes.iter().map(|&dtype| points.element(dtype)).collect();
        // Operands close to each other or equal are rare by chance.
        if row.len() > 1 && dtypes[0] == dtypes[1] && points.below(16) == 0 {
            row[1] = row[0];
        }
        rows.push(row);
    }
    rows
}

/// A function that applies a program to arrays of operands.
fn loop_over(program: &Program, name: &str) -> String {
    let call = format!("element_{name}({}&out[i]);", arguments(program));
    element_function(program, Dialect::Host, &format!("element_{name}")) + &a_loop(program, name, &call)
}

/// The same by the function for usual elements, if there is one. Rare elements come from the other loop's function.
fn loop_over_usual(program: &Program, name: &str) -> Option<String> {
    let usual = usual_element_function(program, Dialect::Host, &format!("usual_element_{name}"))?;
    let (given, whole) = (arguments(program), format!("element_{name}({}&out[i]);", arguments(program)));
    let call = format!("u32 rare = 0u; usual_element_{name}({given}&out[i], &rare); if (rare) {{ {whole} }}");
    Some(usual + &a_loop(program, &format!("usual_{name}"), &call))
}

fn arguments(program: &Program) -> String {
    (0..program.inputs().len()).map(|n| format!("in{n}[i], ")).collect()
}

fn a_loop(program: &Program, name: &str, call: &str) -> String {
    let inputs = program.inputs().len();
    let type_of = |n: usize| host_type(program.operand_dtype(n));
    let parameters: String = (0..inputs).map(|n| format!(", const {} *in{n}", type_of(n))).collect();
    let out = type_of(inputs);
    format!(
        "\nvoid {name}(u64 count{parameters}, {out} *out) {{\n    \
         for (u64 i = 0; i < count; i++) {{\n        {call}\n    }}\n}}\n"
    )
}

fn host_type(dtype: DType) -> &'static str {
    const NAMES: [&str; 14] =
        ["u8", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "c64", "c128"];
    NAMES[dtype as usize]
}

/// Elements at addresses as aligned as the widest element wants.
#[repr(align(16))]
#[derive(Clone, Copy)]
struct Aligned(#[allow(dead_code, reason = "for its size")] [u8; 16]);

struct Array(Vec<Aligned>);

impl Array {
    fn new(bytes: usize) -> Array {
        Array(vec![Aligned([0; 16]); bytes.div_ceil(16)])
    }

    fn bytes(&mut self) -> &mut [u8] {
        let length = self.0.len() * 16;
        // SAFETY: the vector owns that many initialised bytes.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), length) }
    }
}

/// Compares a compiled loop over a program with its meaning; without one, what a command with the program does.
fn compare(library: Option<&Library>, name: &str, program: &Program) {
    let inputs = program.inputs();
    let out_dtype = program.operand_dtype(inputs.len());
    let rows = operands(inputs);
    let mut arrays: Vec<Array> = inputs.iter().map(|dtype| Array::new(rows.len() * dtype.size())).collect();
    for (n, (array, dtype)) in arrays.iter_mut().zip(inputs).enumerate() {
        for (chunk, row) in array.bytes().chunks_exact_mut(dtype.size()).zip(&rows) {
            chunk.copy_from_slice(&row[n][..dtype.size()]);
        }
    }
    let mut out = Array::new(rows.len() * out_dtype.size());
    let at = |n: usize| arrays[n].0.as_ptr().cast::<u8>();
    let Some(library) = library else {
        let mut command = Elementwise::new(ProgramRef::Shared(Arc::new(program.clone())), smallvec![rows.len()]);
        (0..inputs.len()).for_each(|n| command.push_memory(runner::at(at(n) as usize), &[1]));
        command.push_memory(runner::at(out.0.as_mut_ptr() as usize), &[1]);
        runner::run(&runner::work(&Command::Elementwise(command)));
        return judge(name, program, &rows, &mut out);
    };
    let (count, to) = (rows.len() as u64, out.0.as_mut_ptr().cast::<u8>());
    type Address = *const u8;
    // SAFETY: `loop_over` made functions of these types, and every array has an element per row.
    unsafe {
        match inputs.len() {
            1 => library.function::<extern "C" fn(u64, Address, *mut u8)>(name)(count, at(0), to),
            2 => library.function::<extern "C" fn(u64, Address, Address, *mut u8)>(name)(count, at(0), at(1), to),
            _ => library.function::<extern "C" fn(u64, Address, Address, Address, *mut u8)>(name)(
                count,
                at(0),
                at(1),
                at(2),
                to,
            ),
        }
    }
    judge(name, program, &rows, &mut out);
}

/// Compares results with what they should be.
fn judge(name: &str, program: &Program, rows: &[Vec<Bytes>], out: &mut Array) {
    let inputs = program.inputs();
    let out_dtype = program.operand_dtype(inputs.len());
    let mut wrong = Vec::new();
    let mut count = 0;
    for (got, row) in out.bytes().chunks_exact(out_dtype.size()).zip(rows) {
        let wanted = evaluate(program, row)[0];
        if !same(out_dtype, got, &wanted[..out_dtype.size()]) {
            count += 1;
            if wrong.len() < 8 {
                let args: Vec<String> = row.iter().zip(inputs).map(|(arg, &dtype)| shown(dtype, arg)).collect();
                let (got, wanted) = (shown(out_dtype, got), shown(out_dtype, &wanted));
                wrong.push(format!("({}) gives {got}, not {wanted}", args.join(", ")));
            }
        }
    }
    assert!(count == 0, "{name} is wrong at {count} of {} points:\n{}", rows.len(), wrong.join("\n"));
}

fn check(op: Op) {
    let programs: Vec<(String, Program)> = op
        .rule()
        .domain
        .iter()
        .map(|&dtype| (format!("test_{dtype}"), Program::single(op, &vec![dtype; op.arity()], dtype).unwrap()))
        .collect();
    check_all(&programs);
}

fn check_all(programs: &[(String, Program)]) {
    if Device::chosen().is_some() {
        programs.iter().for_each(|(name, program)| compare(None, name, program));
        return;
    }
    let usual = |(name, program): &(String, Program)| Some((loop_over_usual(program, name)?, format!("usual_{name}")));
    let usuals: Vec<Option<(String, String)>> = programs.iter().map(usual).collect();
    let text: String = programs.iter().map(|(name, program)| loop_over(program, name)).collect();
    let usual_text: String = usuals.iter().flatten().map(|(text, _)| &**text).collect();
    let library = Library::compile(&(text + &usual_text));
    for ((name, program), usual) in programs.iter().zip(&usuals) {
        compare(Some(&library), name, program);
        if let Some((_, name)) = usual {
            compare(Some(&library), name, program);
        }
    }
}

macro_rules! a_test_per_row {
    ($([$variant:ident, $name:ident, $($rest:tt)*])*) => {
        $(
            #[test]
            fn $name() {
                check(Op::$variant);
            }
        )*
    };
}
scalar_ops!(a_test_per_row);

#[test]
fn conversions() {
    let pairs = DType::ALL.into_iter().flat_map(|from| DType::ALL.into_iter().map(move |to| (from, to)));
    let programs: Vec<_> = pairs.map(|(from, to)| (format!("test_{from}_{to}"), Program::convert(from, to))).collect();
    check_all(&programs);
}

/// Were every element rare, the functions for usual ones would be right and of no use.
#[test]
fn usual_elements_are_usual() {
    let ops = Op::ALL.iter().flat_map(|&op| [DType::F32, DType::F64].map(|dtype| (op, dtype)));
    let mut count = 0;
    for (op, dtype) in ops.filter(|(op, dtype)| op.rule().domain.contains(dtype)) {
        let program = Program::single(op, &vec![dtype; op.arity()], dtype).unwrap();
        let Some(usual) = usual_element_function(&program, Dialect::Host, "usual") else { continue };
        let (of, args) = (host_type(dtype), "a, ".repeat(op.arity()));
        let text = format!(
            "{usual}\nu32 some_are_rare(void) {{\n    u32 rare = 0u;\n    {of} out;\n    \
             for ({of} a = ({of})0.01; a < ({of})20; a += ({of})0.01) {{ usual({args}&out, &rare); }}\n    return rare;\n}}\n"
        );
        let library = Library::compile(&text);
        // SAFETY: the text above has a function of this type.
        let rare = unsafe { library.function::<extern "C" fn() -> u32>("some_are_rare")() };
        assert_eq!(rare, 0, "{op} of {dtype}");
        count += 1;
    }
    assert!(count >= 15, "there are {count} such functions");
}
