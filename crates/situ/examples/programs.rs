//! A chain of functions in one pass over memory: `cargo run --release --example programs`.

use std::sync::Arc;
use std::time::Instant;

use situ::prelude::*;

fn main() -> Result<()> {
    let x = (Tensor::arange(10_000_000)? * 1e-7)?;
    let two = Tensor::from_slice(&[2.0])?;

    // One op at a time: every step reads and writes memory.
    let started = Instant::now();
    let step_by_step = ((&x * 2.0)?.sin()? * x.exp()?)?;
    step_by_step.wait()?;
    let separate = started.elapsed();

    // The same as a program: temporaries never leave the first-level cache.
    let mut p = Program::builder();
    let (a, b) = (p.input(DType::F64), p.input(DType::F64));
    let doubled = p.apply(Op::Multiply, &[a, b])?;
    let wave = p.apply(Op::Sin, &[doubled])?;
    let damping = p.apply(Op::Exp, &[a])?;
    let product = p.apply(Op::Multiply, &[wave, damping])?;
    let program = Arc::new(p.finish(&[product])?);
    println!("{program}\n");

    let started = Instant::now();
    let results = evaluate(&program, &[&x, &two])?;
    results[0].wait()?;
    println!("op by op {separate:.1?}, in one pass {:.1?}", started.elapsed());

    let same = results[0].equal(&step_by_step)?;
    println!("equal elements: {} of {}", same.to_vec::<bool>()?.iter().filter(|same| **same).count(), same.size());
    Ok(())
}
