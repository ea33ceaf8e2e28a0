//! Commands for elements by index and by mask.

use situ_hal::{
    Address, Command, IndexCheck, IndexMode, IndexOperand, Indexed, MaskCount, MaskExpand, MaskSelect, Strided, Taken,
    Values,
};
use situ_types::{DType, Dims};
use smallvec::{SmallVec, smallvec};

const INTEGERS: [DType; 8] =
    [DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64];

/// Where every operand is.
const SOMEWHERE: Address = Address(64 as *mut u8);

fn strided(strides: &[isize]) -> Strided {
    Strided { address: SOMEWHERE, strides: strides.into() }
}

/// The kernels for a mask of a shape, and an array of elements of a width.
fn masks(shape: &Dims, mask: &Strided, array: &Strided, width: usize) -> Vec<Command> {
    let (shape, mask, array) = (|| shape.clone(), || mask.clone(), || array.clone());
    let mut all = vec![Command::MaskCount(Box::new(MaskCount { shape: shape(), mask: mask(), count: SOMEWHERE }))];
    for taken in [Taken::Elements { array: array(), width }, Taken::Coordinates(shape())] {
        let select = MaskSelect { shape: shape(), mask: mask(), taken, out: SOMEWHERE, capacity: 10 };
        all.push(Command::MaskSelect(Box::new(select)));
    }
    let cycled = |length| Values::Cycled { address: SOMEWHERE, stride: 1, length };
    for values in [Values::Immediate([0; 16]), cycled(1), cycled(5)] {
        let expand = MaskExpand { shape: shape(), mask: mask(), array: array(), width, values };
        all.push(Command::MaskExpand(Box::new(expand)));
    }
    all
}

/// Every width, dtype, mode, number of axes and size of positions, but not every combination.
pub(super) fn commands() -> Vec<Command> {
    let mut commands = Vec::new();
    let apart: Vec<isize> = (0..20).map(|axis| 1000 + axis * axis).collect();
    for (n, dtype) in INTEGERS.into_iter().enumerate() {
        // Axes of every number in turn, the last of so many that their numbers come from a table.
        let axes = [1, 2, 3, 16][n % 4];
        let mut shape: Dims = smallvec![3; axes];
        if n >= 4 {
            shape[0] = 1 << 33;
        }
        let place = strided(&apart[..axes]);
        commands.push(Command::IndexCheck(Box::new(IndexCheck {
            shape: shape.clone(),
            indices: place.clone(),
            dtype,
            length: 100,
            verdict: SOMEWHERE,
        })));
        for width in if n == 0 { vec![1, 2, 4, 8, 16] } else { vec![[4, 8, 1, 2, 16][n % 5]] } {
            let operand = |indices: &Strided, mode, length, step, asks: bool| IndexOperand {
                indices: indices.clone(),
                dtype,
                length,
                step,
                mode,
                verdict: asks.then_some(SOMEWHERE),
            };
            let near = |mode, asks| operand(&place, mode, 9, 7, asks);
            let sets: [SmallVec<[IndexOperand; 2]>; 4] = [
                smallvec![near(IndexMode::Checked, true)],
                smallvec![near(IndexMode::Wrap, false), near(IndexMode::Clip, false)],
                smallvec![near(IndexMode::Checked, false)],
                smallvec![],
            ];
            for indices in sets {
                let asks = indices.iter().any(|operand| operand.verdict.is_some());
                let (array, elements) = (place.clone(), place.clone());
                let mut indexed = Indexed { shape: shape.clone(), width, array, elements, indices };
                if !asks {
                    commands.push(Command::Scatter(Box::new(indexed.clone())));
                }
                commands.push(Command::Gather(Box::new(indexed.clone())));
                indexed.array.address = Address(72 as *mut u8);
                commands.push(Command::Gather(Box::new(indexed)));
            }
            let mode = [IndexMode::Checked, IndexMode::Wrap, IndexMode::Clip][(n + width) % 3];
            let far = strided(&apart[..2]);
            let indices = smallvec![operand(&far, mode, 1 << 25, -3, mode == IndexMode::Checked)];
            let sizes = smallvec![4096, if n % 2 == 0 { 1 << 13 } else { 1 << 20 }];
            let indexed = Box::new(Indexed { shape: sizes, width, array: strided(&[0; 2]), elements: far, indices });
            commands.extend([Command::Gather(indexed.clone()), Command::Scatter(indexed)]);
            commands.extend(masks(&shape, &place, &place, width));
            commands.extend(masks(&smallvec![1 << (16 + n)], &strided(&[1]), &strided(&[2]), width));
        }
    }
    commands
}
