//! Arrays in guarded memory, commands over them, and the machines they run on.

use std::sync::Arc;

use situ_conformance::{Source, holds};
use situ_hal::{Address, Elementwise, Operand, ProgramRef, SMALL_STEP_INPUTS, SmallStep, SmallStepInput};
use situ_ir::{Program, Step, StepKind, Value};
use situ_types::layout::Layout;
use situ_types::{DType, Scalar};

use super::super::{Machine, cost, execute, small_step};
use crate::isa::Isa;

/// One operand as a test describes it.
#[derive(Clone, Debug)]
pub(super) enum TestOperand {
    /// Memory with these element strides.
    Strided(Vec<isize>),
    Immediate,
    Index,
    /// The same memory as an earlier operand.
    Same(usize),
}

/// A command's shape and each operand, outputs last.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) shape: Vec<usize>,
    pub(super) operands: Vec<TestOperand>,
}

impl Case {
    pub(super) fn dense(shape: &[usize], operands: usize) -> Case {
        let dense: Vec<isize> = Layout::dense(shape, situ_types::Order::C).unwrap().strides().to_vec();
        Case { shape: shape.to_vec(), operands: vec![TestOperand::Strided(dense); operands] }
    }
}

/// Memory aligned like an allocation, with elements the command must not touch on either side.
struct Memory {
    words: Vec<u128>,
    dtype: DType,
    start: usize,
    strides: Vec<isize>,
    /// Where each element is, in the order of the shape.
    places: Vec<usize>,
}

impl Memory {
    fn new(shape: &[usize], strides: &[isize], dtype: DType) -> Memory {
        const GUARD: isize = 5;
        let width = dtype.size();
        let (low, high) = Layout::strided(shape, strides, 0).unwrap().bounds().unwrap();
        let mut places = vec![GUARD - low];
        for (&length, &stride) in shape.iter().zip(strides) {
            places = places.iter().flat_map(|at| (0..length as isize).map(move |i| at + i * stride)).collect();
        }
        Memory {
            words: vec![0x5A5A_5A5A_5A5A_5A5A; ((high - low + 2 * GUARD) as usize * width).div_ceil(16)],
            dtype,
            start: (GUARD - low) as usize * width,
            strides: strides.to_vec(),
            places: places.iter().map(|at| *at as usize * width).collect(),
        }
    }

    fn pointer(&self, at: usize) -> *mut u8 {
        assert!(at + self.dtype.size() <= self.words.len() * 16);
        self.words.as_ptr().cast::<u8>().cast_mut().wrapping_add(at)
    }

    fn read(&self, element: usize) -> [u8; 16] {
        let mut bytes = [0; 16];
        // SAFETY: the element lies inside the vector.
        unsafe { self.pointer(self.places[element]).copy_to_nonoverlapping(bytes.as_mut_ptr(), self.dtype.size()) };
        bytes
    }

    fn write(&mut self, element: usize, bytes: [u8; 16]) {
        let to = self.words.as_mut_ptr().cast::<u8>().wrapping_add(self.places[element]);
        // SAFETY: the element lies inside the vector.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), self.dtype.size()) };
    }
}

/// Every available instruction set, with one thread, with three, and with caches that hold nothing.
pub(super) fn machines() -> Vec<Machine> {
    let available = Isa::ALL.into_iter().filter(|isa| isa.is_available());
    available
        .flat_map(|isa| [(1, usize::MAX), (3, usize::MAX), (1, 0)].map(|(threads, cache)| (isa, threads, cache)))
        .map(|(isa, threads, last_level_cache)| Machine { isa, threads, last_level_cache })
        .collect()
}

/// A fork with real threads.
fn fork(chunks: usize, body: &(dyn Fn(usize) + Sync)) {
    std::thread::scope(|scope| {
        for part in 0..3 {
            scope.spawn(move || (part..chunks).step_by(3).for_each(body));
        }
    });
}

/// How a case is run.
#[derive(Clone, Copy, Debug)]
enum Way {
    Command,
    /// As a small step, where it can be one.
    SmallStep,
}

/// A command as a small step, if it is one step over up to three inputs, which may be converted first, into dense memory
/// that is not theirs.
fn as_small_step(command: &Elementwise) -> Option<SmallStep> {
    let (program, operands, inputs) = (&command.program, command.operands(), command.program.inputs());
    let (last, conversions) = program.steps().split_last()?;
    let converts = |step: &Step| step.kind == StepKind::Cast && step.args[0].index() < inputs.len();
    // The arguments are the inputs, in order, each as it is or converted.
    let source = |value: Value| match value.index().checked_sub(inputs.len()) {
        None => value.index(),
        Some(step) => conversions[step].args[0].index(),
    };
    let is_in_order = last.args.iter().copied().map(source).eq(0..inputs.len());
    let is_last = matches!(program.outputs(), [out] if out.index() == inputs.len() + conversions.len());
    let is_one_step = conversions.iter().all(converts) && is_in_order && is_last;
    let (rows, columns) = match command.shape[..] {
        [columns] => (1, columns),
        [rows, columns] => (rows, columns),
        _ => return None,
    };
    let steps = |n: usize| match *command.strides(n) {
        [column] => (0, column),
        [row, column] => (row, column),
        _ => (0, 0),
    };
    let Operand::Memory(out) = operands[inputs.len()] else { return None };
    let is_dense = |n: usize| steps(n).1 == 1 && (rows == 1 || steps(n).0 == columns as isize);
    if !is_one_step || inputs.len() > SMALL_STEP_INPUTS || rows * columns == 0 || !is_dense(inputs.len()) {
        return None;
    }
    // The first argument of a choice is the condition.
    let reads = program.dtype_of(last.args[usize::from(last.kind == StepKind::Select)]);
    let mut starts = [std::ptr::null(); SMALL_STEP_INPUTS];
    let mut forms = [SmallStepInput { dtype: reads, row: 0, column: 0 }; SMALL_STEP_INPUTS];
    for (n, operand) in operands[..inputs.len()].iter().enumerate() {
        starts[n] = match operand {
            Operand::Memory(address) if *address != out => address.0.cast_const(),
            Operand::Immediate(bytes) => bytes.as_ptr(),
            _ => return None,
        };
        forms[n] = SmallStepInput { dtype: inputs[n], row: steps(n).0, column: steps(n).1 };
    }
    let (kind, writes, count) = (last.kind, last.dtype, inputs.len());
    let mut small_step =
        SmallStep { kind, reads, writes, rows, columns, inputs: count, starts, forms, is_dense: false, out };
    small_step.is_dense = (0..count).all(|n| inputs[n] == small_step.read_dtype(n) && is_dense(n));
    Some(small_step)
}

/// Runs a program over a case on the given machines and compares every byte of every operand with the reference.
pub(super) fn check_on(machines: &[Machine], program: &Program, case: &Case, seed: u64) {
    let inputs = program.inputs().len();
    let elements: usize = case.shape.iter().product();
    let mut source = Source(seed);
    let immediates: Vec<Scalar> = program.inputs().iter().map(|dtype| source.element(*dtype)).collect();
    let mut memories: Vec<Option<Memory>> = vec![];
    for (n, operand) in case.operands.iter().enumerate() {
        let dtype = program.operand_dtype(n);
        let TestOperand::Strided(strides) = operand else {
            memories.push(None);
            continue;
        };
        let mut memory = Memory::new(&case.shape, strides, dtype);
        if n < inputs {
            (0..elements).for_each(|i| memory.write(i, source.element(dtype).to_bytes()));
        }
        memories.push(Some(memory));
    }
    let home = |n: usize| if let TestOperand::Same(other) = case.operands[n] { other } else { n };
    let originals: Vec<Vec<u128>> = memories.iter().flatten().map(|memory| memory.words.clone()).collect();

    let element = |i: usize, n: usize| match &case.operands[n] {
        TestOperand::Immediate => immediates[n],
        TestOperand::Index => Scalar::I64(i as i64),
        _ => Scalar::from_bytes(program.inputs()[n], memories[home(n)].as_ref().unwrap().read(i)),
    };
    let result = |i: usize| program.evaluate(&(0..inputs).map(|n| element(i, n)).collect::<Vec<_>>()).unwrap();
    let results: Vec<_> = (0..elements).map(result).collect();

    for (machine, way) in machines.iter().flat_map(|machine| [Way::Command, Way::SmallStep].map(|way| (machine, way))) {
        for (memory, original) in memories.iter_mut().flatten().zip(&originals) {
            memory.words.clone_from(original);
        }
        let mut command = Elementwise::new(ProgramRef::Shared(Arc::new(program.clone())), case.shape.as_slice().into());
        for n in 0..case.operands.len() {
            match &case.operands[n] {
                TestOperand::Immediate => command.push_immediate(immediates[n].to_bytes()),
                TestOperand::Index => command.push_index(),
                _ => {
                    let memory = memories[home(n)].as_mut().unwrap();
                    let address = Address(memory.words.as_mut_ptr().cast::<u8>().wrapping_add(memory.start));
                    command.push_memory(address, &memory.strides);
                }
            }
        }
        // SAFETY: every operand lies inside its own memory, which nothing else touches meanwhile.
        unsafe {
            match way {
                // Small as they are, commands are shared out wherever there are threads.
                Way::Command if machine.threads > 1 => execute(&command, 1_000_000, machine, &fork),
                Way::Command => execute(&command, cost(&command), machine, &fork),
                Way::SmallStep => match as_small_step(&command) {
                    Some(small_step) => small_step::run(&small_step, machine.isa),
                    None => continue,
                },
            }
        }

        for n in inputs..case.operands.len() {
            let memory = memories[home(n)].as_mut().unwrap();
            for (i, result) in results.iter().enumerate() {
                let (got, wanted) = (memory.read(i), result[n - inputs]);
                assert!(
                    holds(&got[..wanted.dtype().size()], wanted),
                    "element {i} of operand {n} is {got:?}, not {wanted:?}\n{program}\n{case:?} {machine:?} {way:?}",
                );
            }
        }
        // What is left once results are taken back must be what was there before.
        for n in inputs..case.operands.len() {
            let position = memories[..home(n)].iter().flatten().count();
            let memory = memories[home(n)].as_mut().unwrap();
            let before = Memory {
                words: originals[position].clone(),
                places: memory.places.clone(),
                strides: vec![],
                ..*memory
            };
            (0..elements).for_each(|i| memory.write(i, before.read(i)));
        }
        for (memory, original) in memories.iter().flatten().zip(&originals) {
            assert!(memory.words == *original, "something else was written\n{program}\n{case:?} {machine:?} {way:?}");
        }
    }
}

/// Runs a program over a case on every machine.
pub(super) fn check(program: &Program, case: &Case, seed: u64) {
    check_on(&machines(), program, case, seed);
}
