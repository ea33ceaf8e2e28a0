//! Every command against the null backend's, one element after another.

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use situ_hal::null::{NullConfig, platform};
use situ_hal::{
    Address, Command, IndexCheck, IndexMode, IndexOperand, Indexed, MaskCount, MaskExpand, MaskSelect, Queue, Strided,
    Taken, UnpooledScratch, Values,
};
use situ_types::{DType, Dims, QueueProperties, Strides};

use super::*;
use crate::isa::Isa;

const INTEGERS: [DType; 8] =
    [DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64];
const MODES: [IndexMode; 3] = [IndexMode::Checked, IndexMode::Wrap, IndexMode::Clip];
/// So long that work is divided as finely as it ever is.
const LONG: u64 = 1 << 40;

fn machines() -> impl Iterator<Item = Machine> {
    let sets = Isa::ALL.into_iter().filter(|isa| isa.is_available());
    sets.flat_map(|isa| [1, 3].map(|threads| Machine { isa, threads, last_level_cache: 1 << 20 }))
}

/// Parts in an order in which nobody expects them.
fn backwards(parts: usize, body: &(dyn Fn(usize) + Sync)) {
    (0..parts).rev().for_each(body);
}

fn reference(command: &Command) {
    static QUEUE: LazyLock<Arc<dyn Queue>> = LazyLock::new(|| {
        let platform = platform(NullConfig::default());
        let devices = platform.devices();
        let context = platform.create_context(&devices).unwrap();
        let scratch = Arc::new(UnpooledScratch::new(context.clone(), devices[0].clone()));
        context.create_queue(&devices[0], QueueProperties::default(), scratch).unwrap()
    });
    // SAFETY: the tests' memory outlives the command, which is over when this returns.
    unsafe { QUEUE.submit(command, &[]) }.unwrap();
}

fn execute(command: &Command, machine: &Machine) {
    // SAFETY: the tests' memory outlives the command, and the processor has the instruction set.
    unsafe {
        match command {
            Command::Gather(command) => gather(command, LONG, machine, &backwards),
            Command::Scatter(command) => scatter(command, LONG, machine, &backwards),
            Command::IndexCheck(command) => check(command, LONG, machine, &backwards),
            Command::MaskCount(command) => count(command, LONG, machine, &backwards),
            Command::MaskSelect(command) => select(command, LONG, machine, &backwards),
            Command::MaskExpand(command) => expand(command, LONG, machine, &backwards),
            _ => panic!("not an indexing command"),
        }
    }
}

/// Aligned memory of so many bytes, all different from their neighbours.
fn memory(bytes: usize) -> Vec<u128> {
    (0..bytes.div_ceil(16) as u128).map(|n| (n + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835)).collect()
}

/// Runs the command that `make` gives for an address on fresh memory, and compares what it leaves there.
fn compare(bytes: usize, make: impl Fn(Address) -> Command) {
    let mut expected = memory(bytes);
    reference(&make(Address(expected.as_mut_ptr().cast())));
    for machine in machines() {
        let mut found = memory(bytes);
        execute(&make(Address(found.as_mut_ptr().cast())), &machine);
        assert!(found == expected, "{machine:?}");
    }
}

fn dense(shape: &[usize]) -> Strides {
    let mut step = 1;
    let mut strides: Strides = shape
        .iter()
        .rev()
        .map(|&length| {
            let own = step;
            step *= length as isize;
            own
        })
        .collect();
    strides.reverse();
    strides
}

fn shapes() -> impl Strategy<Value = Dims> {
    prop_oneof![
        proptest::collection::vec(0usize..6, 0..4),
        (1000usize..1700).prop_map(|n| vec![n]),
        (1usize..4, 500usize..700).prop_map(|(rows, columns)| vec![rows, columns]),
        (500usize..700, 1usize..4).prop_map(|(rows, columns)| vec![rows, columns]),
    ]
    .prop_map(Dims::from_vec)
}

/// An index operand: its dtype, mode, axis and, per axis of the iteration space, whether it moves along it.
type Plan = (usize, usize, usize, isize, [bool; 4]);

fn plans() -> impl Strategy<Value = Vec<Plan>> {
    proptest::collection::vec((0usize..8, 0usize..3, 1usize..9, -9isize..10, any::<[bool; 4]>()), 0..3)
}

proptest! {
    #[test]
    fn transfers(
        shape in shapes(), width in 0u32..5, plans in plans(), own in any::<[i8; 4]>(), values in any::<[i8; 7]>(),
        reversed: bool, writes: bool, asks: bool,
    ) {
        let (width, size) = (1usize << width, shape.iter().product::<usize>());
        // Every byte of this is an index of every dtype, in or out of range.
        let indices: Vec<i64> = (0..size.max(1) * 8 + 8).map(|n| values[n % 7] as i64 * (1 + n as i64 % 5)).collect();
        let strides: Strides = own.iter().take(shape.len()).map(|step| *step as isize % 3).collect();
        let reach = |step: isize, length: usize| step.unsigned_abs() * length.saturating_sub(1);
        let far = shape.iter().zip(&strides).map(|(&n, &s)| reach(s, n)).sum::<usize>()
            + plans.iter().map(|plan| reach(plan.3, plan.2)).sum::<usize>();
        let mut elements = dense(&shape);
        let mut first = 2 * far + 1;
        if reversed && size > 0 {
            first += size - 1;
            elements.iter_mut().for_each(|step| *step = -*step);
        }
        let steps = dense(&shape);
        let verdicts = ((2 * far + 1 + size) * width).next_multiple_of(8);
        compare(verdicts + 16 * plans.len(), |address| {
            let at = |element: usize| address.offset((element * width) as isize);
            let operands = plans.iter().enumerate().map(|(n, &(dtype, mode, length, step, moves))| IndexOperand {
                indices: Strided {
                    address: Address(indices.as_ptr().cast_mut().cast()),
                    strides: steps.iter().zip(moves).map(|(&step, moves)| if moves { step } else { 0 }).collect(),
                },
                dtype: INTEGERS[dtype],
                length,
                step,
                mode: MODES[mode],
                verdict: (!writes && mode == 0 && asks).then(|| address.offset((verdicts + 16 * n) as isize)),
            });
            let command = Box::new(Indexed {
                shape: shape.clone(),
                width,
                array: Strided { address: at(far), strides: strides.clone() },
                elements: Strided { address: at(first), strides: elements.clone() },
                indices: operands.collect(),
            });
            if writes { Command::Scatter(command) } else { Command::Gather(command) }
        });
    }

    #[test]
    fn checks(shape in shapes(), dtype in 0usize..8, bad in any::<Option<(usize, i64)>>(), step in -2isize..3) {
        let size = shape.iter().product::<usize>();
        let dtype = INTEGERS[dtype];
        let middle = (size * 2 + 2) * dtype.size();
        let mut bytes = vec![0u64; middle / 4 + 2];
        if let Some((place, value)) = bad {
            let length = bytes.len();
            bytes[place % length] = value as u64;
        }
        let strides: Strides = dense(&shape).iter().map(|own| own * step).collect();
        for length in [1usize, 5, 127, 128, 200, 1 << 40, i64::MAX as usize] {
            compare(16, |verdict| Command::IndexCheck(Box::new(IndexCheck {
                shape: shape.clone(),
                indices: Strided {
                    address: Address(bytes.as_ptr().cast::<u8>().wrapping_add(middle).cast_mut()),
                    strides: strides.clone(),
                },
                dtype,
                length,
                verdict,
            })));
        }
    }

    #[test]
    fn masks(
        shape in shapes(), width in 0u32..5, density in 0u32..5, steps in (-2isize..3, -2isize..3), room in 0usize..3,
        values in 1usize..40, split: bool,
    ) {
        let (width, size) = (1usize << width, shape.iter().product::<usize>());
        let middle = size * 2 + 1;
        let truth = |n: usize| match density {
            0 => 0,
            4 => 255,
            _ => ((n * 2654435761) >> 7) as u8 & (1 << density).min(2),
        };
        let bytes: Vec<u8> = (0..2 * middle).map(truth).collect();
        let source = memory((4 * size + 4) * width);
        let scaled = |step: isize| dense(&shape).iter().map(|own| own * step).collect::<Strides>();
        let middle_of = |memory: *const u8, width: usize| Address(memory.wrapping_add(middle * width).cast_mut());
        let mask = Strided { address: middle_of(bytes.as_ptr(), 1), strides: scaled(steps.0) };
        compare(8, |count| {
            Command::MaskCount(Box::new(MaskCount { shape: shape.clone(), mask: mask.clone(), count }))
        });

        let (shape, mask, capacity) = (&shape, &mask, size / 2 * room);
        let select = |taken: Taken| move |out: Address| Command::MaskSelect(Box::new(MaskSelect {
            shape: shape.clone(), mask: mask.clone(), taken: taken.clone(), out, capacity,
        }));
        let array = Strided { address: middle_of(source.as_ptr().cast(), width), strides: scaled(steps.1) };
        compare(capacity * width + 64, select(Taken::Elements { array, width }));
        let dims = if split && size % 6 == 0 { Dims::from_slice(&[3, size / 6, 2]) } else { Dims::from_slice(&[size]) };
        compare(capacity * dims.len() * 8 + 64, select(Taken::Coordinates(dims)));

        let cycled = Values::Cycled { address: Address(source.as_ptr().cast_mut().cast()), stride: 1, length: values };
        prop_assume!(values <= 4 * size + 4 && steps.1 != 0);
        for values in [Values::Immediate([7; 16]), cycled] {
            compare((4 * size + 4) * width, |address| Command::MaskExpand(Box::new(MaskExpand {
                shape: shape.clone(),
                mask: mask.clone(),
                array: Strided { address: middle_of(address.0, width), strides: scaled(steps.1) },
                width,
                values,
            })));
        }
    }
}

#[test]
fn a_scatter_without_a_free_axis_is_shared_by_place() {
    let parts = std::sync::atomic::AtomicUsize::new(0);
    let note = |count: usize, body: &(dyn Fn(usize) + Sync)| {
        parts.store(count, std::sync::atomic::Ordering::Relaxed);
        (0..count).rev().for_each(body);
    };
    let indices: Vec<i64> = (0..5000).map(|n| n * n % 1013 - 500).collect();
    let values: Vec<f64> = (0..5000).map(f64::from).collect();
    let mut expected = vec![-1.0; 1013];
    indices.iter().zip(&values).for_each(|(index, value)| expected[index.rem_euclid(1013) as usize] = *value);
    let mut found = vec![-1.0; 1013];
    let one = || Strides::from_slice(&[1]);
    let address = |pointer: *const u8| Address(pointer.cast_mut());
    let command = Indexed {
        shape: Dims::from_slice(&[5000]),
        width: 8,
        array: Strided { address: Address(found.as_mut_ptr().cast()), strides: Strides::from_slice(&[0]) },
        elements: Strided { address: address(values.as_ptr().cast()), strides: one() },
        indices: smallvec::smallvec![IndexOperand {
            indices: Strided { address: address(indices.as_ptr().cast()), strides: one() },
            dtype: DType::I64,
            length: 1013,
            step: 1,
            mode: IndexMode::Wrap,
            verdict: None,
        }],
    };
    let machine = Machine { isa: Isa::Baseline, threads: 3, last_level_cache: 1 << 20 };
    // SAFETY: the vectors outlive the call, and every remainder lies in the array.
    unsafe { scatter(&command, LONG, &machine, &note) };
    assert_eq!(parts.into_inner(), 3);
    assert_eq!(found, expected);
}
