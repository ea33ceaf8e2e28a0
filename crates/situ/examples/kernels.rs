//! A kernel of one's own, written with the builder: `cargo run --release --example kernels`.
//!
//! Each work-group adds up its part of an array in local memory; then its first work-item adds that to the whole.

use std::sync::Arc;

use situ::prelude::*;

const GROUP: usize = 64;

fn main() -> Result<()> {
    let mut k = KernelBuilder::new("sum", 1)?;
    let (x, total) = (k.array("x", DType::I64, 1)?, k.array("total", DType::I64, 1)?);
    let held = k.own_array("held", DType::I64, &[GROUP], Space::Local)?;
    let (here, place) = (k.position(Position::GlobalId, 0)?, k.position(Position::LocalId, 0)?);
    let [zero, one] = [0, 1].map(|number| k.constant(Scalar::I64(number)));
    let group = k.constant(Scalar::I64(GROUP as i64));

    let element = k.load(x, &[here])?;
    k.store(held, &[place], element)?;
    k.barrier(None)?;

    // Values are defined once; what changes is a variable.
    let sum = k.variable(DType::I64);
    let is_first = k.apply(Op::Equal, &[place, zero])?;
    k.open_if(is_first)?;
    let other = k.open_for(zero, group, one)?;
    let (so_far, element) = (k.get(sum)?, k.load(held, &[other])?);
    let more = k.apply(Op::Add, &[so_far, element])?;
    k.set(sum, more)?;
    k.close()?;
    let sum = k.get(sum)?;
    k.atomic(Atomic::Add, total, &[zero], sum)?;
    k.close()?;
    let kernel = Arc::new(k.finish()?);
    println!("{kernel}\n");

    let x = Tensor::arange(64_000)?;
    let total = Tensor::from_slice(&[0i64])?;
    let range = NdRange::new(&[x.size()], Some(&[GROUP]))?;
    launch(&kernel, &range, &[KernelArg::Array(&x), KernelArg::Array(&total)], &[])?;
    println!("the sum is {total}, and sum() says {}", x.sum(())?);
    Ok(())
}
