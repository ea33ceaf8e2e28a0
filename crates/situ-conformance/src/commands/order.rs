//! Commands that sort, search and find runs.

use situ_hal::{Address, Command, Question, RunCount, RunSelect, Search, Sort, Strided};
use situ_ir::order::Side;
use situ_types::DType;

/// Where every operand is.
const SOMEWHERE: Address = Address(64 as *mut u8);

fn strided(strides: &[isize]) -> Strided {
    Strided { address: SOMEWHERE, strides: strides.into() }
}

/// A sort of dense rows, or of strided ones, of which the first few are wanted.
fn sort(dtype: DType, shape: [usize; 2], descending: bool, is_strided: bool, indices: bool) -> Command {
    let [_, length] = shape;
    let steps = if is_strided { [3, 5] } else { [length as isize, 1] };
    Command::Sort(Box::new(Sort {
        shape: shape[..].into(),
        dtype,
        input: strided(&steps),
        descending,
        count: if is_strided { 7 } else { length },
        values: Some(strided(&steps)),
        indices: indices.then(|| strided(&steps)),
    }))
}

/// Every dtype, way to sort, question and result, but not every combination.
pub(super) fn commands() -> Vec<Command> {
    let questions = [
        Question::Position(Side::Left),
        Question::Position(Side::Right),
        Question::Equal(true),
        Question::Equal(false),
    ];
    let mut commands = Vec::new();
    for (n, dtype) in DType::ALL.into_iter().enumerate() {
        let (odd, third) = (n % 2 == 1, n % 3 == 1);
        for indices in [false, true] {
            commands.push(sort(dtype, [1, 1 << 20], odd != indices, false, indices));
        }
        commands.push(sort(dtype, [1 << 10, 1 << 14], third, true, odd));
        commands.push(sort(dtype, [3, [2048, 512, 1000][n % 3]], odd, false, third));
        commands.push(sort(dtype, [1, 32 << 10 >> dtype.size().ilog2().max(2)], false, true, !third));
        commands.push(sort(dtype, [1000, 10], odd, odd, third));
        let question = questions[n % 4];
        let length = if odd { 1000 } else { 1 << 33 };
        let (needles, out) = (strided(&[2, 1]), strided(&[1, 10]));
        let shape = [10, 10][..].into();
        let search = Search { shape, dtype, sorted: SOMEWHERE, step: 2, length, needles, question, out };
        commands.push(Command::Search(Box::new(search)));
        commands.push(Command::RunCount(Box::new(RunCount { dtype, sorted: SOMEWHERE, length, count: SOMEWHERE })));
        let given = |is_wanted: bool| is_wanted.then_some(SOMEWHERE);
        for all in [false, true] {
            let [values, firsts, counts, inverse] = [n % 4 != 0, odd, third, n % 4 == 0].map(|one| given(one || all));
            let (sorted, positions, capacity) = (SOMEWHERE, given(true), 100);
            let runs = RunSelect { dtype, sorted, length, capacity, positions, values, firsts, counts, inverse };
            commands.push(Command::RunSelect(Box::new(runs)));
        }
    }
    for (dtype, length) in [(DType::U8, 1 << 31), (DType::F32, 1 << 33), (DType::F64, 1 << 33), (DType::C128, 1 << 33)]
    {
        commands.extend([false, true].map(|indices| sort(dtype, [1, length], false, false, indices)));
    }
    commands
}
