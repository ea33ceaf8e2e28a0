//! A stream with a place in it.

use situ_ir::random::{Distribution, Stream};
use situ_runtime::Queue;
use situ_types::{DType, Order, UsmKind};

use crate::{Error, Result, Tensor};

/// A source of random arrays. The same seed gives the same numbers on every device, by any number of threads.
///
/// ```
/// use situ_runtime::scope;
/// use situ_tensor::Generator;
/// use situ_types::DType;
///
/// let mut generator = Generator::new(42, &scope::current_queue()?);
/// let x = generator.normal(0.0, 2.0, &[1000], DType::F64)?;
/// let dice = generator.integers(1, 7, &[10], DType::I64)?;
/// assert_eq!((x.size(), dice.size()), (1000, 10));
///
/// let mut again = Generator::new(42, &scope::current_queue()?);
/// assert_eq!(again.normal(0.0, 2.0, &[1000], DType::F64)?.to_vec::<f64>()?, x.to_vec::<f64>()?);
/// # Ok::<(), situ_tensor::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Generator {
    queue: Queue,
    kind: UsmKind,
    stream: Stream,
    children: u64,
}

impl Generator {
    /// The start of the stream whose key is a seed, for arrays on a queue.
    pub fn new(seed: u64, queue: &Queue) -> Generator {
        Generator { queue: queue.clone(), kind: UsmKind::Device, stream: Stream { key: seed, counter: 0 }, children: 0 }
    }

    /// The same, for arrays in memory of a kind.
    pub fn with_kind(self, kind: UsmKind) -> Generator {
        Generator { kind, ..self }
    }

    /// Where it is: what it draws next begins there.
    pub fn stream(&self) -> Stream {
        self.stream
    }

    /// A generator as far along the stream as after `times` times 2⁶⁴ blocks of numbers: more than anybody draws.
    pub fn jump(&self, times: u64) -> Generator {
        // Nor has anybody so many children that these would be somebody's already.
        let children = self.children.wrapping_add(times << 32);
        Generator { stream: self.stream.after(u128::from(times) << 64), children, ..self.clone() }
    }

    /// Generators of other streams, new ones at every call.
    pub fn spawn(&mut self, count: usize) -> Vec<Generator> {
        let child = |number: u64| Generator {
            stream: Stream { key: self.stream.child_key(number), counter: 0 },
            children: 0,
            ..self.clone()
        };
        let children = (0..count as u64).map(|n| child(self.children.wrapping_add(n))).collect();
        self.children = self.children.wrapping_add(count as u64);
        children
    }

    /// Numbers in [0, 1), all as likely; float32 or float64.
    pub fn random(&mut self, shape: &[usize], dtype: DType) -> Result<Tensor> {
        self.float("random", shape, dtype, [Distribution::Uniform32, Distribution::Uniform64])
    }

    /// Numbers in [low, high), all as likely; float32 or float64.
    pub fn uniform(&mut self, low: f64, high: f64, shape: &[usize], dtype: DType) -> Result<Tensor> {
        if !(high - low).is_finite() {
            return Err(Error::Value(format!("uniform: from {low} to {high} is no finite interval; give finite ends")));
        }
        (self.random(shape, dtype)? * (high - low))? + low
    }

    /// Normal numbers of mean 0 and standard deviation 1; float32 or float64.
    pub fn standard_normal(&mut self, shape: &[usize], dtype: DType) -> Result<Tensor> {
        self.float("standard_normal", shape, dtype, [Distribution::Normal32, Distribution::Normal64])
    }

    /// Normal numbers of a mean and a standard deviation; float32 or float64.
    pub fn normal(&mut self, mean: f64, deviation: f64, shape: &[usize], dtype: DType) -> Result<Tensor> {
        refuse_negative("normal", "the standard deviation", deviation)?;
        (self.standard_normal(shape, dtype)? * deviation)? + mean
    }

    /// Exponential numbers of a mean; float32 or float64.
    pub fn exponential(&mut self, mean: f64, shape: &[usize], dtype: DType) -> Result<Tensor> {
        refuse_negative("exponential", "the mean", mean)?;
        let distributions = [Distribution::Exponential32, Distribution::Exponential64];
        self.float("exponential", shape, dtype, distributions)? * mean
    }

    /// Integers from `low` on and below `high`, all as likely; of any integer dtype.
    pub fn integers(&mut self, low: i128, high: i128, shape: &[usize], dtype: DType) -> Result<Tensor> {
        let out = Tensor::empty(shape, dtype, Order::C, self.kind, &self.queue)?;
        let blocks = out.draw_integers(self.stream, low, high)?;
        Ok(self.past(blocks, out))
    }

    /// The integers from 0 up to `n` in a random order.
    pub fn permutation(&mut self, n: usize) -> Result<Tensor> {
        let keys = Tensor::empty(&[n], DType::U64, Order::C, self.kind, &self.queue)?;
        let blocks = keys.draw(self.stream, Distribution::Bits64)?;
        let order = keys.argsort(0, false)?;
        Ok(self.past(blocks, order))
    }

    fn float(
        &mut self,
        name: &str,
        shape: &[usize],
        dtype: DType,
        [single, double]: [Distribution; 2],
    ) -> Result<Tensor> {
        let distribution = match dtype {
            DType::F32 => single,
            DType::F64 => double,
            _ => {
                let message = format!("{name}: dtype must be float32 or float64, not {dtype}; convert with astype");
                return Err(Error::Type(message));
            }
        };
        let out = Tensor::empty(shape, dtype, Order::C, self.kind, &self.queue)?;
        let blocks = out.draw(self.stream, distribution)?;
        Ok(self.past(blocks, out))
    }

    /// An array, once the stream is past the blocks that it took.
    fn past(&mut self, blocks: usize, array: Tensor) -> Tensor {
        self.stream = self.stream.after(blocks as u128);
        array
    }
}

fn refuse_negative(name: &str, what: &str, value: f64) -> Result<()> {
    if value >= 0.0 {
        Ok(())
    } else {
        Err(Error::Value(format!("{name}: {what} must not be negative, but is {value}")))
    }
}
