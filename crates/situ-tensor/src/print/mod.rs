//! Arrays as text, as NumPy and situ's Python write them.
//!
//! `Display` is Python's `str`, `Debug` its `repr`. An array of more than a thousand elements is abbreviated, and then
//! only the elements that are shown leave the device.

mod brackets;
mod float;
mod number;
mod words;

use std::fmt;

use situ_types::DType;

use self::brackets::Brackets;
use crate::{Result, Tensor};

/// The most characters in a line.
const LINE: usize = 75;
/// An array of more elements is abbreviated.
const THRESHOLD: usize = 1000;
/// How many elements are shown at each end of an axis then.
const EDGE: usize = 3;
/// What stands before the elements in `Debug`.
const OPENING: &str = "ndarray(";
/// NumPy leaves these out: a literal with such elements has them anyway.
const USUAL: [DType; 4] = [DType::Bool, DType::I64, DType::F64, DType::C128];

impl Tensor {
    /// The elements in brackets, with as much room left in the lines as what is around them takes.
    fn elements(&self, separator: &str, before: usize, after: usize) -> Result<String> {
        if self.size() == 0 {
            return Ok("[]".into());
        }
        let is_short = self.size() > THRESHOLD;
        let shown = if is_short { self.edges(EDGE)? } else { self.clone() };
        let words = words::of(&shown)?;
        let edge = if is_short { EDGE } else { usize::MAX };
        Ok(Brackets { words: &words, shape: self.shape(), separator, edge }.write(before + 1, LINE - after))
    }

    fn described(&self) -> Result<String> {
        let mut text = OPENING.to_owned() + &self.elements(", ", OPENING.len(), 1)?;
        let mut extras = Vec::new();
        if self.size() > THRESHOLD || (self.size() == 0 && self.shape() != [0]) {
            extras.push(format!("shape={}", tuple(self.shape())));
        }
        if self.size() == 0 || !USUAL.contains(&self.dtype()) {
            extras.push(format!("dtype={}", self.dtype()));
        }
        for extra in extras {
            text.push(',');
            let line = text.len() - text.rfind('\n').map_or(0, |at| at + 1);
            // The comma or parenthesis after it must fit, too.
            if line + extra.len() + 2 <= LINE {
                text.push(' ');
            } else {
                text.push('\n');
                text.extend(std::iter::repeat_n(' ', OPENING.len()));
            }
            text += &extra;
        }
        Ok(text + ")")
    }

    fn bare(&self) -> Result<String> {
        if self.shape().is_empty() { words::of_one(self) } else { self.elements(" ", 0, 0) }
    }
}

/// A shape as Python writes it.
fn tuple(shape: &[usize]) -> String {
    match shape {
        [length] => format!("({length},)"),
        _ => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The text, or why there is none: a device may fail while an array is printed.
fn written(f: &mut fmt::Formatter<'_>, text: Result<String>) -> fmt::Result {
    match text {
        Ok(text) => f.write_str(&text),
        Err(error) => write!(f, "<array that cannot be read: {error}>"),
    }
}

impl fmt::Display for Tensor {
    /// The elements, as Python's `str` writes them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        written(f, self.bare())
    }
}

impl fmt::Debug for Tensor {
    /// The elements with the dtype, where that is not a usual one, as Python's `repr` writes them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        written(f, self.described())
    }
}
