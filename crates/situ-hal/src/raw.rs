//! Kernels in a language of the device's own.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use situ_types::Scalar;

use crate::Address;

/// A kernel's text as its user wrote it.
///
/// ```
/// use situ_hal::RawKernel;
///
/// let kernel = RawKernel::new("extern \"C\" __global__ void f() {}", "f", &[]);
/// assert_eq!(kernel.name(), "f");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawKernel {
    digest: u64,
    source: String,
    spirv: Option<Vec<u8>>,
    name: String,
    options: Vec<String>,
}

impl RawKernel {
    /// The function of that name in a text, which the device's compiler gets with some options.
    pub fn new(source: &str, name: &str, options: &[String]) -> RawKernel {
        let mut hasher = DefaultHasher::new();
        (source, name, options).hash(&mut hasher);
        let (digest, source, name) = (hasher.finish(), source.to_owned(), name.to_owned());
        RawKernel { digest, source, spirv: None, name, options: options.to_vec() }
    }

    /// The function of that name in a module of SPIR-V, for devices whose compiler takes such.
    pub fn from_spirv(module: &[u8], name: &str, options: &[String]) -> RawKernel {
        let mut hasher = DefaultHasher::new();
        (module, name, options).hash(&mut hasher);
        let kernel = RawKernel::new("", name, options);
        RawKernel { digest: hasher.finish(), spirv: Some(module.to_vec()), ..kernel }
    }

    /// The module of SPIR-V, if it is not a text.
    pub fn spirv(&self) -> Option<&[u8]> {
        self.spirv.as_deref()
    }

    /// The text.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the compiler is told.
    pub fn options(&self) -> &[String] {
        &self.options
    }
}

/// By a number that was computed when the kernel was made: kernels are looked up at every launch.
impl Hash for RawKernel {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest.hash(state);
    }
}

/// What a device's compiler says about a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawFacts {
    /// How many parameters it has.
    pub parameters: u32,
    /// The most threads of a block.
    pub group_size: usize,
    /// Blocks are best multiples of so many threads.
    pub group_multiple: usize,
    /// Bytes that each thread has to itself.
    pub private_bytes: u64,
}

/// What a kernel is given for one of its parameters.
#[derive(Clone, Copy, Debug)]
pub enum RawArgument {
    /// The address of an array's first element.
    Address(Address),
    /// A number by its value.
    Scalar(Scalar),
}

/// A kernel over a grid of blocks of threads, neither of them empty.
///
/// What it does with its arguments, and whether they are what it takes, is its author's concern.
#[derive(Clone, Debug)]
pub struct RawLaunch {
    /// What each thread does.
    pub kernel: Arc<RawKernel>,
    /// Blocks along each axis.
    pub grid: [u32; 3],
    /// Threads of a block along each axis.
    pub block: [u32; 3],
    /// Bytes of a block's own memory, beside what the kernel declares.
    pub local: u32,
    /// What the kernel is given, in order.
    pub arguments: Vec<RawArgument>,
}
