//! Order belongs to the buffer: who wrote it last, and who has read it since.
//!
//! A command gathers the events it must wait for from every buffer it touches, is submitted, and is recorded in each of
//! them, each while holding its lock. The locks are taken in address order, so two commands can never wait for each
//! other's locks; all are held across submission, and each until the command is recorded in its buffer, so no other
//! command can slip between gathering and recording. Hence, for any two commands that touch one buffer, at least one
//! writing, the later one waits for the earlier one, directly or through others. That is the property the model check
//! below explores.
//!
//! A command that is done when submission returns need not be recorded: whoever takes the lock next comes after it.

#[cfg(test)]
#[cfg(loom)]
mod model;
#[cfg(test)]
#[cfg(not(loom))]
mod tests;

use std::ptr;

use crate::sync::{Mutex, MutexGuard};

/// What a command does with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads it.
    Read,
    /// Overwrites all of it.
    Write,
    /// Writes part of it, or reads and writes it: what it held before matters.
    Update,
}

impl Access {
    /// One access that stands for two to the same buffer.
    fn and(self, other: Access) -> Access {
        if self == other { self } else { Access::Update }
    }
}

/// The fate of a command, as far as the tracker must know it.
pub(crate) trait Fate: Clone {
    /// Whether nothing more will happen, and nothing went wrong.
    fn is_complete(&self) -> bool;
    /// Whether it is over without success.
    fn is_failed(&self) -> bool;
    /// Whether an earlier command is over when this one is, because both keep to one order.
    fn supersedes(&self, earlier: &Self) -> bool;
}

/// Who uses a buffer.
#[derive(Clone, Debug)]
struct Users<E> {
    /// The last command that wrote. A failed one stays, so that readers learn of it.
    writer: Option<E>,
    /// Commands that have read since.
    readers: Vec<E>,
}

/// Nobody uses a buffer most of the time, so that costs nothing.
type Hazards<E> = Option<Box<Users<E>>>;

/// The tracker of one buffer.
#[derive(Debug)]
pub(crate) struct Tracker<E>(Mutex<Hazards<E>>);

/// Nearly always empty, and an empty vector costs nothing.
type Waits<E> = Vec<E>;

impl<E: Fate> Users<E> {
    /// Adds what a command must wait for. A failed writer is among it, and refuses the command, unless the command
    /// overwrites everything.
    fn gather(&self, access: Access, waits: &mut Waits<E>) {
        if let Some(writer) = &self.writer
            && !writer.is_complete()
            && !(access == Access::Write && writer.is_failed())
        {
            waits.push(writer.clone());
        }
        if access != Access::Read {
            waits.extend(self.readers.iter().filter(|reader| !reader.is_complete() && !reader.is_failed()).cloned());
        }
    }
}

/// Who uses a buffer after this command; `None` if it is done already, and so is everything it waited for.
#[inline(always)]
fn record<E: Fate>(hazards: &mut Hazards<E>, access: Access, event: Option<&E>) {
    match event {
        None if access == Access::Read => {}
        None => *hazards = None,
        Some(event) => record_pending(hazards, access, event),
    }
}

#[inline(never)]
fn record_pending<E: Fate>(hazards: &mut Hazards<E>, access: Access, event: &E) {
    let users = hazards.get_or_insert_with(|| Box::new(Users { writer: None, readers: Vec::new() }));
    if access == Access::Read {
        users.readers.retain(|reader| !event.supersedes(reader) && !reader.is_complete() && !reader.is_failed());
        users.readers.push(event.clone());
    } else {
        users.writer = Some(event.clone());
        users.readers.clear();
    }
}

impl<E: Fate> Tracker<E> {
    pub(crate) fn new() -> Tracker<E> {
        Self::written_by(None)
    }

    /// The tracker of a buffer that this command writes first.
    #[inline]
    pub(crate) fn written_by(writer: Option<E>) -> Tracker<E> {
        let users = |writer| Box::new(Users { writer: Some(writer), readers: Vec::new() });
        Tracker(Mutex::new(writer.map(users)))
    }

    /// Whether no command is recorded.
    #[inline]
    pub(crate) fn is_clear(&mut self) -> bool {
        self.0.get_mut().is_none()
    }

    /// Every command that may still touch the buffer.
    #[inline]
    pub(crate) fn unfinished(&mut self) -> Waits<E> {
        let mut waits = Waits::new();
        if let Some(users) = self.0.get_mut() {
            users.gather(Access::Write, &mut waits);
        }
        waits
    }

    /// What a command with this access would have to wait for now.
    pub(crate) fn pending(&self, access: Access) -> Waits<E> {
        let mut waits = Waits::new();
        if let Some(users) = &*self.0.lock() {
            users.gather(access, &mut waits);
        }
        waits
    }
}

/// Calls `read` while nobody can write to these buffers, if nothing that does is under way; whether it was called and
/// did read.
#[inline(always)]
pub(crate) fn reading<E: Fate>(a: &Tracker<E>, others: [Option<&Tracker<E>>; 2], read: impl FnOnce() -> bool) -> bool {
    match others {
        [Some(b), Some(c)] => reading_three([a, b, c], read),
        [Some(b), None] | [None, Some(b)] if !ptr::eq(a, b) => {
            let (low, high) = if ptr::from_ref(a) < ptr::from_ref(b) { (a, b) } else { (b, a) };
            let (low, high) = (low.0.lock(), high.0.lock());
            is_readable(&low) && is_readable(&high) && read()
        }
        _ => is_readable(&a.0.lock()) && read(),
    }
}

/// The same for three buffers, of which some may be one.
fn reading_three<E: Fate>(mut trackers: [&Tracker<E>; 3], read: impl FnOnce() -> bool) -> bool {
    trackers.sort_unstable_by_key(|tracker| ptr::from_ref(*tracker));
    let [low, middle, high] = trackers;
    let first = low.0.lock();
    let second = (!ptr::eq(low, middle)).then(|| middle.0.lock());
    let third = (!ptr::eq(middle, high)).then(|| high.0.lock());
    let mut others = [&second, &third].into_iter().flatten();
    is_readable(&first) && others.all(|hazards| is_readable(hazards)) && read()
}

/// Whether nothing that writes is under way, or has failed.
#[inline(always)]
fn is_readable<E: Fate>(hazards: &Hazards<E>) -> bool {
    match hazards {
        None => true,
        Some(users) => users.writer.as_ref().is_none_or(E::is_complete),
    }
}

/// Submits a command in its place among all others that touch the same buffers, and returns its event.
///
/// `submit` gets the events to wait for and returns the command's own event, or `None` if it is already done.
#[inline(always)]
pub(crate) fn in_order<'t, E: Fate + 't, X>(
    mut accesses: impl Iterator<Item = (&'t Tracker<E>, Access)>,
    submit: impl FnOnce(&[E]) -> Result<Option<E>, X>,
) -> Result<Option<E>, X> {
    // Most commands touch up to three buffers, and need no list of them.
    let (first, others) = match [accesses.next(), accesses.next(), accesses.next(), accesses.next()] {
        [None, ..] => return submit(&[]),
        [Some(first), second, third, None] => (first, [second, third]),
        four => return submit_locked_list(four.into_iter().flatten().chain(accesses).collect(), submit),
    };
    // A buffer used twice is locked once.
    let (mut order, mut distinct) = ([first; 3], 1);
    for access in others.into_iter().flatten() {
        match order[..distinct].iter_mut().find(|known| same(**known, access)) {
            Some(known) => *known = both(*known, access),
            None => {
                order[distinct] = access;
                distinct += 1;
            }
        }
    }
    let [a, b, c] = order;
    if distinct == 1 {
        return submit_locked([a], submit);
    }
    let [a, b] = ascending(a, b);
    if distinct == 2 {
        return submit_locked([a, b], submit);
    }
    let [b, c] = ascending(b, c);
    let [a, b] = ascending(a, b);
    submit_locked([a, b, c], submit)
}

/// A tracker, and what a command does with its buffer.
type Accessed<'t, E> = (&'t Tracker<E>, Access);

#[inline(always)]
fn same<E>(a: Accessed<'_, E>, b: Accessed<'_, E>) -> bool {
    ptr::eq(a.0, b.0)
}

/// One access for two to the same buffer.
#[inline(always)]
fn both<'t, E>(a: Accessed<'t, E>, b: Accessed<'t, E>) -> Accessed<'t, E> {
    (a.0, a.1.and(b.1))
}

/// The two in the order in which they are locked.
#[inline(always)]
fn ascending<'t, E>(a: Accessed<'t, E>, b: Accessed<'t, E>) -> [Accessed<'t, E>; 2] {
    if ptr::from_ref(a.0) < ptr::from_ref(b.0) { [a, b] } else { [b, a] }
}

/// Locks trackers in the order given, submits, and records the command in each.
#[inline(always)]
fn submit_locked<'t, E: Fate + 't, X, const N: usize>(
    order: [Accessed<'t, E>; N],
    submit: impl FnOnce(&[E]) -> Result<Option<E>, X>,
) -> Result<Option<E>, X> {
    let mut held = order.map(|(tracker, _)| tracker.0.lock());
    let accesses = order.map(|(_, access)| access);
    // Two ways, because an event that is not there need not be carried through memory.
    match submit_held(&held, &accesses, submit)? {
        None => {
            record_all(&mut held, &accesses, None);
            Ok(None)
        }
        Some(event) => {
            record_all(&mut held, &accesses, Some(&event));
            Ok(Some(event))
        }
    }
}

/// The same for any number of them, in any order.
#[cold]
fn submit_locked_list<'t, E: Fate + 't, X>(
    mut order: Vec<Accessed<'t, E>>,
    submit: impl FnOnce(&[E]) -> Result<Option<E>, X>,
) -> Result<Option<E>, X> {
    order.sort_by_key(|(tracker, _)| ptr::from_ref(*tracker));
    order.dedup_by(|next, kept| {
        let merges = same(*next, *kept);
        if merges {
            *kept = both(*kept, *next);
        }
        merges
    });
    let mut held: Vec<_> = order.iter().map(|(tracker, _)| tracker.0.lock()).collect();
    let accesses: Vec<Access> = order.iter().map(|(_, access)| *access).collect();
    let event = submit_held(&held, &accesses, submit)?;
    record_all(&mut held, &accesses, event.as_ref());
    Ok(event)
}

/// Calls `submit` with what the users of these buffers make a command wait for.
#[inline(always)]
fn submit_held<E: Fate, X>(
    held: &[MutexGuard<'_, Hazards<E>>],
    accesses: &[Access],
    submit: impl FnOnce(&[E]) -> Result<Option<E>, X>,
) -> Result<Option<E>, X> {
    if held.iter().all(|hazards| hazards.is_none()) { submit(&[]) } else { submit(&gather(held, accesses)) }
}

#[inline(never)]
fn gather<E: Fate>(held: &[MutexGuard<'_, Hazards<E>>], accesses: &[Access]) -> Waits<E> {
    let mut waits = Waits::new();
    for (hazards, access) in held.iter().zip(accesses) {
        if let Some(users) = &**hazards {
            users.gather(*access, &mut waits);
        }
    }
    waits
}

#[inline(always)]
fn record_all<E: Fate>(held: &mut [MutexGuard<'_, Hazards<E>>], accesses: &[Access], event: Option<&E>) {
    for (hazards, access) in held.iter_mut().zip(accesses) {
        record(hazards, *access, event);
    }
}
