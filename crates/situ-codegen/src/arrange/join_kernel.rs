//! Arrays to places of their own: the kernel.

use situ_ir::Program;
use smallvec::smallvec;

use super::join::{EACH, JoinKernel, Moved};
use crate::Dialect;
use crate::coordinates::{about_space, coordinates, divisors, offset, steps};
use crate::dialect::{suffix, type_name};
use crate::elementwise::element_function;
use crate::indexing::{element_type, unit_type};
use crate::signature::{Axes, Parameter, Parameters, Role, Signature, THREADS, signed, unsigned};

/// Words of a piece's record before those about its axes: where from, where to, how many elements, and of which kind.
const HEAD: usize = 4;

impl JoinKernel {
    /// What a record says about axes, after its head.
    fn numbers(&self) -> impl Iterator<Item = Parameter> {
        let of = |role: Role| steps(role, self.axes);
        divisors(Axes::Space, self.axes).chain(of(Role::Array)).chain(of(Role::Elements))
    }

    /// Words of a piece's record.
    pub(super) fn words(&self) -> usize {
        HEAD + self.numbers().count()
    }

    /// The type of what is written.
    fn written(&self) -> String {
        match &self.moved {
            Moved::Copied(width) if self.unaligned => element_type(*width),
            Moved::Copied(width) => unit_type(*width),
            Moved::Converted { to, .. } => type_name(*to).to_owned(),
        }
    }

    /// Statements that read elements, by the kind of the piece, and convert them.
    fn reads(&self) -> String {
        let each = each();
        let Moved::Converted { from, .. } = &self.moved else {
            return format!("        {each} moved[j] = ((GLOBAL const {} *)piece[0])[place[j]];\n", self.written());
        };
        let mut text = "        switch ((u32)piece[3]) {\n".to_owned();
        for (kind, &dtype) in from.iter().enumerate() {
            let element = type_name(dtype);
            let source = format!("((GLOBAL const {element} *)piece[0] + place[j])");
            let value = if self.unaligned { format!("load_{element}{source}") } else { format!("*{source}") };
            text += &format!(
                "        case {kind}u: {{\n            {each} convert_{kind}({value}, &moved[j]);\n            break;\n        }}\n"
            );
        }
        text + "        }\n"
    }

    fn writes(&self) -> String {
        let (each, written) = (each(), self.written());
        let place = format!("(GLOBAL {written} *)piece[1] + element[j]");
        match self.moved {
            Moved::Converted { .. } if self.unaligned => {
                format!("        {each} store_{written}({place}, moved[j]);\n")
            }
            _ => format!("        {each} *({place}) = moved[j];\n"),
        }
    }
}

/// The head of a loop over what a thread has.
fn each() -> String {
    format!("UNROLL for (u32 j = 0; j < {EACH}u; j++)")
}

impl Signature for JoinKernel {
    fn name(&self) -> String {
        match &self.moved {
            Moved::Copied(width) => format!("join_{width}"),
            Moved::Converted { to, .. } => format!("join_{}", suffix(*to)),
        }
    }

    fn about(&self) -> String {
        let space = about_space(self.axes, self.wide);
        match &self.moved {
            Moved::Copied(width) => format!("Arrays to places of their own, {width} bytes at a time; {space}."),
            Moved::Converted { from, to } => {
                let names: Vec<&str> = from.iter().map(|dtype| dtype.name()).collect();
                format!("Arrays of {} to places of their own, as {to}; {space}.", names.join(", "))
            }
        }
    }

    fn parameters(&self) -> Parameters {
        smallvec![Parameter::Address(Role::Pieces), Parameter::Pieces]
    }

    fn pointee(&self, _role: Role) -> String {
        "const i64".into()
    }

    fn before(&self, dialect: Dialect) -> String {
        let Moved::Converted { from, to } = &self.moved else { return String::new() };
        let function =
            |(kind, &dtype)| element_function(&Program::convert(dtype, *to), dialect, &format!("convert_{kind}"));
        from.iter().enumerate().map(function).collect::<Vec<_>>().join("\n") + "\n"
    }

    fn body(&self, _dialect: Dialect) -> String {
        let (of, steps_of, written, words) = (unsigned(self.wide), signed(self.wide), self.written(), self.words());
        let mut numbers = String::new();
        for (n, number) in self.numbers().enumerate() {
            let of = number.word_type(self.wide);
            numbers += &format!("        const {of} {} = ({of})piece[{}];\n", number.name(), HEAD + n);
        }
        let next = format!("first + j * {THREADS}u");
        let axes = coordinates(Axes::Space, self.axes, self.wide, "position", 12);
        // Threads beyond the last element do that one again: without a branch, all reads are under way at once.
        format!(
            "    EACH_THREAD {{
        u32 own = 0u, past = pieces_count;
        while (past - own > 1u) {{
            const u32 middle = own + (past - own) / 2u;
            if ((u32)pieces[middle] <= BLOCK_X) own = middle;
            else past = middle;
        }}
        GLOBAL const i64 *piece = pieces + pieces_count + (u64)own * {words}u;
        const {of} size = ({of})piece[2];
{numbers}        const {of} first = ({of})(BLOCK_X - (u32)pieces[own]) * {block}u + THREAD_X;
        {steps_of} place[{EACH}], element[{EACH}];
        {each} {{
            const {of} position = {next} < size ? {next} : size - 1u;
{axes}            place[j] = {from};
            element[j] = {to};
        }}
        {written} moved[{EACH}];
{reads}{writes}    }}\n",
            block = THREADS * EACH,
            each = each(),
            from = offset(Role::Array, self.axes),
            to = offset(Role::Elements, self.axes),
            reads = self.reads(),
            writes = self.writes(),
        )
    }

    fn is_wide(&self) -> bool {
        self.wide
    }
}
