//! Views, single elements and corners.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use situ_runtime::{Address, Buffer, Device, Queue};
use situ_tensor::{Arg, Tensor, Weak, apply_into};
use situ_types::{C64, DType, ErrorKind, Layout, Order, Scalar, UsmKind};

fn queue() -> Queue {
    Queue::cached(&Device::select("native").unwrap()).unwrap()
}

fn matrix() -> Tensor {
    Tensor::arange(12).unwrap().reshaped(&[3, 4]).unwrap().unwrap()
}

#[test]
fn transposes_and_rows() {
    let x = matrix();
    let turned = x.transposed().unwrap();
    assert_eq!(turned.shape(), [4, 3]);
    assert_eq!(turned.to_vec::<i64>().unwrap(), [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
    assert_eq!(turned.row(2).unwrap().unwrap().to_vec::<i64>().unwrap(), [2, 6, 10]);
    assert!(turned.row(4).unwrap().is_none());
    assert!(turned.reshaped(&[12]).unwrap().is_none());
    assert_eq!(x.row(0).unwrap().unwrap().transposed().unwrap_err().kind(), ErrorKind::Value);
    assert!(Tensor::arange(1).unwrap().row(0).unwrap().unwrap().row(0).is_err());
}

#[test]
fn parts_of_complex_numbers() {
    let values: Vec<C64> = (0..4).map(|n| C64::new(n as f32, -(n as f32))).collect();
    let x = Tensor::from_slice(&values).unwrap().with_writable(false);
    assert_eq!(x.real().unwrap().to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0, 3.0]);
    let imag = x.imag().unwrap().unwrap();
    assert_eq!(imag.to_vec::<f32>().unwrap(), [-0.0, -1.0, -2.0, -3.0]);
    assert!(!imag.is_writable());
    assert!(matrix().imag().unwrap().is_none());
}

#[test]
fn elements() {
    let x = matrix().transposed().unwrap();
    assert_eq!(x.item(&[3, 2]).unwrap(), Scalar::I64(11));
    for wrong in [&[4, 0][..], &[0], &[0, 0, 0]] {
        assert_eq!(x.item(wrong).unwrap_err().kind(), ErrorKind::Value);
    }
}

#[test]
fn corners() {
    let x = matrix();
    assert_eq!(x.edges(1).unwrap().to_vec::<i64>().unwrap(), [0, 3, 8, 11]);
    assert_eq!(x.transposed().unwrap().edges(1).unwrap().to_vec::<i64>().unwrap(), [0, 8, 3, 11]);
    assert_eq!(x.edges(0).unwrap().to_vec::<i64>().unwrap(), [11]);
    assert_eq!(x.edges(2).unwrap().shape(), [3, 4]);
    assert_eq!(x.edges(usize::MAX).unwrap().size(), 12);
}

#[test]
fn strided_allocations() {
    let backwards = Layout::strided(&[3, 4], &[-4, 1], 99).unwrap();
    let x = Tensor::empty_strided(&backwards, DType::I64, UsmKind::Shared, 0, &queue()).unwrap();
    assert_eq!((x.contents().unwrap().bytes(), x.layout().offset()), (96, 8));
    let far = Layout::strided(&[3], &[isize::MAX / 2], 0).unwrap();
    assert!(Tensor::empty_strided(&far, DType::I8, UsmKind::Shared, 0, &queue()).is_err());
    let over = |bytes: usize, count: usize, offset: isize| {
        let layout = Layout::strided(&[count], &[1], offset).unwrap();
        Tensor::over_memory(x.contents().unwrap(), 8, bytes, &queue(), DType::I64, &layout)
    };
    assert_eq!(over(16, 2, 0).unwrap().layout().offset(), 1);
    assert!(over(16, 2, 1).is_err() && over(16, 1, -1).is_err() && over(15, 2, 0).is_err());
    assert_eq!(x.zeros_alike().unwrap().to_vec::<i64>().unwrap(), [0; 12]);
}

#[test]
fn lent_memory_is_never_written() {
    let memory = Box::new([1i64, 2, 3]);
    let address = Address(memory.as_ptr().cast_mut().cast());
    // SAFETY: the box is the owner, is 24 bytes long, and is moved without moving its contents.
    let buffer = unsafe { Buffer::lent(&queue(), UsmKind::Host, address, 24, memory) };
    let dense = Layout::dense(&[3], Order::C).unwrap();
    let x = Tensor::from_buffer(buffer, queue(), DType::I64, dense).unwrap();
    assert!(!x.is_writable() && !x.clone().with_writable(true).is_writable());
    assert!(apply_into(situ_ir::Op::Add, &[Arg::Array(&x), Arg::Weak(Weak::Int(1))], &x).is_err());
    assert!(queue().fill(x.contents().unwrap(), 0, &[0], 8, &[]).is_err());
    assert_eq!(x.to_vec::<i64>().unwrap(), [1, 2, 3]);
}
