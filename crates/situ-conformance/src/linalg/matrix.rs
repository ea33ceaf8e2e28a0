//! Matrices on the host, in double precision whatever their dtype.

use situ_types::{C64, C128, DType};

use crate::Source;

/// Elements, one column after another.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    pub(super) rows: usize,
    pub(super) elements: Vec<C128>,
}

/// A real number of single or double precision.
fn part(bytes: &[u8]) -> f64 {
    match *bytes {
        [a, b, c, d] => f64::from(f32::from_ne_bytes([a, b, c, d])),
        _ => f64::from_ne_bytes(bytes.try_into().unwrap()),
    }
}

impl Matrix {
    pub(super) fn new(rows: usize, columns: usize, mut element: impl FnMut(usize, usize) -> C128) -> Matrix {
        let elements = (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j))).map(|(i, j)| element(i, j)).collect();
        Matrix { rows, elements }
    }

    /// Numbers between -1 and 1 that the dtype has.
    pub(super) fn random(source: &mut Source, dtype: DType, rows: usize, columns: usize) -> Matrix {
        let mut number = || f64::from(source.number() as i32 as f32) / 2_147_483_648.0;
        let is_complex = dtype.real_part() != dtype;
        Matrix::new(rows, columns, |_, _| C128::new(number(), if is_complex { number() } else { 0.0 }))
    }

    pub(super) fn identity(order: usize) -> Matrix {
        Matrix::new(order, order, |i, j| C128::from(f64::from(u8::from(i == j))))
    }

    pub(super) fn diagonal(values: &[f64]) -> Matrix {
        Matrix::new(values.len(), values.len(), |i, j| C128::from(if i == j { values[i] } else { 0.0 }))
    }

    pub(super) fn from_bytes(dtype: DType, rows: usize, bytes: &[u8]) -> Matrix {
        let width = dtype.real_part().size();
        let element = |bytes: &[u8]| {
            let mut parts = bytes.chunks(width).map(part);
            C128::new(parts.next().unwrap(), parts.next().unwrap_or(0.0))
        };
        Matrix { rows, elements: bytes.chunks(dtype.size()).map(element).collect() }
    }

    pub(super) fn to_bytes(&self, dtype: DType) -> Vec<u8> {
        let bytes = |element: &C128| {
            let single = C64::new(element.re as f32, element.im as f32);
            match dtype {
                DType::F32 => single.re.to_ne_bytes().to_vec(),
                DType::F64 => element.re.to_ne_bytes().to_vec(),
                DType::C64 => [single.re.to_ne_bytes(), single.im.to_ne_bytes()].concat(),
                _ => [element.re.to_ne_bytes(), element.im.to_ne_bytes()].concat(),
            }
        };
        self.elements.iter().flat_map(bytes).collect()
    }

    /// The same matrix as a dtype can hold it.
    pub(super) fn rounded(&self, dtype: DType) -> Matrix {
        Matrix::from_bytes(dtype, self.rows, &self.to_bytes(dtype))
    }

    pub(super) fn columns(&self) -> usize {
        self.elements.len() / self.rows
    }

    pub(super) fn at(&self, i: usize, j: usize) -> C128 {
        self.elements[i + j * self.rows]
    }

    pub(super) fn set(&mut self, i: usize, j: usize, element: C128) {
        self.elements[i + j * self.rows] = element;
    }

    pub(super) fn column(&self, j: usize) -> &[C128] {
        &self.elements[j * self.rows..(j + 1) * self.rows]
    }

    pub(super) fn times(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.columns(), other.rows);
        let mut elements = vec![C128::default(); self.rows * other.columns()];
        for (j, sums) in elements.chunks_mut(self.rows).enumerate() {
            for k in 0..other.rows {
                let factor = other.at(k, j);
                sums.iter_mut().zip(self.column(k)).for_each(|(sum, element)| *sum += element * factor);
            }
        }
        Matrix { rows: self.rows, elements }
    }

    /// The conjugate transpose.
    pub(super) fn adjoint(&self) -> Matrix {
        Matrix::new(self.columns(), self.rows, |i, j| self.at(j, i).conj())
    }

    /// The first columns.
    pub(super) fn first_columns(&self, columns: usize) -> Matrix {
        Matrix { rows: self.rows, elements: self.elements[..columns * self.rows].to_vec() }
    }

    /// The elements where something holds of row and column, and zeros elsewhere.
    pub(super) fn only(&self, keeps: impl Fn(usize, usize) -> bool) -> Matrix {
        Matrix::new(self.rows, self.columns(), |i, j| if keeps(i, j) { self.at(i, j) } else { C128::default() })
    }

    /// The root of the sum of squares, NaN if an element is.
    pub(super) fn norm(&self) -> f64 {
        self.elements.iter().map(C128::norm_sqr).sum::<f64>().sqrt()
    }

    /// The norm of the difference.
    pub(super) fn distance(&self, other: &Matrix) -> f64 {
        assert_eq!((self.rows, self.elements.len()), (other.rows, other.elements.len()));
        let squares = self.elements.iter().zip(&other.elements).map(|(a, b)| (a - b).norm_sqr());
        squares.sum::<f64>().sqrt()
    }

    /// How far columns are from being orthonormal.
    pub(super) fn skewness(&self) -> f64 {
        self.adjoint().times(self).distance(&Matrix::identity(self.columns()))
    }

    /// A Hermitian matrix of which only the lower part can be used.
    pub(super) fn lower_only(&self) -> Matrix {
        Matrix::new(self.rows, self.rows, |i, j| if i < j { C128::new(f64::NAN, f64::NAN) } else { self.at(i, j) })
    }

    /// A Hermitian matrix with this lower part.
    pub(super) fn hermitian(&self) -> Matrix {
        Matrix::new(self.rows, self.rows, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => self.at(j, i).conj(),
            std::cmp::Ordering::Equal => C128::from(self.at(i, i).re),
            std::cmp::Ordering::Greater => self.at(i, j),
        })
    }
}
