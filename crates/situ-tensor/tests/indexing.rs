//! Keys, from Rust.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use situ_tensor::{Arg, Error, Item, OutOfRange, Slice, Tensor, Weak};
use situ_types::{DType, ErrorKind, Order, Scalar};

fn grid() -> Tensor {
    Tensor::arange(12).unwrap().reshaped(&[3, 4]).unwrap().unwrap()
}

fn values(array: &Tensor) -> Vec<i64> {
    array.to_vec().unwrap()
}

fn ints(values: &[i64]) -> Tensor {
    Tensor::from_slice(values).unwrap()
}

fn message(result: Result<impl std::fmt::Debug, Error>) -> (ErrorKind, String) {
    let error = result.unwrap_err();
    (error.kind(), error.to_string())
}

const REVERSED: Item<'_> = Item::Slice(Slice { start: None, stop: None, step: -1 });

#[test]
fn basic_keys_share_memory() {
    let x = grid();
    let view = x.index(&[REVERSED, Item::NewAxis, Item::Int(-1)]).unwrap();
    assert_eq!((view.shape(), values(&view)), (&[3, 1][..], vec![11, 7, 3]));
    assert_eq!(view.contents().unwrap(), x.contents().unwrap());
    view.set_index(&[Item::Int(0)], Arg::Weak(Weak::Int(50))).unwrap();
    assert_eq!(values(&x)[11], 50);
    let read_only = x.with_writable(false).index(&[Item::Ellipsis, Item::Int(0)]).unwrap();
    assert!(!read_only.is_writable());
    let refused = read_only.set_index(&[Item::Int(0)], Arg::Weak(Weak::Int(1)));
    assert_eq!(message(refused).0, ErrorKind::Value);
}

#[test]
fn index_arrays_go_where_numpy_puts_them() {
    let x = Tensor::arange(24).unwrap().reshaped(&[2, 3, 4]).unwrap().unwrap();
    let (rows, columns) = (ints(&[0, 1, 1]), ints(&[0, -1, 2]));
    let all = Item::Slice(Slice::ALL);
    let shape = |items: &[Item<'_>]| x.index(items).unwrap().shape().to_vec();
    assert_eq!(shape(&[Item::Array(&rows), all, Item::Array(&columns)]), [3, 3]);
    assert_eq!(shape(&[Item::NewAxis, Item::Array(&rows), all, Item::Array(&columns)]), [3, 1, 3]);
    assert_eq!(shape(&[all, Item::Array(&rows), Item::Array(&columns)]), [2, 3]);
    assert_eq!(shape(&[all, all, Item::Array(&columns)]), [2, 3, 3]);
    assert_eq!(shape(&[Item::Int(0), all, Item::Array(&columns)]), [3, 3]);
    assert_eq!(shape(&[Item::Bool(true), Item::Array(&rows)]), [3, 3, 4]);
    assert_eq!(shape(&[Item::Bool(false)]), [0, 2, 3, 4]);
    let diagonal = x.index(&[Item::Int(1), Item::Array(&rows), Item::Array(&columns)]).unwrap();
    assert_eq!(values(&diagonal), [12, 19, 18]);
}

#[test]
fn masks_select_and_are_written_to() {
    let x = grid();
    let mask = Tensor::from_slice(&[true, false, false, true]).unwrap();
    let picked = x.index(&[Item::Int(1), Item::Array(&mask)]).unwrap();
    assert_eq!(values(&picked), [4, 7]);
    let row = x.index(&[Item::Int(2)]).unwrap();
    assert_eq!(values(&row.index(&[Item::Array(&mask)]).unwrap()), [8, 11]);
    row.set_index(&[Item::Array(&mask)], Arg::Array(&ints(&[-1, -2]))).unwrap();
    row.set_index(&[Item::Array(&mask)], Arg::Weak(Weak::Int(-3))).unwrap();
    assert_eq!(values(&x)[8..], [-3, 9, 10, -3]);
    let coordinates = x.nonzero().unwrap();
    assert_eq!((values(&coordinates[0])[3], values(&coordinates[1])[3]), (1, 0));
    let short = Tensor::from_slice(&[true]).unwrap();
    assert_eq!(message(x.index(&[Item::Array(&short)])).0, ErrorKind::Index);
}

#[test]
fn wrong_indices_are_found_before_anything_is_written() {
    let x = grid();
    let before = values(&x);
    let key = ints(&[0, 5]);
    for result in [
        x.index(&[Item::Array(&key)]).map(|_| ()),
        x.set_index(&[Item::Array(&key)], Arg::Weak(Weak::Int(9))),
        x.take(&key, Some(0), OutOfRange::Raise).map(|_| ()),
        x.put(&key, Arg::Weak(Weak::Int(9)), Some(0), OutOfRange::Raise),
        x.take_into(
            &key,
            Some(0),
            OutOfRange::Raise,
            &Tensor::full(&[2, 4], Scalar::I64(7), Order::C, x.kind(), x.queue()).unwrap(),
        ),
    ] {
        let (kind, text) = message(result);
        assert_eq!((kind, text.as_str()), (ErrorKind::Index, "index 5 is out of bounds for axis 0 with size 3"));
    }
    assert_eq!(values(&x), before);
    assert_eq!(message(x.index(&[Item::Int(3)])).0, ErrorKind::Index);
    assert_eq!(message(x.index(&[Item::Int(0), Item::Int(0), Item::Int(0)])).0, ErrorKind::Index);
    assert_eq!(message(x.index(&[Item::Ellipsis, Item::Ellipsis])).0, ErrorKind::Index);
    let real = Tensor::from_slice(&[0.5]).unwrap();
    assert_eq!(message(x.index(&[Item::Array(&real)])).0, ErrorKind::Index);
}

#[test]
fn sources_and_indices_may_share_memory_with_the_target() {
    let x = ints(&[3, 0, 1, 2]);
    x.set_index(&[Item::Array(&x.clone())], Arg::Array(&x.index(&[REVERSED]).unwrap())).unwrap();
    assert_eq!(values(&x), [1, 0, 3, 2]);
    // More than is looked at before the first element is written.
    let turned: Vec<i64> = (0..5000).map(|n| (n * 7 + 3) % 5000).collect();
    let many = ints(&turned);
    many.set_index(&[Item::Array(&many.clone())], Arg::Array(&Tensor::arange(5000).unwrap())).unwrap();
    assert!(values(&many).iter().enumerate().all(|(place, &n)| turned[n as usize] == place as i64));
    let (tail, head) = (Slice { start: Some(1), ..Slice::ALL }, Slice { stop: Some(-1), ..Slice::ALL });
    x.set_index(&[Item::Slice(tail)], Arg::Array(&x.index(&[Item::Slice(head)]).unwrap())).unwrap();
    assert_eq!(values(&x), [1, 1, 0, 3]);
}

#[test]
fn numbers_are_checked_and_arrays_converted() {
    let x = grid();
    let set = |value| x.set_index(&[Item::Ellipsis], Arg::Weak(value));
    assert_eq!(message(set(Weak::Float(f64::NAN))).0, ErrorKind::Value);
    assert_eq!(message(set(Weak::Int(1 << 70))).0, ErrorKind::Overflow);
    assert_eq!(message(set(Weak::Complex(situ_types::C128::new(1.0, 2.0)))).0, ErrorKind::Type);
    x.set_index(&[Item::Int(0)], Arg::Array(&Tensor::from_slice(&[2.9]).unwrap())).unwrap();
    assert_eq!(values(&x)[..5], [2, 2, 2, 2, 4]);
    assert_eq!(x.dtype(), DType::I64);
}

#[test]
fn values_are_used_again_from_the_first() {
    let x = grid();
    x.put(&ints(&[0, 1, 2, 3, -1]), Arg::Array(&ints(&[70, 71])), None, OutOfRange::Raise).unwrap();
    assert_eq!((&values(&x)[..5], values(&x)[11]), (&[70, 71, 70, 71, 4][..], 70));
    let turned = x.transposed().unwrap();
    turned.put(&ints(&[1]), Arg::Weak(Weak::Int(-5)), None, OutOfRange::Clip).unwrap();
    assert_eq!(values(&x)[4], -5);
    x.place(&x, Arg::Array(&ints(&[1, 2, 3]))).unwrap();
    assert_eq!(values(&x), [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]);
    assert_eq!(values(&x.extract(&ints(&[0, 1, 1])).unwrap()), [2, 3]);
}

#[test]
fn along_an_axis() {
    let x = grid();
    let at = Tensor::from_slice(&[3i32, 0, -1]).unwrap().reshaped(&[3, 1]).unwrap().unwrap();
    assert_eq!(values(&x.take_along_axis(&at, -1, OutOfRange::Raise).unwrap()), [3, 4, 11]);
    x.put_along_axis(&at, Arg::Weak(Weak::Int(0)), 1, OutOfRange::Raise).unwrap();
    assert_eq!(values(&x), [0, 1, 2, 0, 0, 5, 6, 7, 8, 9, 10, 0]);
    assert_eq!(message(x.take_along_axis(&at, 2, OutOfRange::Raise)).0, ErrorKind::Axis);
}
