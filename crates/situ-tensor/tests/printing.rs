//! Arrays as text, against what NumPy printed: `tools/numpy_prints.py` writes the cases.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed unwrap is a failed test")]

use situ_ir::scalar::Element;
use situ_tensor::{Slice, Tensor};
use situ_types::{C64, C128, DType, F16, Order};

const CASES: &str = include_str!("numpy_prints.txt");

fn array<T: Element>(bits: &[u64], element: impl Fn(&[u64]) -> T, each: usize) -> Tensor {
    let values: Vec<T> = bits.chunks(each).map(element).collect();
    Tensor::from_slice(&values).unwrap()
}

fn made(dtype: &str, shape: &[usize], bits: &str) -> Tensor {
    let size = shape.iter().product::<usize>();
    if bits == "ramp" {
        let ramp = |dtype| Tensor::arange(size).unwrap().astype(dtype, Order::K).unwrap();
        return match dtype {
            "f8" => ramp(DType::F64),
            "f4" => ramp(DType::F32),
            _ => ramp(DType::I64),
        };
    }
    let bits: Vec<u64> = bits.split(' ').filter(|word| !word.is_empty()).map(|word| word.parse().unwrap()).collect();
    let (single, double) = (|bits: u64| f32::from_bits(bits as u32), f64::from_bits);
    match dtype {
        "f8" => array(&bits, |b| double(b[0]), 1),
        "f4" => array(&bits, |b| single(b[0]), 1),
        "f2" => array(&bits, |b| F16::from_bits(b[0] as u16), 1),
        "c16" => array(&bits, |b| C128::new(double(b[0]), double(b[1])), 2),
        "c8" => array(&bits, |b| C64::new(single(b[0]), single(b[1])), 2),
        "i8" => array(&bits, |b| b[0] as i64, 1),
        "i2" => array(&bits, |b| b[0] as i16, 1),
        "u1" => array(&bits, |b| b[0] as u8, 1),
        "b1" => array(&bits, |b| b[0] != 0, 1),
        _ => panic!("there is no dtype {dtype}"),
    }
}

#[test]
fn arrays_print_as_in_numpy() {
    let mut lines = CASES.lines();
    let mut count = 0;
    while let Some(head) = lines.next() {
        let mut parts = head.splitn(3, ' ');
        let (dtype, shape) = (parts.next().unwrap(), parts.next().unwrap());
        let shape: Vec<usize> = shape.split(',').filter_map(|length| length.parse().ok()).collect();
        let x = made(dtype, &shape, parts.next().unwrap_or("")).reshaped(&shape).unwrap().unwrap();
        for printed in [x.to_string(), format!("{x:?}")] {
            let length: usize = lines.next().unwrap().parse().unwrap();
            let expected: Vec<&str> = lines.by_ref().take(length).collect();
            assert_eq!(printed, expected.join("\n"), "{head}");
        }
        count += 1;
    }
    assert!(count > 70, "{count}");
}

#[test]
fn a_view_prints_its_own_elements() {
    let x = Tensor::arange(2000).unwrap().slice(Slice::ALL.by(-1)).unwrap();
    assert_eq!(x.to_string(), "[1999 1998 1997 ...    2    1    0]");
    assert_eq!(format!("{:?}", x.slice(..2).unwrap()), "ndarray([1999, 1998])");
}
