//! The three kinds of unified shared memory.

use std::fmt;

/// Where an allocation lives and who may touch it.
///
/// The order `Device < Shared < Host` is the coercion order: combining arrays yields the smallest kind among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum UsmKind {
    /// Owned by one device; the host may not look inside.
    Device,
    /// Migrates between host and device on demand.
    Shared,
    /// Lives on the host; devices reach it over the bus.
    Host,
}

impl UsmKind {
    /// Every kind, in coercion order.
    pub const ALL: [UsmKind; 3] = [UsmKind::Device, UsmKind::Shared, UsmKind::Host];

    /// The name users write.
    pub const fn name(self) -> &'static str {
        match self {
            UsmKind::Device => "device",
            UsmKind::Shared => "shared",
            UsmKind::Host => "host",
        }
    }

    /// The kind with that name, if there is one.
    pub fn from_name(name: &str) -> Option<UsmKind> {
        Self::ALL.into_iter().find(|k| k.name() == name)
    }

    /// The kind of a result that combines both.
    pub fn coerce(self, other: UsmKind) -> UsmKind {
        self.min(other)
    }
}

impl fmt::Display for UsmKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
