//! Kernels: the keys by which compiled ones are kept, and their text.

use crate::arrange::{JoinKernel, RepeatKernel};
use crate::elementwise::ElementwiseKernel;
use crate::indexing::{
    BinCollect, BinProbe, BinSort, BinVisit, IndexCheckKernel, IndexVerdict, MaskCounts, MaskFill, MaskMove, Totals,
    TransferKernel,
};
use crate::launch::UserKernel;
use crate::linalg::{CholeskyKernel, EighKernel, SvdKernel};
use crate::order::{
    ChunkCounts, ChunkPass, DigitBases, DigitCounts, RadixPass, RowSort, RunCounts, RunMove, SearchKernel, ShortRows,
};
use crate::product::ProductKernel;
use crate::random::RandomKernel;
use crate::raw::RawText;
use crate::reduce::{ReduceKernel, ScanKernel};
use crate::signature::{Parameter, Parameters, Signature, TABLE_LIMIT};
use crate::{Dialect, library};

/// The text of one kernel with everything it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The text to compile.
    pub text: String,
    /// The name of the kernel in it.
    pub kernel: String,
    /// What the compiler is told.
    pub rules: Rules,
}

/// What a compiler is told about a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rules {
    /// To round every product and every sum.
    Exact,
    /// That it may round a product and the sum it goes into once.
    Contracted,
    /// What a user says.
    Given(Vec<String>),
}

/// A kernel: everything that its text depends on, and so the key by which to keep it once it is compiled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// Runs a program for every element.
    Elementwise(ElementwiseKernel),
    /// Gathers or scatters.
    Transfer(TransferKernel),
    /// Looks whether sorting is worth it.
    BinProbe(BinProbe),
    /// Sorts places into bins.
    BinSort(BinSort),
    /// Gathers or scatters bin after bin.
    BinVisit(BinVisit),
    /// Writes what was gathered from bins to where it belongs.
    BinCollect(BinCollect),
    /// Looks for an index outside its axis.
    IndexCheck(IndexCheckKernel),
    /// Tells which index that was.
    IndexVerdict(IndexVerdict),
    /// Counts what is true in each segment of a mask.
    MaskCounts(MaskCounts),
    /// Adds up numbers of segments.
    Totals(Totals),
    /// Selects or expands: moves what lies where a mask is true.
    MaskMove(MaskMove),
    /// Writes one value where a mask is true.
    MaskFill(MaskFill),
    /// Copies many arrays to places of their own.
    Join(JoinKernel),
    /// Repeats elements.
    Repeat(RepeatKernel),
    /// Combines values along axes.
    Reduce(ReduceKernel),
    /// Combines each value with those before it.
    Scan(ScanKernel),
    /// Multiplies matrices.
    Product(ProductKernel),
    /// Finds Cholesky factors.
    Cholesky(CholeskyKernel),
    /// Finds eigenvalues of Hermitian matrices.
    Eigh(EighKernel),
    /// Finds singular values.
    Svd(SvdKernel),
    /// Counts the values of one digit in parts of rows.
    ChunkCounts(ChunkCounts),
    /// Sorts parts of rows by one digit.
    ChunkPass(ChunkPass),
    /// Makes random numbers.
    Random(RandomKernel),
    /// Counts the digits of keys.
    DigitCounts(DigitCounts),
    /// Adds up counts of digits.
    DigitBases(DigitBases),
    /// Sorts rows by one digit.
    RadixPass(RadixPass),
    /// Sorts rows, a block each.
    RowSort(RowSort),
    /// Sorts short rows.
    ShortRows(ShortRows),
    /// Searches sorted elements.
    Search(SearchKernel),
    /// Counts runs of equal elements.
    RunCounts(RunCounts),
    /// Writes what is asked about runs.
    RunMove(RunMove),
    /// Does what a user has written.
    User(UserKernel),
    /// Does what a user has written in the device's own language.
    Raw(RawText),
}

/// Where a kernel's text comes from.
enum Text<'k> {
    /// It is made.
    Made(&'k dyn Signature),
    /// It is there.
    There(&'k RawText),
}

impl<'k> Text<'k> {
    fn signature(self) -> Option<&'k dyn Signature> {
        match self {
            Text::Made(signature) => Some(signature),
            Text::There(_) => None,
        }
    }
}

impl Kernel {
    fn text(&self) -> Text<'_> {
        let signature: &dyn Signature = match self {
            Kernel::Elementwise(kernel) => kernel,
            Kernel::Transfer(kernel) => kernel,
            Kernel::BinProbe(kernel) => kernel,
            Kernel::BinSort(kernel) => kernel,
            Kernel::BinVisit(kernel) => kernel,
            Kernel::BinCollect(kernel) => kernel,
            Kernel::IndexCheck(kernel) => kernel,
            Kernel::IndexVerdict(kernel) => kernel,
            Kernel::MaskCounts(kernel) => kernel,
            Kernel::Totals(kernel) => kernel,
            Kernel::MaskMove(kernel) => kernel,
            Kernel::MaskFill(kernel) => kernel,
            Kernel::Join(kernel) => kernel,
            Kernel::Repeat(kernel) => kernel,
            Kernel::Reduce(kernel) => kernel,
            Kernel::ChunkCounts(kernel) => kernel,
            Kernel::ChunkPass(kernel) => kernel,
            Kernel::Scan(kernel) => kernel,
            Kernel::Product(kernel) => kernel,
            Kernel::Cholesky(kernel) => kernel,
            Kernel::Eigh(kernel) => kernel,
            Kernel::Svd(kernel) => kernel,
            Kernel::Random(kernel) => kernel,
            Kernel::DigitCounts(kernel) => kernel,
            Kernel::DigitBases(kernel) => kernel,
            Kernel::RadixPass(kernel) => kernel,
            Kernel::RowSort(kernel) => kernel,
            Kernel::ShortRows(kernel) => kernel,
            Kernel::Search(kernel) => kernel,
            Kernel::RunCounts(kernel) => kernel,
            Kernel::RunMove(kernel) => kernel,
            Kernel::User(kernel) => kernel,
            Kernel::Raw(raw) => return Text::There(raw),
        };
        Text::Made(signature)
    }

    pub(crate) fn parameters(&self) -> Parameters {
        self.text().signature().map(|signature| signature.parameters()).unwrap_or_default()
    }

    pub(crate) fn is_wide(&self) -> bool {
        self.text().signature().is_some_and(|signature| signature.is_wide())
    }

    pub(crate) fn threads(&self) -> u32 {
        self.text().signature().map_or(1, |signature| signature.threads())
    }

    /// What is written where a dialect is asked for.
    fn written(&self, dialect: Dialect) -> Dialect {
        match (self, dialect) {
            (Kernel::User(_) | Kernel::Raw(_), Dialect::Processor) => Dialect::OpenCl,
            (_, dialect) => dialect,
        }
    }

    /// The size of a work-group for blocks of so many threads.
    pub fn group(&self, dialect: Dialect, block: [u32; 3]) -> [u32; 3] {
        if self.written(dialect) == Dialect::Processor { [1; 3] } else { block }
    }

    /// The kernel's text.
    pub fn emit(&self, dialect: Dialect) -> Source {
        let dialect = self.written(dialect);
        let Source { text, kernel, rules } = self.emit_bare(dialect);
        match rules {
            Rules::Given(_) => Source { text, kernel, rules },
            Rules::Contracted if library::needs_mathematics(dialect, &text) => {
                Source { text: library::complete(dialect, &text), kernel, rules: Rules::Exact }
            }
            rules => Source { text: library::complete(dialect, &text), kernel, rules },
        }
    }

    /// The kernel's text without the library's items, which [`library::complete`] puts before it: several can share
    /// them.
    pub fn emit_bare(&self, dialect: Dialect) -> Source {
        let dialect = self.written(dialect);
        let signature = match self.text() {
            Text::Made(signature) => signature,
            Text::There(raw) => return raw.emit(),
        };
        let (name, wide) = (signature.name(), signature.is_wide());
        let parameters = signature.parameters();
        let is_tabled = parameters.len() > TABLE_LIMIT;
        let restrict = if signature.may_alias() { "" } else { "RESTRICT " };
        let (mut given, mut loaded) = (Vec::new(), String::new());
        for parameter in parameters {
            let called = signature.parameter_name(parameter);
            match parameter {
                Parameter::Address(role) => {
                    given.push(format!("GLOBAL {} *{restrict}{called}", signature.pointee(role)))
                }
                Parameter::Immediate(role) => given.push(format!("const {} {called}", signature.pointee(role))),
                word if is_tabled => {
                    let (of, n) = (word.word_type(wide), loaded.lines().count());
                    loaded += &format!("    const {of} {called} = ({of})table[{n}];\n");
                }
                word => given.push(format!("const {} {called}", word.word_type(wide))),
            }
        }
        if is_tabled {
            given.push("GLOBAL const i64 *RESTRICT table".into());
        }
        given.extend(signature.local_parameter(dialect).map(Into::into));
        let about: String = signature.about().lines().map(|line| format!("// {line}\n")).collect();
        let (before, body, bound) = (signature.before(dialect), signature.body(dialect), signature.bound(dialect));
        let declaration = declaration(&format!("KERNEL {bound} {name}("), &given);
        let threads = match dialect {
            Dialect::Processor => format!("#define THREADS {}u\n\n", signature.threads()),
            Dialect::Cuda | Dialect::OpenCl | Dialect::Host => String::new(),
        };
        let text = format!("{threads}{before}{about}{declaration}{loaded}{body}}}\n");
        let rules = if signature.may_contract() { Rules::Contracted } else { Rules::Exact };
        Source { text, kernel: name, rules }
    }
}

/// A function's declaration, up to its opening brace, on lines that can be read.
fn declaration(head: &str, parameters: &[String]) -> String {
    const LINE: usize = 118;
    let mut text = head.to_owned();
    let mut length = text.len();
    for (i, parameter) in parameters.iter().enumerate() {
        let separator = if i == 0 { "" } else { ", " };
        if length + separator.len() + parameter.len() > LINE {
            text += separator.trim_end();
            text += "\n    ";
            length = 4;
        } else {
            text += separator;
            length += separator.len();
        }
        text += parameter;
        length += parameter.len();
    }
    text + ") {\n"
}
