//! Shapes and axes from Rust. What comes out is compared with NumPy from Python.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use situ_tensor::{Tensor, broadcast_shapes};
use situ_types::{ErrorKind, Order};

fn cube() -> Tensor {
    Tensor::arange(24).unwrap().reshape(&[2, 3, -1]).unwrap()
}

#[test]
fn axes_in_another_order() {
    let x = cube();
    assert_eq!(x.permute_dims(&[-1, 0, 1]).unwrap().layout().strides(), [1, 12, 4]);
    assert_eq!(x.moveaxis(&[0], &[-1]).unwrap().shape(), [3, 4, 2]);
    assert_eq!(x.moveaxis(&[2, 0], &[0, 1]).unwrap().shape(), [4, 2, 3]);
    assert_eq!(x.swapaxes(0, 2).unwrap().shape(), [4, 3, 2]);
    assert_eq!(x.matrix_transpose().unwrap().shape(), [2, 4, 3]);
    assert_eq!(x.permute_dims(&[0, 1, 3]).unwrap_err().kind(), ErrorKind::Axis);
    assert_eq!(x.moveaxis(&[0, 0], &[0, 1]).unwrap_err().kind(), ErrorKind::Value);
}

#[test]
fn axes_of_length_one() {
    let x = cube().expand_dims(&[0, -1]).unwrap();
    assert_eq!(x.shape(), [1, 2, 3, 4, 1]);
    assert_eq!(x.squeeze(()).unwrap().layout(), cube().layout());
    assert_eq!(x.squeeze([-1]).unwrap().shape(), [1, 2, 3, 4]);
    assert_eq!(x.squeeze(1).unwrap_err().kind(), ErrorKind::Value);
    let single = Tensor::arange(1).unwrap().squeeze(()).unwrap();
    assert!(single.squeeze(0).unwrap().shape().is_empty());
}

#[test]
fn backwards_and_apart() {
    let x = cube();
    assert_eq!(x.flip(()).unwrap().to_vec::<i64>().unwrap(), (0..24).rev().collect::<Vec<_>>());
    let flipped = x.flip([0, -1]).unwrap();
    assert_eq!((flipped.layout().offset(), flipped.layout().strides()), (15, &[-12, 4, -1][..]));
    let parts = x.unstack(1).unwrap();
    assert_eq!(parts.len(), 3);
    assert_eq!(parts[2].to_vec::<i64>().unwrap(), [8, 9, 10, 11, 20, 21, 22, 23]);
}

#[test]
fn stretched() {
    let row = Tensor::arange(3).unwrap();
    assert_eq!(row.broadcast_to(&[2, 3]).unwrap().to_vec::<i64>().unwrap(), [0, 1, 2, 0, 1, 2]);
    let column = Tensor::arange(2).unwrap().reshape(&[2, 1]).unwrap();
    let both = Tensor::broadcast_arrays(&[&row, &column]).unwrap();
    assert!(both.iter().all(|array| array.shape() == [2, 3]));
    assert_eq!(broadcast_shapes([]).unwrap().len(), 0);
    assert_eq!(row.broadcast_to(&[2]).unwrap_err().kind(), ErrorKind::Value);
}

#[test]
fn shapes_with_and_without_a_copy() {
    let x = cube();
    let flat = x.reshape_in(&[-1], Order::F, None).unwrap();
    assert_eq!(flat.to_vec::<i64>().unwrap()[..4], [0, 12, 4, 16]);
    assert!(x.reshape_in(&[-1], Order::F, Some(false)).is_err());
    let copied = x.reshape_in(&[24], Order::C, Some(true)).unwrap();
    assert_ne!(copied.address().unwrap(), x.address().unwrap());
    assert_eq!(x.reshape(&[24]).unwrap().address().unwrap(), x.address().unwrap());
    for wrong in [&[5][..], &[-1, -1], &[-2], &[-1, 0], &[isize::MAX, 2]] {
        assert_eq!(x.reshape(wrong).unwrap_err().kind(), ErrorKind::Value, "{wrong:?}");
    }
}

#[test]
fn arrays_joined() {
    let (x, y) = (cube(), Tensor::from_slice(&[0.5f32]).unwrap());
    let rows = Tensor::concat(&[&x, &x.flip(0).unwrap()], 0).unwrap();
    assert_eq!(rows.shape(), [4, 3, 4]);
    assert_eq!(rows.row(3).unwrap().unwrap().to_vec::<i64>().unwrap(), (0..12).collect::<Vec<_>>());
    assert_eq!(Tensor::concat(&[&x, &y], None).unwrap().to_vec::<f64>().unwrap()[23..], [23.0, 0.5]);
    assert_eq!(Tensor::stack(&[&x, &x, &x], -1).unwrap().shape(), [2, 3, 4, 3]);
    assert_eq!(Tensor::concat(&[], 0).unwrap_err().kind(), ErrorKind::Type);
    assert_eq!(Tensor::concat(&[&x, &y], 0).unwrap_err().kind(), ErrorKind::Value);
    assert_eq!(Tensor::stack(&[&x, &y], 0).unwrap_err().kind(), ErrorKind::Value);
}

#[test]
fn elements_moved_and_repeated() {
    let x = Tensor::arange(6).unwrap().reshape(&[2, 3]).unwrap();
    assert_eq!(x.roll(&[1, -1], [0, 1]).unwrap().to_vec::<i64>().unwrap(), [4, 5, 3, 1, 2, 0]);
    assert_eq!(x.transposed().unwrap().roll(&[1], ()).unwrap().to_vec::<i64>().unwrap(), [5, 0, 3, 1, 4, 2]);
    assert_eq!(x.tile(&[2, 1, 2]).unwrap().shape(), [2, 2, 6]);
    assert_eq!(x.repeat(2, Some(0)).unwrap().to_vec::<i64>().unwrap(), [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]);
    let counts = Tensor::from_slice(&[0i8, 2, 1]).unwrap();
    assert_eq!(x.repeat_each(&counts, Some(1)).unwrap().to_vec::<i64>().unwrap(), [1, 1, 2, 4, 4, 5]);
    let wrong = Tensor::from_slice(&[0i8, -2, 1]).unwrap();
    assert_eq!(x.repeat_each(&wrong, Some(1)).unwrap_err().kind(), ErrorKind::Value);
    assert_eq!(x.repeat_each(&wrong, Some(0)).unwrap_err().kind(), ErrorKind::Value);
    assert_eq!(x.repeat(usize::MAX, None).unwrap_err().kind(), ErrorKind::Value);
}
