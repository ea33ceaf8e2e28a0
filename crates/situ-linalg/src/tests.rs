//! Factorisations of matrices that algorithms find hard, held to LAPACK's own measure: residuals in units of the matrix's
//! size, its order and the precision stay below 30.

mod bands;
mod equations;
mod matrices;
mod residual;
mod spectra;

use std::mem::MaybeUninit;

use num_complex::Complex;

use crate::{Matrices, Part};

/// Runs with so much room.
fn with_room<R>(bytes: usize, run: impl FnOnce(crate::Room<'_>) -> R) -> R {
    // Odd addresses show whether bytes for alignment are counted.
    let mut room = vec![MaybeUninit::new(0xA5); bytes + 1];
    run(&mut room[1..])
}

/// An element that tests make matrices of.
trait Tested: Matrices {
    fn from_f64(re: f64, im: f64) -> Self;
    /// Its parts as float64s.
    fn wide(self) -> Complex<f64>;
    /// The distance from 1 to the next number.
    fn precision() -> f64 {
        Self::from_part(Self::Part::EPSILON)
    }
    fn from_part(part: Self::Part) -> f64;
}

macro_rules! tested {
    ($($part:ident)*) => {$(
        impl Tested for $part {
            fn from_f64(re: f64, _im: f64) -> $part {
                re as $part
            }
            fn wide(self) -> Complex<f64> {
                Complex::new(self.into(), 0.0)
            }
            fn from_part(part: $part) -> f64 {
                part.into()
            }
        }
        impl Tested for Complex<$part> {
            fn from_f64(re: f64, im: f64) -> Complex<$part> {
                Complex::new(re as $part, im as $part)
            }
            fn wide(self) -> Complex<f64> {
                Complex::new(self.re.into(), self.im.into())
            }
            fn from_part(part: $part) -> f64 {
                part.into()
            }
        }
    )*};
}
tested!(f32 f64);

/// Runs a generic test for every kind of element.
macro_rules! for_all_elements {
    ($($name:ident)*) => {$(
        mod $name {
            #[test]
            fn f32() { super::$name::<f32>() }
            #[test]
            fn f64() { super::$name::<f64>() }
            #[test]
            fn complex64() { super::$name::<num_complex::Complex<f32>>() }
            #[test]
            fn complex128() { super::$name::<num_complex::Complex<f64>>() }
        }
    )*};
}
use for_all_elements;
