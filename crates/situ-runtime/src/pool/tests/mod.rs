//! The pool on the null backend, which counts what is alive and notes every wrong release.

mod large;
mod pressure;
mod rationed;
mod small;
mod threads;
mod waiting;

use std::sync::Arc;

use situ_hal::null::{self, Latency, NullConfig};
use situ_hal::{Command, Completion, Context, Device, Event};
use situ_types::{QueueProperties, UsmKind};
use smallvec::{SmallVec, smallvec};

use super::{Block, Pool, PoolLimit};

const MIB: usize = 1 << 20;

/// A pool on a null device, with the null backend to itself.
struct Fixture {
    context: Arc<dyn Context>,
    device: Arc<dyn Device>,
    pool: Arc<Pool>,
}

/// Runs a test with plenty of memory, and then sees that the pool gave everything back, correctly.
fn with_pool(limit: PoolLimit, test: impl FnOnce(&Fixture)) {
    with_memory(usize::MAX, limit, test);
}

/// The same with so much memory.
fn with_memory(total: usize, limit: PoolLimit, test: impl FnOnce(&Fixture)) {
    let alone = null::exclusive();
    let platform = null::platform(NullConfig::default());
    let device = platform.devices().remove(0);
    let inner = platform.create_context(std::slice::from_ref(&device)).expect("a null context");
    let context: Arc<dyn Context> = Arc::new(rationed::Rationed { inner, total });
    let pool = Pool::new(context.clone(), device.clone(), limit);
    let fixture = Fixture { context, device, pool };
    test(&fixture);
    let Fixture { pool, .. } = fixture;
    assert_eq!(Arc::strong_count(&pool), 1, "somebody still holds the pool");
    let stats = pool.stats();
    assert_eq!((stats.total.in_use_blocks, stats.total.in_use_bytes), (0, 0), "blocks were not freed");
    drop(pool);
    assert_eq!(null::live_allocations(), (0, 0));
    assert_eq!(null::misuse(), Vec::<String>::new());
    drop(alone);
}

impl Fixture {
    /// A device block with the usual alignment.
    fn block(&self, bytes: usize) -> Block {
        self.pool.allocate(UsmKind::Device, bytes, 64).expect("memory")
    }

    fn free(&self, block: Block) {
        // SAFETY: tests free each block once, to the pool it came from, and submit no commands that touch it.
        unsafe { self.pool.free(block) };
    }

    fn free_after(&self, block: Block, event: &Arc<dyn Event>) {
        // SAFETY: as in `free`.
        unsafe { self.pool.free_after(block, smallvec![event.clone()]) };
    }

    fn free_all(&self, blocks: impl IntoIterator<Item = Block>) {
        for block in blocks {
            self.free(block);
        }
    }

    /// An event that is over once somebody has waited for it.
    fn pending(&self) -> Arc<dyn Event> {
        null::set_latency(Latency::OnWait);
        let queue = self
            .context
            .create_queue(&self.device, QueueProperties::default(), self.pool.clone())
            .expect("a null queue");
        // SAFETY: a marker has no addresses.
        match unsafe { queue.submit(&Command::Marker, &[]) }.expect("a null marker") {
            Completion::Event(event) => event,
            Completion::Done => panic!("the null backend was told to be late"),
        }
    }

    fn live_bytes(&self) -> usize {
        null::live_allocations().1
    }
}
