//! Elements moved by index and by mask, against one after another.

use situ_hal::{
    Address, Command, IndexCheck, IndexMode, IndexOperand, Indexed, MaskCount, MaskExpand, MaskSelect, Strided, Taken,
    Values,
};
use situ_ir::interpret::cast;
use situ_types::{DType, DTypeKind, Scalar};

use crate::Source;
use crate::bench::{Bench, Operand, compare};
use crate::layout::{Layout, any_shape};

/// A dtype of that width, by which elements are compared.
fn of_width(width: usize) -> DType {
    match width {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        8 => DType::U64,
        // `distinct` makes no NaN, whose bits would not count.
        _ => DType::C128,
    }
}

/// Memory for a layout whose elements differ from their neighbours.
fn distinct(source: &mut Source, layout: &Layout, width: usize) -> Operand {
    layout.filled(source, of_width(width), |_, i| {
        [(i as f64 + 0.25).to_ne_bytes(), (-(i as f64)).to_ne_bytes()].concat().try_into().unwrap()
    })
}

fn at(address: Address, layout: &Layout, width: usize) -> Strided {
    Strided { address: address.offset(layout.start(width)), strides: layout.steps.iter().copied().collect() }
}

fn integers() -> Vec<DType> {
    DType::ALL.into_iter().filter(|dtype| dtype.kind() == DTypeKind::Integer).collect()
}

/// An axis that is indexed: its length, the elements from one position to the next, and the indices.
#[derive(Clone, Debug)]
struct IndexedAxis {
    length: usize,
    step: isize,
    mode: IndexMode,
    dtype: DType,
    layout: Layout,
    verdict: bool,
}

/// Gathers with indices inside and outside, of every dtype and mode, with and without a verdict.
pub(crate) fn gathers(bench: &Bench) {
    let mut source = Source(9);
    for round in 0..120 {
        let (shape, width) = (any_shape(&mut source), source.pick(&[1, 2, 4, 8, 16]));
        let mut axes = vec![];
        for _ in 0..1 + source.below(2) {
            let mode = source.pick(&[IndexMode::Checked, IndexMode::Wrap, IndexMode::Clip]);
            let (length, step) = (1 + source.below(60), source.below(9) as isize - 4);
            let (dtype, layout) = (source.pick(&integers()), Layout::any(&mut source, &shape, true));
            axes.push(IndexedAxis {
                length,
                step,
                mode,
                dtype,
                layout,
                verdict: mode == IndexMode::Checked && round % 3 == 0,
            });
        }
        let own = Layout::any(&mut source, &shape, true);
        // The array spans what its own steps and those along the indexed axes reach together.
        let lengths: Vec<usize> = shape.iter().copied().chain(axes.iter().map(|axis| axis.length)).collect();
        let steps: Vec<isize> = own.steps.iter().copied().chain(axes.iter().map(|axis| axis.step)).collect();
        let (array, elements) = (Layout::new(&lengths, &steps), Layout::any(&mut source, &shape, false));
        let own = Layout { steps: own.steps, ..array.clone() };
        let mut operands = vec![distinct(&mut source, &array, width), distinct(&mut source, &elements, width)];
        for axis in &axes {
            let (reach, dtype) = (axis.length as i64, axis.dtype);
            // From inside, and sometimes a little outside of either end.
            let spread = if axis.mode != IndexMode::Checked || axis.verdict { 4 * reach } else { 2 * reach };
            operands.push(axis.layout.filled(&mut source, dtype, |source, _| {
                cast(Scalar::I64(source.below(spread as usize) as i64 - spread / 2), dtype).to_bytes()
            }));
            operands.push(Layout::dense(&[2]).operand(&mut source, DType::I64));
        }
        compare(bench, &operands, |addresses| {
            let operand = |(n, axis): (usize, &IndexedAxis)| IndexOperand {
                indices: at(addresses[2 + 2 * n], &axis.layout, axis.dtype.size()),
                dtype: axis.dtype,
                length: axis.length,
                step: axis.step,
                mode: axis.mode,
                verdict: axis.verdict.then(|| addresses[3 + 2 * n].offset(Layout::dense(&[2]).start(8))),
            };
            Command::Gather(Box::new(Indexed {
                shape: shape.as_slice().into(),
                width,
                array: at(addresses[0], &own, width),
                elements: at(addresses[1], &elements, width),
                indices: axes.iter().enumerate().map(operand).collect(),
            }))
        });
    }
}

/// Scatters to places of which none is meant twice: which of several elements would stay is the device's choice.
pub(crate) fn scatters(bench: &Bench) {
    let mut source = Source(10);
    for _ in 0..60 {
        let (count, row, width) = (1 + source.below(2000), 1 + source.below(4), source.pick(&[1, 2, 4, 8, 16]));
        let (length, shape) = (count + source.below(50), [count, row]);
        let mut places: Vec<usize> = (0..length).collect();
        (0..length).for_each(|i| places.swap(i, source.below(length)));
        let mode = source.pick(&[IndexMode::Checked, IndexMode::Wrap, IndexMode::Clip]);
        let dtype = source.pick(&[DType::I16, DType::I32, DType::I64, DType::U32]);
        let from_end = matches!(mode, IndexMode::Checked | IndexMode::Wrap) && dtype != DType::U32;
        let along = Layout::any(&mut source, &[count], false);
        let indices = Layout { steps: vec![along.steps[0], 0], ..along };
        let array = Layout::dense(&[length, row]);
        let own = Layout { steps: vec![0, 1], ..array.clone() };
        let elements = Layout::any(&mut source, &shape, true);
        let step = indices.steps[0];
        let operands = [
            distinct(&mut source, &array, width),
            distinct(&mut source, &elements, width),
            indices.filled(&mut source, dtype, |_, i| {
                let nth = (i as isize - indices.first as isize) / step;
                let place = places[nth.rem_euclid(count as isize) as usize] as i64;
                let back = if from_end && place % 3 == 0 { length as i64 } else { 0 };
                cast(Scalar::I64(place - back), dtype).to_bytes()
            }),
        ];
        compare(bench, &operands, |addresses| {
            let operand = IndexOperand {
                indices: at(addresses[2], &indices, dtype.size()),
                dtype,
                length,
                step: row as isize,
                mode,
                verdict: None,
            };
            Command::Scatter(Box::new(Indexed {
                shape: shape.as_slice().into(),
                width,
                array: at(addresses[0], &own, width),
                elements: at(addresses[1], &elements, width),
                indices: [operand].into_iter().collect(),
            }))
        });
    }
}

/// The first index outside its axis, if there is one.
pub(crate) fn index_checks(bench: &Bench) {
    let mut source = Source(11);
    for round in 0..90 {
        let (shape, dtype) = (any_shape(&mut source), source.pick(&integers()));
        let (layout, length) = (Layout::any(&mut source, &shape, true), 1 + source.below(100));
        let seldom = source.pick(&[1, 50, 1 << 40]);
        let indices = layout.filled(&mut source, dtype, |source, _| {
            let inside = Scalar::I64(source.below(length) as i64);
            if source.below(seldom) == 0 { source.element(dtype) } else { cast(inside, dtype) }.to_bytes()
        });
        let operands = [indices, Layout::dense(&[2]).operand(&mut source, DType::I64)];
        let length = if round % 5 == 0 { i64::MAX as usize } else { length };
        compare(bench, &operands, |addresses| {
            Command::IndexCheck(Box::new(IndexCheck {
                shape: shape.as_slice().into(),
                indices: at(addresses[0], &layout, dtype.size()),
                dtype,
                length,
                verdict: addresses[1].offset(Layout::dense(&[2]).start(8)),
            }))
        });
    }
}

/// Masks counted, elements and positions taken where they are true, values written there.
pub(crate) fn masks(bench: &Bench) {
    let mut source = Source(12);
    for round in 0..60 {
        let shape = if round % 20 == 0 { vec![100_003] } else { any_shape(&mut source) };
        let (width, size) = (source.pick(&[1, 2, 4, 8, 16]), shape.iter().product::<usize>());
        let layout = Layout::any(&mut source, &shape, true);
        let density = source.pick(&[0, 1, 8, 15, 16]);
        let mask = layout.filled(&mut source, DType::U8, |source, _| [u8::from(source.below(16) < density); 16]);
        let count = Layout::dense(&[1]);
        let operands = [mask.clone(), count.operand(&mut source, DType::I64)];
        compare(bench, &operands, |addresses| {
            let (mask, count) = (at(addresses[0], &layout, 1), addresses[1].offset(count.start(8)));
            Command::MaskCount(Box::new(MaskCount { shape: shape.as_slice().into(), mask, count }))
        });

        let capacity = source.pick(&[0, 1, size / 2, size]);
        let array = Layout::any(&mut source, &shape, true);
        let out = Layout::dense(&[capacity.max(1)]);
        let operands = [mask.clone(), distinct(&mut source, &array, width), distinct(&mut source, &out, width)];
        compare(bench, &operands, |addresses| {
            Command::MaskSelect(Box::new(MaskSelect {
                shape: shape.as_slice().into(),
                mask: at(addresses[0], &layout, 1),
                taken: Taken::Elements { array: at(addresses[1], &array, width), width },
                out: addresses[2].offset(out.start(width)),
                capacity,
            }))
        });

        let coordinates = Layout::dense(&[shape.len() * capacity.max(1)]);
        let operands = [mask.clone(), coordinates.operand(&mut source, DType::I64)];
        compare(bench, &operands, |addresses| {
            Command::MaskSelect(Box::new(MaskSelect {
                shape: shape.as_slice().into(),
                mask: at(addresses[0], &layout, 1),
                taken: Taken::Coordinates(shape.as_slice().into()),
                out: addresses[1].offset(coordinates.start(8)),
                capacity,
            }))
        });

        let (target, length) = (Layout::any(&mut source, &shape, false), 1 + source.below(40));
        let values = Layout::any(&mut source, &[length], false);
        let operands = [mask, distinct(&mut source, &target, width), distinct(&mut source, &values, width)];
        for is_cycled in [false, true] {
            compare(bench, &operands, |addresses| {
                let address = addresses[2].offset(values.start(width));
                let cycled = Values::Cycled { address, stride: values.steps[0], length };
                Command::MaskExpand(Box::new(MaskExpand {
                    shape: shape.as_slice().into(),
                    mask: at(addresses[0], &layout, 1),
                    array: at(addresses[1], &target, width),
                    width,
                    values: if is_cycled { cycled } else { Values::Immediate([7; 16]) },
                }))
            });
        }
    }
}
