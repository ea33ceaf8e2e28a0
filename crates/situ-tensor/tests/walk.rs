//! The walk of a call, from `Tensor` to the loops and back.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use situ_ir::Op;
use situ_runtime::{Context, Device, Queue};
use situ_tensor::{Arg, Tensor, Weak, apply, apply_into};
use situ_types::{DType, ErrorKind, Layout, Order, Partition, QueueProperties, Scalar, UsmKind};

fn queue() -> Queue {
    Queue::cached(&Device::select("native").unwrap()).unwrap()
}

#[test]
fn large_sums_are_right_and_come_from_the_pool() {
    let n = 3_000_000;
    let x = Tensor::sequence(Scalar::F64(0.0), Scalar::F64(1.0), n, DType::F64, UsmKind::Device, &queue()).unwrap();
    let y = Tensor::full(&[n], Scalar::F64(0.5), Order::C, UsmKind::Shared, &queue()).unwrap();
    let z = (&x + &y).unwrap();
    assert_eq!(z.kind(), UsmKind::Device);
    assert!(z.to_vec::<f64>().unwrap().iter().enumerate().all(|(i, v)| *v == i as f64 + 0.5));
}

#[test]
fn every_dtype_promotes_with_every_other() {
    for a in DType::ALL {
        for b in DType::ALL {
            let one = |d| {
                Tensor::full(&[3], Weak::Int(1).to_scalar(d).unwrap(), Order::C, UsmKind::Device, &queue()).unwrap()
            };
            let sum = apply(Op::Add, &[Arg::Array(&one(a)), Arg::Array(&one(b))], Order::K).unwrap();
            assert_eq!(sum.dtype(), situ_types::promote(a, b));
            let expected = if sum.dtype() == DType::Bool { 1.0 } else { 2.0 };
            let real = sum.astype(DType::F64, Order::C).unwrap().to_vec::<f64>().unwrap();
            assert_eq!(real, [expected; 3], "{a} + {b}");
        }
    }
}

#[test]
fn broadcast_transposed_and_reversed_operands() {
    let q = queue();
    let x = Tensor::sequence(Scalar::I32(0), Scalar::I32(1), 12, DType::I32, UsmKind::Device, &q).unwrap();
    let view = |shape: &[usize], strides: &[isize], offset| {
        let layout = Layout::strided(shape, strides, offset).unwrap();
        Tensor::from_buffer(x.contents().unwrap().clone(), q.clone(), DType::I32, layout).unwrap()
    };
    let (matrix, transposed, row, reversed) =
        (view(&[3, 4], &[4, 1], 0), view(&[4, 3], &[1, 4], 0), view(&[3], &[1], 0), view(&[12], &[-1], 11));
    let sum = (&transposed + &row).unwrap();
    assert_eq!(sum.shape(), [4, 3]);
    let expected: Vec<i32> = (0..4).flat_map(|i| (0..3).map(move |j| i + 4 * j + j)).collect();
    assert_eq!(sum.to_vec::<i32>().unwrap(), expected);
    assert_eq!((&x + &reversed).unwrap().to_vec::<i32>().unwrap(), [11; 12]);
    assert_eq!((&matrix + &row).unwrap_err().kind(), ErrorKind::Value);
}

#[test]
fn in_place_on_overlapping_views_reads_the_old_values() {
    let q = queue();
    let x = Tensor::sequence(Scalar::I64(0), Scalar::I64(1), 10, DType::I64, UsmKind::Device, &q).unwrap();
    let part = |offset| {
        let layout = Layout::strided(&[9], &[1], offset).unwrap();
        Tensor::from_buffer(x.contents().unwrap().clone(), q.clone(), DType::I64, layout).unwrap()
    };
    let (head, tail) = (part(0), part(1));
    apply_into(Op::Add, &[Arg::Array(&tail), Arg::Array(&head)], &tail).unwrap();
    assert_eq!(x.to_vec::<i64>().unwrap(), [0, 1, 3, 5, 7, 9, 11, 13, 15, 17]);
}

#[test]
fn migration_is_free_inside_a_context_and_copies_across() {
    let root = Device::select("native").unwrap();
    let profiling = QueueProperties { profiling: true, in_order: false };
    let x = Tensor::arange(1000).unwrap();
    let other = Queue::new(x.context(), &root, profiling).unwrap();
    let moved = x.to_queue(&other).unwrap();
    assert_eq!(moved.contents().unwrap(), x.contents().unwrap());
    assert_eq!((&x + &moved).unwrap_err().kind(), ErrorKind::Placement);
    let Ok(parts) = root.create_sub_devices(&Partition::Equally(1)) else { return };
    let tile = Queue::on(&parts[0]).unwrap();
    assert_ne!(tile.context(), x.context());
    let copied = x.to_queue(&tile).unwrap();
    assert_ne!(copied.contents().unwrap(), x.contents().unwrap());
    assert_eq!(copied.to_vec::<i64>().unwrap(), x.to_vec::<i64>().unwrap());
    let doubled = (&copied + &copied).unwrap();
    assert_eq!(doubled.to_vec::<i64>().unwrap()[999], 1998);
    let context = Context::new(&parts).unwrap();
    let tiles: Vec<Queue> = parts.iter().map(|p| Queue::new(&context, p, profiling).unwrap()).collect();
    let on_first = x.to_queue(&tiles[0]).unwrap();
    let on_last = on_first.to_queue(tiles.last().unwrap()).unwrap();
    assert_eq!(on_first.contents().unwrap(), on_last.contents().unwrap());
}

#[test]
fn bad_input_is_refused_before_anything_happens() {
    let x = Tensor::arange(3).unwrap();
    let truth = Tensor::full(&[3], Scalar::Bool(true), Order::C, UsmKind::Device, &queue()).unwrap();
    assert_eq!((&truth - &truth).unwrap_err().kind(), ErrorKind::Value);
    let too_big = Weak::Int(1 << 70);
    assert_eq!(
        apply(Op::Add, &[Arg::Array(&x), Arg::Weak(too_big)], Order::K).unwrap_err().kind(),
        ErrorKind::Overflow
    );
    assert_eq!(
        Tensor::empty(&[1 << 40, 1 << 40], DType::F64, Order::C, UsmKind::Device, &queue()).unwrap_err().kind(),
        ErrorKind::Value
    );
    assert_eq!(
        Tensor::empty(&[1 << 50], DType::F64, Order::C, UsmKind::Device, &queue()).unwrap_err().kind(),
        ErrorKind::Memory
    );
    let frozen = x.clone().with_writable(false);
    assert_eq!(apply_into(Op::Add, &[Arg::Array(&x), Arg::Array(&x)], &frozen).unwrap_err().kind(), ErrorKind::Value);
}

#[test]
fn empty_and_zero_dimensional_arrays_work() {
    let q = queue();
    for dtype in DType::ALL {
        let empty = Tensor::empty(&[0, 5], dtype, Order::C, UsmKind::Host, &q).unwrap();
        let sum = apply(Op::Add, &[Arg::Array(&empty), Arg::Array(&empty)], Order::K).unwrap();
        assert_eq!(sum.shape(), [0, 5]);
        assert_eq!(sum.kind(), UsmKind::Host);
    }
    let scalar = Tensor::full(&[], Scalar::F32(2.0), Order::C, UsmKind::Device, &q).unwrap();
    assert_eq!((&scalar * &scalar).unwrap().to_vec::<f32>().unwrap(), [4.0]);
}
