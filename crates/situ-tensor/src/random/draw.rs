//! Arrays filled with numbers of a stream.

use situ_ir::random::{Distribution, Stream};
use situ_runtime::{Command, Random};
use situ_types::{DType, DTypeKind, Order};

use crate::submit::{Submission, refuse_unwritable};
use crate::{Error, Result, Tensor};

const NAME: &str = "random";

impl Tensor {
    /// Writes random numbers to every element, in C order whatever the layout; how many blocks of the stream they take.
    ///
    /// The array's dtype is the distribution's, or for integers the signed one of the same width.
    ///
    /// ```
    /// use situ_ir::random::{Distribution, Stream};
    /// use situ_tensor::Tensor;
    ///
    /// let x = Tensor::from_slice(&[0u32; 6])?;
    /// assert_eq!(x.draw(Stream { key: 0, counter: 0 }, Distribution::Bits32)?, 2);
    /// assert_eq!(x.to_vec::<u32>()?[0], 0x6627_E8D5);
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn draw(&self, stream: Stream, distribution: Distribution) -> Result<usize> {
        refuse_unwritable(NAME, self)?;
        let dtype = distribution.dtype();
        let is_signed = self.dtype().kind() == DTypeKind::Integer && dtype.kind() == DTypeKind::Integer;
        if self.dtype() != dtype && !(is_signed && self.dtype().size() == dtype.size()) {
            return Err(Error::Type(format!(
                "{NAME}: {distribution:?} makes elements of dtype {dtype}, which an array of dtype {} does not hold; \
                 use one of dtype {dtype}",
                self.dtype()
            )));
        }
        let (count, blocks) = (self.size(), distribution.blocks(self.size()));
        if count == 0 {
            return Ok(0);
        }
        if !self.layout().is_c_contiguous() {
            let dense = Tensor::empty(self.shape(), self.dtype(), Order::C, self.kind(), self.queue())?;
            dense.draw(stream, distribution)?;
            self.assign(&dense)?;
            return Ok(blocks);
        }
        let mut work = Submission::on(self.queue());
        let out = work.write(self)?;
        work.run(&Command::Random(Box::new(Random { out, count, stream, distribution })))?;
        Ok(blocks)
    }

    /// Writes random integers from `low` on and below `high`, all as likely, to every element; how many blocks of the
    /// stream they take.
    ///
    /// ```
    /// use situ_ir::random::Stream;
    /// use situ_tensor::Tensor;
    ///
    /// let x = Tensor::from_slice(&[0i64; 100])?;
    /// x.draw_integers(Stream { key: 1, counter: 0 }, 1, 7)?;
    /// assert!(x.to_vec::<i64>()?.iter().all(|side| (1..7).contains(side)));
    /// # Ok::<(), situ_tensor::Error>(())
    /// ```
    pub fn draw_integers(&self, stream: Stream, low: i128, high: i128) -> Result<usize> {
        let (least, most) = limits(self.dtype())?;
        if low >= high {
            return Err(Error::Value(format!(
                "integers: there is no integer from {low} on and below {high}; high must be greater than low"
            )));
        }
        if low < least || high - 1 > most {
            return Err(Error::Value(format!(
                "integers: {} does not fit in {}, which holds {least} to {most}; give another dtype",
                if low < least { low } else { high - 1 },
                self.dtype()
            )));
        }
        // A count of 2⁶⁴ or 2³² is every integer there is, wherever it begins.
        let count = high - low;
        if self.dtype().size() == 8 {
            let some = u64::try_from(count).map(|count| Distribution::Below64 { low: low as u64, count });
            return self.draw(stream, some.unwrap_or(Distribution::Bits64));
        }
        let some = u32::try_from(count).map(|count| Distribution::Below32 { low: low as u32, count });
        let distribution = some.unwrap_or(Distribution::Bits32);
        if self.dtype().size() == 4 {
            return self.draw(stream, distribution);
        }
        refuse_unwritable("integers", self)?;
        let wide = Tensor::empty(self.shape(), DType::U32, Order::C, self.kind(), self.queue())?;
        let blocks = wide.draw(stream, distribution)?;
        self.assign(&wide)?;
        Ok(blocks)
    }
}

/// The least and the greatest integer of a dtype.
fn limits(dtype: DType) -> Result<(i128, i128)> {
    let bits = 8 * dtype.size() as u32;
    match dtype {
        DType::Bool => Ok((0, 1)),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => Ok((0, (1 << bits) - 1)),
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => Ok((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        _ => Err(Error::Type(format!(
            "integers: dtype {dtype} is none of integers; use int64, or convert the result with astype"
        ))),
    }
}
