//! Ways to hold a queue: counted, for ever, or without keeping it alive.

use std::ops::Deref;
use std::sync::{Arc, Weak};

use super::{Queue, QueueInner};

/// Every buffer has one, and the usual queues need no counting.
#[derive(Clone, Debug)]
pub(super) enum Handle {
    /// Lives as long as somebody has it.
    Counted(Arc<QueueInner>),
    /// Lives for ever.
    Kept(&'static QueueInner),
}

impl Deref for Handle {
    type Target = QueueInner;

    #[inline]
    fn deref(&self) -> &QueueInner {
        match self {
            Handle::Counted(inner) => inner,
            Handle::Kept(inner) => inner,
        }
    }
}

/// A queue that is not kept alive, or one that needs no keeping.
#[derive(Debug)]
pub(crate) enum WeakQueue {
    Counted(Weak<QueueInner>),
    Kept(&'static QueueInner),
}

impl WeakQueue {
    pub(crate) fn upgrade(&self) -> Option<Queue> {
        match self {
            WeakQueue::Counted(inner) => inner.upgrade().map(|inner| Queue(Handle::Counted(inner))),
            WeakQueue::Kept(inner) => Some(Queue(Handle::Kept(inner))),
        }
    }
}
