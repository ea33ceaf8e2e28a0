//! What a kernel and its launch are made of.

/// The text of one kernel with everything it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The text to compile.
    pub text: String,
    /// The name of the kernel in it.
    pub kernel: String,
}

/// One argument of a kernel's launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The n-th operand: its address, moved by so many bytes, or the value of one that is not in memory (as wide as its
    /// dtype).
    Operand(u32, i64),
    /// The scratch memory's address, moved by so many bytes.
    Scratch(u64),
    /// A number.
    U32(u32),
    /// A number.
    I32(i32),
    /// A number.
    U64(u64),
    /// A number.
    I64(i64),
}
