//! Random numbers: a block of words by every thread.

use situ_hal::Random;
use situ_ir::random::Distribution;
use situ_types::DType;
use smallvec::smallvec;

use crate::dialect::type_name;
use crate::signature::{Parameter, Parameters, Role, Signature, THREADS};
use crate::work::Work;
use crate::{Dialect, Kernel};

/// What the text depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RandomKernel {
    /// What the distribution is called in the library.
    name: &'static str,
    dtype: DType,
    /// Whether elements are integers from an interval, of which some are drawn again.
    is_bounded: bool,
    /// Whether the elements of a block are written as a whole.
    is_aligned: bool,
}

/// What random numbers come to.
pub(crate) fn random(command: &Random) -> Work {
    use Distribution::*;
    let &Random { out, count, stream, distribution } = command;
    let mut work = Work::default();
    if count == 0 {
        return work;
    }
    let name = match distribution {
        Bits32 | Bits64 => "bits",
        Uniform32 | Uniform64 => "uniform",
        Normal32 | Normal64 => "normal",
        Exponential32 | Exponential64 => "exponential",
        Below32 { .. } | Below64 { .. } => "below",
    };
    let (low, choices, surplus) = match distribution {
        Below32 { low, count } => (low.into(), count.into(), (count.wrapping_neg() % count.max(1)).into()),
        Below64 { low, count } => (low, count, count.wrapping_neg() % count.max(1)),
        _ => (0, 1, 0),
    };
    let kernel = RandomKernel {
        name,
        dtype: distribution.dtype(),
        is_bounded: name == "below",
        is_aligned: out.value().is_multiple_of(16),
    };
    let blocks = distribution.blocks(count).div_ceil(THREADS as usize);
    work.launch(Kernel::Random(kernel), blocks, |parameter| match parameter {
        Parameter::Address(_) => out.into(),
        Parameter::Key => stream.key.into(),
        Parameter::FirstBlock => (stream.counter as u64).into(),
        Parameter::FirstBlockUpper => ((stream.counter >> 64) as u64).into(),
        Parameter::Low => low.into(),
        Parameter::Choices => choices.into(),
        Parameter::Surplus => surplus.into(),
        _ => count.into(),
    });
    work
}

impl RandomKernel {
    /// How many elements a block makes.
    fn elements(&self) -> usize {
        16 / self.dtype.size()
    }

    /// A call that draws elements from words.
    fn draw(&self, words: &str, made: &str) -> String {
        let (name, suffix) = (self.name, type_name(self.dtype));
        if self.is_bounded {
            return format!(
                "draw_{name}_{suffix}({words}, ({suffix})low, ({suffix})choices, ({suffix})surplus, {made})"
            );
        }
        format!("draw_{name}_{suffix}({words}, {made})")
    }
}

impl Signature for RandomKernel {
    fn name(&self) -> String {
        format!("situ_random_{}_{}", self.name, type_name(self.dtype))
    }

    fn about(&self) -> String {
        "Random numbers, which depend on a key and on their positions alone.".into()
    }

    fn parameters(&self) -> Parameters {
        let mut all: Parameters = smallvec![
            Parameter::Address(Role::Out),
            Parameter::Size,
            Parameter::Key,
            Parameter::FirstBlock,
            Parameter::FirstBlockUpper
        ];
        if self.is_bounded {
            all.extend([Parameter::Low, Parameter::Choices, Parameter::Surplus]);
        }
        all
    }

    fn pointee(&self, _role: Role) -> String {
        type_name(self.dtype).into()
    }

    fn before(&self, _dialect: Dialect) -> String {
        format!("typedef union {{ {} at[{}]; bytes16 whole; }} elements;\n\n", type_name(self.dtype), self.elements())
    }

    fn body(&self, _dialect: Dialect) -> String {
        let count = self.elements();
        let draw = if self.is_bounded {
            format!(
                "            u32 rejected = {};
            for (u32 attempt = 1; rejected; attempt++) {{
                elements again;
                philox(number, upper + ((u64)attempt << 32), key, words);
                const u32 still = {};
                UNROLL
                for (u32 k = 0; k < {count}u; k++) {{
                    made.at[k] = (rejected >> k) & 1u ? again.at[k] : made.at[k];
                }}
                rejected &= still;
            }}\n",
                self.draw("words", "made.at"),
                self.draw("words", "again.at")
            )
        } else {
            format!("            {};\n", self.draw("words", "made.at"))
        };
        let each = format!(
            "UNROLL
                for (u32 k = 0; k < {count}u; k++) {{
                    if (first + k < size) {{
                        out[first + k] = made.at[k];
                    }}
                }}"
        );
        let store = if self.is_aligned {
            format!(
                "if (size - first >= {count}u) {{
                store_bytes16(out + first, made.whole);
            }} else {{
                {each}
            }}"
            )
        } else {
            each.replace("\n    ", "\n")
        };
        format!(
            "    EACH_THREAD {{
        const u64 block = (u64)BLOCK_X * {THREADS}u + THREAD_X;
        const u64 first = block * {count}u;
        if (first < size) {{
            const u64 number = first_block + block;
            const u64 upper = first_block_upper + (number < block ? 1u : 0u);
            u32 words[4];
            elements made;
            philox(number, upper, key, words);
{draw}            {store}
        }}
    }}\n"
        )
    }

    fn is_wide(&self) -> bool {
        true
    }
}
