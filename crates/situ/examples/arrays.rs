//! Arrays and operators: `cargo run --example arrays`.

use situ::prelude::*;

fn main() -> Result<()> {
    let x = Tensor::from_slice(&[0.0, 0.5, 1.0, 1.5])?;
    let wave = apply(Op::Sin, &[Arg::Array(&x)], Order::K)?;
    let y = (&(&wave * 2.0)? + &x)?;
    println!("2 sin x + x = {:.3?}", y.to_vec::<f64>()?);
    println!("computed on {}, in {} memory", y.device().label(), y.kind());

    // Integers stay integers until an op says otherwise: division is true division.
    let n = Tensor::arange(5)?;
    let half = (&n / 2.0)?;
    println!("{} / 2 is {}: {:?}", n.dtype(), half.dtype(), half.to_vec::<f64>()?);

    // Two queues, and an error that says what to do about it.
    let elsewhere = x.to_queue(&Queue::on(x.device())?)?;
    match &x + &elsewhere {
        Ok(_) => println!("arrays on different queues were mixed"),
        Err(error) => println!("\n{error}"),
    }
    let together = (&x + &elsewhere.to_queue(x.queue())?)?;
    println!("\nafter that: {:?}", together.to_vec::<f64>()?);
    Ok(())
}
