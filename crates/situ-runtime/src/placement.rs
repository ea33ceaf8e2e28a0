//! Where a computation runs: one function, one error.

use std::fmt;

use parking_lot::RwLock;
use situ_types::UsmKind;

use crate::{Error, Queue, Result};

/// When two operands may take part in one computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// They are on the very same queue: array functions.
    SameQueue,
    /// Their queues have the same context, device and properties: user kernels.
    EquivalentQueue,
}

/// One operand, as far as placement must know it.
#[derive(Clone, Copy)]
pub struct Placed<'a> {
    /// The operand's name in the function's signature.
    pub name: &'a str,
    /// The queue it is associated with.
    pub queue: &'a Queue,
    /// The kind of its memory.
    pub kind: UsmKind,
}

impl fmt::Debug for Placed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} on queue {:#x}", self.name, self.kind, self.queue.id())
    }
}

/// The place of execution is ambiguous.
#[derive(Clone, Debug)]
pub struct PlacementError {
    operation: String,
    operands: Vec<(String, Queue, UsmKind)>,
}

impl fmt::Display for PlacementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: the operands are on different queues, so where to compute is ambiguous:", self.operation)?;
        for (name, queue, kind) in &self.operands {
            let properties = queue.properties();
            let mut traits = Vec::new();
            if properties.in_order {
                traits.push("in_order");
            }
            if properties.profiling {
                traits.push("enable_profiling");
            }
            let traits = if traits.is_empty() { String::new() } else { format!(" ({})", traits.join(", ")) };
            writeln!(f, "  {name}: {kind} memory, queue {:#x}{traits} on {}", queue.id(), queue.device().label())?;
        }
        let (first, queue, _) = &self.operands[0];
        let other = self.operands.iter().find(|(_, q, _)| q != queue).unwrap_or(&self.operands[0]);
        let copies = if other.1.context() == queue.context() { "no copy is made" } else { "this copies" };
        write!(f, "Bring them to one queue first ({copies}): {0} = {0}.to_device({first}.sycl_queue)", other.0)
    }
}

impl std::error::Error for PlacementError {}

/// The queue a computation runs on and the USM kind of its result.
///
/// This is the only place that decides where things run. There must be at least one operand.
#[inline(always)]
pub fn resolve<'a>(
    operation: &str,
    operands: impl Iterator<Item = Placed<'a>> + Clone,
    rule: Rule,
) -> Result<(&'a Queue, UsmKind)> {
    let mut others = operands.clone();
    let Some(first) = others.next() else {
        return Err(Error::Value(format!("{operation}: no operand says where to compute")));
    };
    let mut kind = first.kind;
    for other in others {
        let agrees =
            other.queue == first.queue || (rule == Rule::EquivalentQueue && other.queue.is_equivalent(first.queue));
        if !agrees {
            return Err(ambiguous(operation, &mut operands.clone()));
        }
        kind = kind.coerce(other.kind);
    }
    if operands.clone().any(|operand| operand.kind != kind) {
        mixed(operation, &mut operands.clone())?;
    }
    Ok((first.queue, kind))
}

/// Who is told where operands of different kinds meet. An error ends the operation.
pub type MixedKindsNotice = fn(&str) -> Result<()>;

static NOTICE: RwLock<Option<MixedKindsNotice>> = RwLock::new(None);

/// Has somebody told, or nobody any more, wherever operands in memory of different kinds meet: they may, but it can be
/// slow. Who was told before.
pub fn notice_mixed_kinds(told: Option<MixedKindsNotice>) -> Option<MixedKindsNotice> {
    std::mem::replace(&mut *NOTICE.write(), told)
}

#[cold]
fn mixed(operation: &str, operands: &mut dyn Iterator<Item = Placed<'_>>) -> Result<()> {
    let Some(told) = *NOTICE.read() else { return Ok(()) };
    let kinds: Vec<String> = operands.map(|operand| format!("{}: {}", operand.name, operand.kind)).collect();
    told(&format!(
        "{operation}: the operands are in memory of different kinds ({}), which can be slow; asarray(..., usm_type=...) brings \
         them to one",
        kinds.join(", ")
    ))
}

#[cold]
fn ambiguous(operation: &str, operands: &mut dyn Iterator<Item = Placed<'_>>) -> Error {
    let operands = operands.map(|p| (p.name.into(), p.queue.clone(), p.kind)).collect();
    Error::Placement(Box::new(PlacementError { operation: operation.into(), operands }))
}

#[cfg(test)]
mod tests {
    use situ_types::QueueProperties;

    use super::*;
    use crate::Device;

    #[test]
    fn kinds_coerce_to_the_smallest() {
        let queue = Queue::on(&Device::default_device().unwrap()).unwrap();
        let placed = |kind| Placed { name: "x", queue: &queue, kind };
        for a in UsmKind::ALL {
            for b in UsmKind::ALL {
                let (q, kind) = resolve("add", [placed(a), placed(b)].into_iter(), Rule::SameQueue).unwrap();
                assert_eq!(q, &queue);
                assert_eq!(kind, a.min(b));
            }
        }
    }

    #[test]
    fn mixed_kinds_are_told() {
        let queue = Queue::on(&Device::default_device().unwrap()).unwrap();
        let pair =
            |kind| [("x1", UsmKind::Device), ("x2", kind)].map(|(name, kind)| Placed { name, queue: &queue, kind });
        let refuse: MixedKindsNotice = |text| match text.starts_with("told") {
            true => Err(Error::MixedKinds(text.into())),
            false => Ok(()),
        };
        assert!(notice_mixed_kinds(Some(refuse)).is_none());
        assert!(resolve("told", pair(UsmKind::Device).into_iter(), Rule::SameQueue).is_ok());
        let error = resolve("told", pair(UsmKind::Host).into_iter(), Rule::SameQueue).unwrap_err();
        assert!(error.to_string().contains("x1: device, x2: host"), "{error}");
        assert!(notice_mixed_kinds(None).is_some());
        assert!(resolve("told", pair(UsmKind::Host).into_iter(), Rule::SameQueue).is_ok());
    }

    #[test]
    fn rules_differ_on_equivalent_queues() {
        let device = Device::default_device().unwrap();
        let (one, two) = (Queue::on(&device).unwrap(), Queue::on(&device).unwrap());
        let profiling =
            Queue::new(one.context(), &device, QueueProperties { profiling: true, in_order: false }).unwrap();
        let pair = |a, b| [("x1", a), ("x2", b)].map(|(name, queue)| Placed { name, queue, kind: UsmKind::Device });
        assert!(resolve("add", pair(&one, &two).into_iter(), Rule::EquivalentQueue).is_ok());
        assert!(resolve("add", pair(&one, &profiling).into_iter(), Rule::EquivalentQueue).is_err());
        let error = resolve("add", pair(&one, &two).into_iter(), Rule::SameQueue).unwrap_err().to_string();
        for part in
            ["add", "x1: device memory", "x2: device memory", "native:cpu:0", "x2 = x2.to_device(x1.sycl_queue)"]
        {
            assert!(error.contains(part), "{error}");
        }
    }
}
