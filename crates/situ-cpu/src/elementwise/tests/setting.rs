//! Arrays in guarded memory, commands over them, and the machines they run on.

use std::sync::Arc;

use situ_hal::{Address, Elementwise, Operand};
use situ_ir::Program;
use situ_types::layout::{Layout, Strides};

use super::super::{Machine, execute};
use super::reference::{Bytes, Source, evaluate, same};
use crate::isa::Isa;

/// One operand as a test describes it.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// Memory with these element strides.
    Strided(Vec<isize>),
    Immediate,
    Index,
    /// The same memory as an earlier operand.
    Same(usize),
}

/// A command's shape and the form of each operand, outputs last.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) shape: Vec<usize>,
    pub(super) forms: Vec<Form>,
}

impl Case {
    pub(super) fn dense(shape: &[usize], operands: usize) -> Case {
        let dense: Vec<isize> = Layout::dense(shape, situ_types::Order::C).unwrap().strides().to_vec();
        Case { shape: shape.to_vec(), forms: vec![Form::Strided(dense); operands] }
    }
}

/// Memory aligned like an allocation, with elements the command must not touch on either side.
struct Memory {
    words: Vec<u128>,
    layout: Layout,
    width: usize,
}

impl Memory {
    fn new(shape: &[usize], strides: &[isize], width: usize) -> Memory {
        const GUARD: isize = 5;
        let (low, high) = Layout::strided(shape, strides, 0).unwrap().bounds().unwrap();
        let layout = Layout::strided(shape, strides, GUARD - low).unwrap();
        let elements = (high - low + 2 * GUARD) as usize;
        Memory { words: vec![0x5A5A_5A5A_5A5A_5A5A; (elements * width).div_ceil(16)], layout, width }
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: the vector's memory, seen as bytes.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.words.len() * 16) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above; any byte is part of a valid integer.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), self.words.len() * 16) }
    }

    fn at(&self, index: &[usize]) -> usize {
        let step = |(i, s): (&usize, &isize)| *i as isize * s;
        let position = self.layout.offset() + index.iter().zip(self.layout.strides()).map(step).sum::<isize>();
        position as usize * self.width
    }

    fn read(&self, index: &[usize]) -> Bytes {
        let (at, mut bytes) = (self.at(index), [0; 16]);
        bytes[..self.width].copy_from_slice(&self.bytes()[at..at + self.width]);
        bytes
    }

    fn write(&mut self, index: &[usize], bytes: Bytes) {
        let (at, width) = (self.at(index), self.width);
        self.bytes_mut()[at..at + width].copy_from_slice(&bytes[..width]);
    }
}

fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |done, &n| {
        done.iter().flat_map(|index| (0..n).map(|i| [index.as_slice(), &[i]].concat())).collect()
    })
}

/// Every available instruction set; one thread and three; caches that are never, and always, too small.
pub(super) fn machines() -> Vec<Machine> {
    let available = Isa::ALL.into_iter().filter(|isa| isa.is_available());
    available
        .flat_map(|isa| [(1, usize::MAX), (3, usize::MAX), (1, 0), (3, 0)].map(|(n, cache)| (isa, n, cache)))
        .map(|(isa, threads, last_level_cache)| Machine { isa, threads, last_level_cache })
        .collect()
}

/// A fork with real threads.
pub(super) fn fork(chunks: usize, body: &(dyn Fn(usize) + Sync)) {
    std::thread::scope(|scope| {
        for i in 0..chunks {
            scope.spawn(move || body(i));
        }
    });
}

/// Runs a program over a case on the given machines and compares every byte of every operand with the reference.
pub(super) fn check_on(machines: &[Machine], program: &Program, case: &Case, seed: u64) {
    let inputs = program.inputs().len();
    let mut source = Source(seed);
    let immediates: Vec<Bytes> = program.inputs().iter().map(|dtype| source.element(*dtype)).collect();
    let mut memories: Vec<Option<Memory>> = vec![];
    for (n, form) in case.forms.iter().enumerate() {
        let dtype = program.operand_dtype(n);
        memories.push(match form {
            Form::Strided(strides) => Some(Memory::new(&case.shape, strides, dtype.size())),
            _ => None,
        });
        if let (Some(memory), true) = (&mut memories[n], n < inputs) {
            for index in indices(&case.shape) {
                memory.write(&index, source.element(dtype));
            }
        }
    }
    let home = |n: usize| if let Form::Same(other) = case.forms[n] { other } else { n };
    let originals: Vec<Option<Vec<u128>>> = memories.iter().map(|m| m.as_ref().map(|m| m.words.clone())).collect();

    let mut results = vec![];
    for (position, index) in indices(&case.shape).into_iter().enumerate() {
        let element = |n: usize| match &case.forms[n] {
            Form::Immediate => immediates[n],
            Form::Index => u128::to_ne_bytes(position as u128),
            _ => memories[home(n)].as_ref().unwrap().read(&index),
        };
        results.push(evaluate(program, &(0..inputs).map(element).collect::<Vec<_>>()));
    }

    for machine in machines {
        for (memory, original) in memories.iter_mut().zip(&originals) {
            if let (Some(memory), Some(original)) = (memory, original) {
                memory.words.clone_from(original);
            }
        }
        let operand = |n: usize| match &case.forms[n] {
            Form::Immediate => Operand::Immediate(immediates[n]),
            Form::Index => Operand::Index,
            _ => {
                let memory = memories[home(n)].as_ref().unwrap();
                let start = memory.layout.offset() as usize * memory.width;
                let strides = Strides::from_slice(memory.layout.strides());
                Operand::Memory { address: Address(memory.bytes()[start..].as_ptr().cast_mut()), strides }
            }
        };
        let command = Elementwise {
            program: Arc::new(program.clone()),
            shape: case.shape.as_slice().into(),
            operands: (0..case.forms.len()).map(operand).collect(),
        };
        // SAFETY: every operand lies inside its own memory, which nothing else touches meanwhile.
        unsafe { execute(&command, machine, &fork) };

        let mut expected: Vec<Option<Vec<u128>>> = originals.clone();
        for n in inputs..case.forms.len() {
            let dtype = program.operand_dtype(n);
            let memory = memories[home(n)].as_mut().unwrap();
            for (index, result) in indices(&case.shape).into_iter().zip(&results) {
                let (got, wanted) = (memory.read(&index), result[n - inputs]);
                let width = memory.width;
                assert!(
                    same(dtype, &got[..width], &wanted[..width]),
                    "element {index:?} of operand {n} is {:?}, not {:?}\n{program}\n{case:?} {machine:?}",
                    &got[..width],
                    &wanted[..width],
                );
                let at = memory.at(&index);
                let words = expected[home(n)].as_mut().unwrap().as_mut_ptr().cast::<u8>();
                // SAFETY: the position lies inside both vectors of the same length.
                unsafe { words.add(at).copy_from_nonoverlapping(got.as_ptr(), width) };
            }
        }
        for (n, (memory, expected)) in memories.iter().zip(&expected).enumerate() {
            let words = memory.as_ref().map(|memory| &memory.words);
            assert!(words == expected.as_ref(), "operand {n} was written out of bounds\n{program}\n{case:?} {machine:?}");
        }
    }
}

/// Runs a program over a case on every machine.
pub(super) fn check(program: &Program, case: &Case, seed: u64) {
    check_on(&machines(), program, case, seed);
}
