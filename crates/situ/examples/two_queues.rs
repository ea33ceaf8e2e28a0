//! Two halves of a processor at work at the same time, fed from one thread: `cargo run --release --example two_queues`.

use std::time::{Duration, Instant};

use situ::prelude::*;

const ELEMENTS: usize = 2_000_000;
const CALLS: usize = 8;

/// Submits the calls to the queues in turn and waits for all of them.
fn run(queues: &[Queue], arrays: &[Tensor]) -> Result<Duration> {
    let began = Instant::now();
    for call in 0..CALLS {
        // A call returns once it is submitted; the queues work on while this thread goes on.
        arrays[call % arrays.len()].sin()?;
    }
    for queue in queues {
        queue.wait()?;
    }
    Ok(began.elapsed())
}

fn main() -> Result<()> {
    let device = Device::default_device()?;
    let units = device.info().max_compute_units as usize;
    if units < 2 {
        println!("{} has one compute unit: there is nothing to split", device.label());
        return Ok(());
    }
    let halves = device.create_sub_devices(&Partition::ByCounts(vec![units / 2; 2]))?;
    let queues = halves.iter().map(Queue::on).collect::<std::result::Result<Vec<_>, _>>()?;
    let filled = |queue| Tensor::full(&[ELEMENTS], Scalar::F64(0.5), Order::C, UsmKind::Device, queue);
    let arrays = queues.iter().map(filled).collect::<Result<Vec<_>>>()?;

    run(&queues, &arrays)?;
    let one = run(&queues[..1], &arrays[..1])?;
    let both = run(&queues, &arrays)?;
    println!("{CALLS} calls on one half of {}: {one:?}", device.label());
    println!("{CALLS} calls on both halves: {both:?}, {:.2} of the time", both.as_secs_f64() / one.as_secs_f64());
    Ok(())
}
