//! Kernels that need one mechanism each, against the interpreter.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use situ_hal::{Address, Launch, LaunchArgument};
use situ_ir::Op;
use situ_ir::kernel::{
    Array, ArrayLayout, Atomic, Fault, Kernel, KernelBuilder, NdRange, Position, REPORT_WORDS, Space, Value,
};
use situ_types::{DType, Scalar};

use super::divide;
use super::lower::lower;
use crate::elementwise::Machine;
use crate::isa::Isa;

/// An array of 8-byte elements.
type Contents = Vec<u64>;

/// Runs a kernel over arrays of one axis, with every instruction set, on one thread and as on two; all agree with each other.
fn run(kernel: &Kernel, range: &NdRange, arrays: &[Contents]) -> (Vec<Contents>, Option<Fault>) {
    let mut outcomes = vec![];
    let kernel = Arc::new(kernel.clone());
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        for threads in [1, 2] {
            outcomes.push(with(&kernel, range, arrays, |command| {
                let machine = Machine { isa, threads, last_level_cache: 1 << 20 };
                let fork = |count: usize, body: &(dyn Fn(usize) + Sync)| (0..count).rev().for_each(body);
                // SAFETY: the kernels of these tests stay inside of their arrays.
                unsafe { divide::run(command, &lower(&command.kernel, isa), 1 << 30, &machine, &fork, &|| false) };
            }));
        }
    }
    assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{outcomes:?}");
    outcomes.swap_remove(0)
}

/// The same by the interpreter.
fn interpreted(kernel: &Kernel, range: &NdRange, arrays: &[Contents]) -> (Vec<Contents>, Option<Fault>) {
    with(&Arc::new(kernel.clone()), range, arrays, |command| {
        // SAFETY: as above.
        unsafe { situ_hal::null::launch(command) };
    })
}

fn with(
    kernel: &Arc<Kernel>,
    range: &NdRange,
    arrays: &[Contents],
    launch: impl Fn(&Launch),
) -> (Vec<Contents>, Option<Fault>) {
    let (mut arrays, mut words) = (arrays.to_vec(), [0i64; REPORT_WORDS]);
    let arguments = arrays.iter_mut().map(|contents| {
        let layout = ArrayLayout::dense(&[contents.len()]);
        LaunchArgument::Array(Address(contents.as_mut_ptr().cast()), layout)
    });
    let arguments = arguments.collect();
    let report = Some(Address(words.as_mut_ptr().cast()));
    launch(&Launch { kernel: kernel.clone(), range: *range, arguments, report });
    (arrays, Fault::from_words(words))
}

fn items(count: usize) -> NdRange {
    NdRange::new(&[count], None).unwrap()
}

fn integer(k: &mut KernelBuilder, number: i64) -> Value {
    k.constant(Scalar::I64(number))
}

/// A kernel over one axis with arrays of a dtype, and the work-item's id.
fn kernel(arrays: usize, dtype: DType) -> (KernelBuilder, Vec<Array>, Value) {
    let mut k = KernelBuilder::new("tested", 1).unwrap();
    let arrays = (0..arrays).map(|_| k.array("array", dtype, 1).unwrap()).collect();
    let i = k.position(Position::GlobalId, 0).unwrap();
    (k, arrays, i)
}

#[test]
fn few_that_are_left_in_a_loop_are_packed() {
    // How many steps a number takes to 1, halved or tripled and one more; some take hundreds, most of them few.
    let (mut k, arrays, i) = kernel(1, DType::I64);
    let (n, steps) = (k.variable(DType::I64), k.variable(DType::I64));
    let [zero, one, two, three] = [0, 1, 2, 3].map(|number| integer(&mut k, number));
    let first = k.apply(Op::Add, &[i, one]).unwrap();
    k.set(n, first).unwrap();
    k.open_loop();
    let now = k.get(n).unwrap();
    let is_over = k.apply(Op::Equal, &[now, one]).unwrap();
    k.open_if(is_over).unwrap();
    k.leave().unwrap();
    k.close().unwrap();
    let count = k.get(steps).unwrap();
    let count = k.apply(Op::Add, &[count, one]).unwrap();
    k.set(steps, count).unwrap();
    let bit = k.apply(Op::Remainder, &[now, two]).unwrap();
    let is_even = k.apply(Op::Equal, &[bit, zero]).unwrap();
    k.open_if(is_even).unwrap();
    let half = k.apply(Op::FloorDivide, &[now, two]).unwrap();
    k.set(n, half).unwrap();
    k.proceed().unwrap();
    k.close().unwrap();
    let triple = k.apply(Op::Multiply, &[now, three]).unwrap();
    let more = k.apply(Op::Add, &[triple, one]).unwrap();
    k.set(n, more).unwrap();
    k.close().unwrap();
    let count = k.get(steps).unwrap();
    // What was known before the loop is still there.
    let sum = k.apply(Op::Add, &[count, i]).unwrap();
    k.store(arrays[0], &[i], sum).unwrap();
    let kernel = k.finish().unwrap();
    let (range, arrays) = (items(1000), [vec![0; 1000]]);
    assert_eq!(run(&kernel, &range, &arrays), interpreted(&kernel, &range, &arrays));
}

#[test]
fn who_leaves_a_loop_takes_variables_along() {
    // Sums of the first integers, for two work-items of three; the others keep what they have.
    let (mut k, arrays, i) = kernel(2, DType::I64);
    let (sum, count) = (k.variable(DType::I64), k.variable(DType::I64));
    let [zero, one, three, limit] = [0, 1, 3, 70].map(|number| integer(&mut k, number));
    let last = k.apply(Op::Remainder, &[i, limit]).unwrap();
    let rest = k.apply(Op::Remainder, &[i, three]).unwrap();
    let is_summed = k.apply(Op::NotEqual, &[rest, zero]).unwrap();
    k.set(sum, i).unwrap();
    k.set(count, three).unwrap();
    k.open_if(is_summed).unwrap();
    k.open_loop();
    let now = k.get(count).unwrap();
    let is_over = k.apply(Op::Greater, &[now, last]).unwrap();
    k.open_if(is_over).unwrap();
    k.leave().unwrap();
    k.close().unwrap();
    let before = k.get(sum).unwrap();
    let after = k.apply(Op::Add, &[before, now]).unwrap();
    k.set(sum, after).unwrap();
    let next = k.apply(Op::Add, &[now, one]).unwrap();
    k.set(count, next).unwrap();
    k.close().unwrap();
    k.close().unwrap();
    for (array, variable) in arrays.into_iter().zip([sum, count]) {
        let result = k.get(variable).unwrap();
        k.store(array, &[i], result).unwrap();
    }
    let kernel = k.finish().unwrap();
    // So many that they go on in pieces.
    let (range, arrays) = (items(20_000), [vec![0; 20_000], vec![0; 20_000]]);
    assert_eq!(run(&kernel, &range, &arrays), interpreted(&kernel, &range, &arrays));
}

#[test]
fn nothing_follows_a_loop_that_is_interrupted() {
    let (mut k, arrays, i) = kernel(1, DType::I64);
    let [one, two] = [1, 2].map(|number| integer(&mut k, number));
    let is_last = k.apply(Op::Equal, &[one, two]).unwrap();
    k.store(arrays[0], &[i], one).unwrap();
    k.open_loop();
    k.open_loop();
    k.open_if(is_last).unwrap();
    k.leave().unwrap();
    k.close().unwrap();
    k.close().unwrap();
    k.open_if(is_last).unwrap();
    k.leave().unwrap();
    k.close().unwrap();
    k.close().unwrap();
    k.store(arrays[0], &[i], two).unwrap();
    let kernel = Arc::new(k.finish().unwrap());
    let asked = AtomicUsize::new(0);
    let (found, _) = with(&kernel, &items(5000), &[vec![0; 5000]], |command| {
        let machine = Machine { isa: Isa::detected(), threads: 1, last_level_cache: 1 << 20 };
        let plan = lower(&command.kernel, machine.isa);
        assert!(plan.is_open);
        let is_interrupted = || asked.fetch_add(1, Ordering::Relaxed) >= 100;
        let fork = |count: usize, body: &(dyn Fn(usize) + Sync)| (0..count).for_each(body);
        // SAFETY: the kernel stays inside of its array.
        unsafe { divide::run(command, &plan, 0, &machine, &fork, &is_interrupted) };
    });
    // The first block was begun, and no other.
    let begun = found[0].iter().filter(|&&element| element == 1).count();
    assert!(begun > 0 && begun < 5000 && !found[0].contains(&2), "{begun}");
}

#[test]
fn loops_of_different_lengths_are_counted_by_each() {
    let (mut k, arrays, i) = kernel(1, DType::I64);
    let sum = k.variable(DType::I64);
    let [zero, seven, limit] = [0, 7, 90].map(|number| integer(&mut k, number));
    let step = k.apply(Op::Remainder, &[i, seven]).unwrap();
    let stop = k.apply(Op::Remainder, &[i, limit]).unwrap();
    let counter = k.open_for(zero, stop, step).unwrap();
    let now = k.get(sum).unwrap();
    let next = k.apply(Op::Add, &[now, counter]).unwrap();
    k.set(sum, next).unwrap();
    k.close().unwrap();
    let result = k.get(sum).unwrap();
    k.store(arrays[0], &[i], result).unwrap();
    let kernel = k.finish().unwrap();
    let (range, arrays) = (items(777), [vec![9; 777]]);
    assert_eq!(run(&kernel, &range, &arrays), interpreted(&kernel, &range, &arrays));
}

#[test]
fn what_was_loaded_stays_when_memory_changes() {
    let (mut k, arrays, i) = kernel(2, DType::I64);
    let element = k.load(arrays[0], &[i]).unwrap();
    let one = integer(&mut k, 1);
    let more = k.apply(Op::Add, &[element, one]).unwrap();
    k.store(arrays[0], &[i], more).unwrap();
    let sum = k.apply(Op::Add, &[element, more]).unwrap();
    k.store(arrays[1], &[i], sum).unwrap();
    let kernel = k.finish().unwrap();
    let (range, arrays) = (items(300), [(0..300).collect(), vec![0; 300]]);
    assert_eq!(run(&kernel, &range, &arrays), interpreted(&kernel, &range, &arrays));
}

#[test]
fn arrays_of_each_work_item_are_zero_and_apart() {
    let (mut k, arrays, i) = kernel(1, DType::I64);
    let own = k.own_array("own", DType::I64, &[3], Space::Private).unwrap();
    let three = integer(&mut k, 3);
    let at = k.apply(Op::Remainder, &[i, three]).unwrap();
    k.store(own, &[at], i).unwrap();
    let mut sum = integer(&mut k, 0);
    for (n, weight) in [1, 10_000, 100_000_000].into_iter().enumerate() {
        let (n, weight) = (integer(&mut k, n as i64), integer(&mut k, weight));
        let element = k.load(own, &[n]).unwrap();
        let weighted = k.apply(Op::Multiply, &[element, weight]).unwrap();
        sum = k.apply(Op::Add, &[sum, weighted]).unwrap();
    }
    k.store(arrays[0], &[i], sum).unwrap();
    let kernel = k.finish().unwrap();
    let (range, arrays) = (items(500), [vec![1; 500]]);
    assert_eq!(run(&kernel, &range, &arrays), interpreted(&kernel, &range, &arrays));
}

#[test]
fn copies_of_what_is_added_to_are_added_up() {
    for dtype in [DType::I64, DType::F64] {
        let (mut k, arrays, i) = kernel(2, dtype);
        let five = integer(&mut k, 5);
        let bin = k.apply(Op::Remainder, &[i, five]).unwrap();
        let value = k.cast(i, dtype).unwrap();
        k.atomic(Atomic::Add, arrays[0], &[bin], value).unwrap();
        k.atomic(Atomic::Subtract, arrays[1], &[bin], value).unwrap();
        let kernel = k.finish().unwrap();
        let (range, arrays) = (items(10_000), [vec![0; 5], vec![0; 6]]);
        assert_eq!(run(&kernel, &range, &arrays), interpreted(&kernel, &range, &arrays), "{dtype}");
    }
}

#[test]
fn the_first_work_item_that_fails_is_reported() {
    let (mut k, arrays, i) = kernel(1, DType::I64);
    let reports = [k.report("first {0}"), k.report("second {0}")];
    for (report, limit) in reports.into_iter().zip([2500, 700]) {
        let limit = integer(&mut k, limit);
        let is_below = k.apply(Op::Less, &[i, limit]).unwrap();
        k.guard(is_below, report, &[i]).unwrap();
    }
    k.store(arrays[0], &[i], i).unwrap();
    let kernel = k.finish().unwrap();
    let (range, arrays) = (items(3000), [vec![0; 3000]]);
    let outcome = run(&kernel, &range, &arrays);
    assert_eq!(outcome, interpreted(&kernel, &range, &arrays));
    assert_eq!(outcome.1.map(|fault| (fault.report, fault.item, fault.values)), Some((1, 700, [700, 0])));
}

#[test]
fn who_does_not_come_to_a_barrier_is_reported() {
    let (mut k, arrays, i) = kernel(1, DType::I64);
    let report = k.report("somebody is missing");
    let three = integer(&mut k, 3);
    let is_other = k.apply(Op::NotEqual, &[i, three]).unwrap();
    k.open_if(is_other).unwrap();
    k.barrier(Some(report)).unwrap();
    k.close().unwrap();
    k.store(arrays[0], &[i], i).unwrap();
    let kernel = k.finish().unwrap();
    let range = NdRange::new(&[8], Some(&[4])).unwrap();
    let outcome = run(&kernel, &range, &[vec![9; 8]]);
    assert_eq!(outcome, interpreted(&kernel, &range, &[vec![9; 8]]));
    assert_eq!(outcome.1.map(|fault| fault.item), Some(3));
}

#[test]
fn products_go_into_sums_where_they_may() {
    let build = |contracts: bool, op: Op, is_left: bool| {
        let (mut k, arrays, i) = kernel(4, DType::F64);
        if contracts {
            k.allow_contraction();
        }
        let [a, b, c] = [0, 1, 2].map(|n| k.load(arrays[n], &[i]).unwrap());
        let product = k.apply(Op::Multiply, &[a, b]).unwrap();
        let args = if is_left { [product, c] } else { [c, product] };
        let sum = k.apply(op, &args).unwrap();
        k.store(arrays[3], &[i], sum).unwrap();
        k.finish().unwrap()
    };
    let bits = |f: fn(f64) -> f64| (0..100).map(|i| f(f64::from(i)).to_bits()).collect::<Contents>();
    let arrays = [bits(|i| 1.0 + i * 1e-9), bits(|i| 1.0 - i * 1e-9), bits(|i| -1.0 + i), vec![0; 100]];
    let number = |array: usize, i: usize| f64::from_bits(arrays[array][i]);
    for (op, is_left) in [(Op::Add, true), (Op::Add, false), (Op::Subtract, true), (Op::Subtract, false)] {
        let plain = build(false, op, is_left);
        assert_eq!(run(&plain, &items(100), &arrays), interpreted(&plain, &items(100), &arrays));
        let best = Isa::ALL.into_iter().rfind(|isa| isa.is_available()).unwrap();
        if !super::fused::Fused::exist(best) {
            continue;
        }
        let (found, _) = with(&Arc::new(build(true, op, is_left)), &items(100), &arrays, |command| {
            let machine = Machine { isa: best, threads: 1, last_level_cache: 1 << 20 };
            // SAFETY: the kernel stays inside of its arrays.
            unsafe { divide::run(command, &lower(&command.kernel, best), 0, &machine, &|_, _| {}, &|| false) };
        });
        for (i, &found) in found[3].iter().enumerate() {
            let (a, b, c) = (number(0, i), number(1, i), number(2, i));
            let wanted = match (op, is_left) {
                (Op::Add, _) => a.mul_add(b, c),
                (_, true) => a.mul_add(b, -c),
                (_, false) => (-a).mul_add(b, c),
            };
            assert_eq!(found, wanted.to_bits(), "{op} {is_left} {i}");
        }
    }
}

#[test]
fn plans_are_kept_as_long_as_kernels() {
    let make = || {
        let (mut k, arrays, i) = kernel(1, DType::I64);
        k.store(arrays[0], &[i], i).unwrap();
        Arc::new(k.finish().unwrap())
    };
    let (one, other) = (make(), make());
    let plan = super::plan(&one, Isa::Baseline);
    assert!(Arc::ptr_eq(&plan, &super::plan(&one, Isa::Baseline)));
    assert!(!Arc::ptr_eq(&plan, &super::plan(&other, Isa::Baseline)));
}
