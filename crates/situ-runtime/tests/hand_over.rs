//! Buffers handed between queues, a hundred thousand times, with their contents checked.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use situ_runtime::{Buffer, Context, Device, Queue};
use situ_types::{Partition, QueueProperties, UsmKind};

/// Four queues in one context: two on each half of the machine, with different properties.
fn queues() -> Vec<Queue> {
    let root = Device::select("native").unwrap();
    let parts = match root.create_sub_devices(&Partition::Equally((root.info().max_compute_units as usize / 2).max(1)))
    {
        Ok(parts) => parts,
        Err(_) => vec![root],
    };
    let context = Context::new(&parts).unwrap();
    let kinds = [(false, false), (true, false), (false, true), (true, true)];
    kinds
        .into_iter()
        .enumerate()
        .map(|(i, (in_order, profiling))| {
            let device = &parts[i % parts.len()];
            Queue::new(&context, device, QueueProperties { in_order, profiling }).unwrap()
        })
        .collect()
}

struct Tracked {
    buffer: Buffer,
    expected: u8,
}

fn check(queue: &Queue, tracked: &Tracked, host: &mut [u8]) {
    let bytes = tracked.buffer.bytes();
    // SAFETY: `host` is as long as the largest buffer and outlives the wait.
    let event = unsafe { queue.copy_to_host(host.as_mut_ptr(), &tracked.buffer, 0, bytes, &[]) }.unwrap();
    event.wait().unwrap();
    assert!(host[..bytes].iter().all(|b| *b == tracked.expected), "a buffer holds a value nobody wrote last");
}

#[test]
fn a_hundred_thousand_hand_overs_lose_nothing() {
    let queues = queues();
    let sizes = [64, 1000, 4096, 4096, 20_000, 500_000, 500_000, 700_000];
    let mut buffers: Vec<Tracked> = sizes
        .iter()
        .map(|&bytes| {
            let buffer = Buffer::allocate(&queues[0], UsmKind::Device, bytes, 0).unwrap();
            queues[0].fill(&buffer, 0, &[0], bytes, &[]).unwrap();
            Tracked { buffer, expected: 0 }
        })
        .collect();
    let mut host = vec![0u8; 700_000];
    // Marsaglia's xorshift: the same walk every time, without a dependency.
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut pick = move |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % n
    };
    for round in 0..100_000u32 {
        let queue = &queues[pick(queues.len())];
        // Large buffers are drawn rarely, or the test would spend its time moving bytes.
        let draw = pick(200);
        let (a, b) = if draw < 6 { (5 + pick(3), 5 + pick(3)) } else { (pick(5), pick(5)) };
        match pick(10) {
            0..5 => {
                let value = round as u8;
                let bytes = buffers[a].buffer.bytes();
                queue.fill(&buffers[a].buffer, 0, &[value], bytes, &[]).unwrap();
                buffers[a].expected = value;
            }
            5..8 if a != b => {
                let bytes = buffers[a].buffer.bytes().min(buffers[b].buffer.bytes());
                // Fill the rest, so that one value describes the whole buffer.
                let rest = buffers[b].buffer.bytes() - bytes;
                let value = buffers[a].expected;
                queue.copy(&buffers[b].buffer, 0, &buffers[a].buffer, 0, bytes, &[]).unwrap();
                queues[pick(queues.len())].fill(&buffers[b].buffer, bytes, &[value], rest, &[]).unwrap();
                buffers[b].expected = value;
            }
            8 => {
                // A buffer freed while commands still use it, and its memory reused at once.
                let bytes = buffers[a].buffer.bytes();
                let fresh = Buffer::allocate(queue, UsmKind::Device, bytes, 0).unwrap();
                queue.copy(&fresh, 0, &buffers[a].buffer, 0, bytes, &[]).unwrap();
                buffers[a].buffer = fresh;
            }
            _ => check(queue, &buffers[a], &mut host),
        }
    }
    for tracked in &buffers {
        check(&queues[pick(queues.len())], tracked, &mut host);
    }
    let context = queues[0].context().clone();
    drop(buffers);
    for queue in &queues {
        queue.wait().unwrap();
    }
    for pool in context.pools() {
        assert_eq!(pool.stats().total.in_use_bytes, 0);
        assert_eq!(pool.stats().total.waiting_bytes, 0);
    }
}

#[test]
fn threads_hand_one_buffer_around() {
    let queues = queues();
    let bytes = 300_000;
    let counter = Buffer::allocate(&queues[0], UsmKind::Device, bytes, 0).unwrap();
    queues[0].fill(&counter, 0, &[1], bytes, &[]).unwrap();
    std::thread::scope(|scope| {
        for queue in &queues {
            scope.spawn(|| {
                let mut host = vec![0u8; bytes];
                for value in 0..300u32 {
                    queue.fill(&counter, 0, &[value as u8], bytes, &[]).unwrap();
                    // SAFETY: `host` outlives the wait.
                    let event = unsafe { queue.copy_to_host(host.as_mut_ptr(), &counter, 0, bytes, &[]) }.unwrap();
                    event.wait().unwrap();
                    // Another thread may have filled it since, but never half of it.
                    assert!(host.iter().all(|b| *b == host[0]), "a fill and a copy ran at the same time");
                }
            });
        }
    });
}
