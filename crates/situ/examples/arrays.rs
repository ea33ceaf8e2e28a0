//! Arrays and operators: `cargo run --example arrays`.

use situ::prelude::*;

fn main() -> Result<()> {
    let x = Tensor::from_slice(&[0.0, 0.5, 1.0, 1.5])?;
    let y = ((2.0 * x.sin()?)? + &x)?;
    println!("2 sin x + x = {y}");
    println!("computed on {}, in {} memory", y.device().label(), y.kind());

    // Integers stay integers until an op says otherwise: division is true division.
    let n = Tensor::arange(5)?;
    println!("{n:?} / 2 is {:?}", (&n / 2)?);

    // A key is an integer, a range, an array of indices, a mask, or a tuple of those.
    let table = Tensor::arange(12)?.reshaped(&[3, 4])?.unwrap_or(n);
    println!("{table}\nthe second column is {}", table.slice((.., 1))?);
    println!("what is odd: {}", table.slice(&(&table % 2)?.equal(1)?)?);

    // Two queues, and an error that says what to do about it.
    let elsewhere = x.to_queue(&Queue::on(x.device())?)?;
    match &x + &elsewhere {
        Ok(_) => println!("arrays on different queues were mixed"),
        Err(error) => println!("\n{error}"),
    }
    let together = (&x + &elsewhere.to_queue(x.queue())?)?;
    println!("\nafter that: {together}");
    Ok(())
}
