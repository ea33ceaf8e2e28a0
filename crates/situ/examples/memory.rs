//! USM memory: fill, copy, the pool behind it, and a timer: `cargo run --release --example memory`.

use situ::prelude::*;

const BYTES: usize = 80_000_000;

fn main() -> Result<()> {
    let device = Device::default_device()?;
    let context = Context::for_device(&device)?;
    let queue = Queue::new(&context, &device, QueueProperties { profiling: true, in_order: false })?;

    for round in ["first", "second"] {
        let mut timer = Timer::new(TimerMode::QueueBarrier);
        let work = || -> Result<()> {
            let source = Buffer::allocate(&queue, UsmKind::Shared, BYTES, 0)?;
            let target = Buffer::allocate(&queue, UsmKind::Device, BYTES, 0)?;
            queue.fill(&source, 0, &1.5_f64.to_ne_bytes(), BYTES / 8, &[])?;
            // The copy waits for the fill by itself: order belongs to the memory.
            queue.copy(&target, 0, &source, 0, BYTES, &[])?;
            Ok(())
        };
        timer.time(&queue, work)??;
        let (host, device) = timer.elapsed()?;
        println!("{round} round: {device:?} on the device, submitted by the host in {host:?}");
    }

    for pool in context.pools() {
        let held = pool.stats().total;
        println!("the pool keeps {} MB; {} allocations were served from it", held.cached_bytes / 1_000_000, held.hits);
        println!("trim gives back {} MB", pool.trim() / 1_000_000);
    }
    Ok(())
}
