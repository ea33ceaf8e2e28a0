//! Order belongs to the buffer: who wrote it last, and who has read it since.
//!
//! A command gathers the events it must wait for from every buffer it touches, is submitted, and is recorded in each
//! of them, all while holding their locks. The locks are taken in address order, so two commands can never wait for
//! each other's locks, and they are held across submission, so no other command can slip between gathering and
//! recording. Hence, for any two commands that touch one buffer, at least one writing, the later one waits for the
//! earlier one, directly or through others. That is the property the model check below explores.
//!
//! A command that is done when submission returns need not be recorded: whoever takes the lock next comes after it.

use smallvec::SmallVec;

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
}

#[derive(Debug)]
struct Hazards<E> {
    /// The last command that wrote. A failed one stays, so that readers learn of it.
    writer: Option<E>,
    /// Commands that have read since.
    readers: Vec<E>,
}

/// The tracker of one buffer.
#[derive(Debug)]
pub(crate) struct Tracker<E>(Mutex<Hazards<E>>);

/// Nearly always empty, and an empty vector costs nothing.
type Waits<E> = Vec<E>;

impl<E: Fate> Hazards<E> {
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

    /// Notes a command that was accepted; `None` if it is done already, and so is everything it waited for.
    fn record(&mut self, access: Access, event: Option<&E>) {
        if access != Access::Read {
            self.writer = event.cloned();
            self.readers.clear();
        } else if let Some(event) = event {
            self.readers.retain(|reader| !reader.is_complete() && !reader.is_failed());
            self.readers.push(event.clone());
        }
    }
}

impl<E: Fate> Tracker<E> {
    pub(crate) fn new() -> Tracker<E> {
        Self::written_by(None)
    }

    /// The tracker of a buffer that this command writes first.
    pub(crate) fn written_by(writer: Option<E>) -> Tracker<E> {
        Tracker(Mutex::new(Hazards { writer, readers: Vec::new() }))
    }

    /// Every command that may still touch the buffer.
    pub(crate) fn unfinished(&mut self) -> Waits<E> {
        let mut waits = Waits::new();
        self.0.get_mut().gather(Access::Write, &mut waits);
        waits
    }

    /// What a command with this access would have to wait for now.
    pub(crate) fn pending(&self, access: Access) -> Waits<E> {
        let mut waits = Waits::new();
        self.0.lock().gather(access, &mut waits);
        waits
    }
}

/// Submits a command in its place among all others that touch the same buffers.
///
/// `submit` gets the events to wait for and returns the command's own event, or `None` if it is already done.
pub(crate) fn in_order<'t, E: Fate + 't, R, X>(
    accesses: impl Iterator<Item = (&'t Tracker<E>, Access)>,
    submit: impl FnOnce(&[E]) -> Result<(Option<E>, R), X>,
) -> Result<R, X> {
    let mut order: SmallVec<[(&Tracker<E>, Access); 4]> = SmallVec::new();
    for (tracker, access) in accesses {
        let at = order.iter().position(|(other, _)| std::ptr::from_ref(*other) >= std::ptr::from_ref(tracker));
        match at {
            None => order.push((tracker, access)),
            // A buffer used twice is locked once.
            Some(at) if std::ptr::eq(order[at].0, tracker) => order[at].1 = order[at].1.and(access),
            Some(at) => order.insert(at, (tracker, access)),
        }
    }

    let mut waits = Waits::new();
    let mut held: SmallVec<[(MutexGuard<'_, Hazards<E>>, Access); 4]> = SmallVec::new();
    for &(tracker, access) in &order {
        let hazards = tracker.0.lock();
        hazards.gather(access, &mut waits);
        held.push((hazards, access));
    }
    let (event, result) = submit(&waits)?;
    for (hazards, access) in &mut held {
        hazards.record(*access, event.as_ref());
    }
    Ok(result)
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    #[derive(Clone, Debug)]
    struct Command(u32, Rc<Cell<char>>);
    impl Fate for Command {
        fn is_complete(&self) -> bool {
            self.1.get() == 'c'
        }
        fn is_failed(&self) -> bool {
            self.1.get() == 'f'
        }
    }

    fn command(id: u32) -> Command {
        Command(id, Rc::new(Cell::new('p')))
    }

    fn submit(accesses: &[(&Tracker<Command>, Access)], event: &Command) -> Vec<u32> {
        in_order(accesses.iter().copied(), |waits| {
            let mut ids: Vec<u32> = waits.iter().map(|w| w.0).collect();
            ids.sort();
            Ok::<_, ()>((Some(event.clone()), ids))
        })
        .unwrap()
    }

    use Access::{Read, Update, Write};

    #[test]
    fn readers_wait_for_the_writer_and_writers_for_the_readers() {
        let t = Tracker::new();
        let (w1, r2, r3, w4, r5) = (command(1), command(2), command(3), command(4), command(5));
        assert_eq!(submit(&[(&t, Write)], &w1), []);
        assert_eq!(submit(&[(&t, Read)], &r2), [1]);
        assert_eq!(submit(&[(&t, Read)], &r3), [1]);
        assert_eq!(submit(&[(&t, Write)], &w4), [1, 2, 3]);
        assert_eq!(submit(&[(&t, Read)], &r5), [4]);
    }

    #[test]
    fn a_failed_writer_is_remembered_until_everything_is_overwritten() {
        let t = Tracker::new();
        let (w1, r2) = (command(1), command(2));
        submit(&[(&t, Write)], &w1);
        submit(&[(&t, Read)], &r2);
        r2.1.set('c');
        w1.1.set('f');
        assert_eq!(submit(&[(&t, Read)], &command(3)), [1]);
        // Asking changes nothing, nor does an update, nor a write that is refused.
        assert_eq!(t.pending(Read).len(), 1);
        let refused: Result<(), ()> = in_order([(&t, Write)].into_iter(), |_| Err(()));
        assert!(refused.is_err());
        let updated: Result<(), ()> = in_order([(&t, Read), (&t, Write)].into_iter(), |waits| {
            assert!(waits.iter().any(|wait| wait.0 == 1));
            Err(())
        });
        assert!(updated.is_err());
        assert_eq!(t.pending(Update).len(), 2);
        assert_eq!(submit(&[(&t, Write)], &command(4)), [3]);
        assert_eq!(submit(&[(&t, Read)], &command(5)), [4]);
    }

    #[test]
    fn a_write_that_is_done_at_once_heals_too() {
        let t = Tracker::new();
        let w1 = command(1);
        submit(&[(&t, Write)], &w1);
        w1.1.set('f');
        in_order([(&t, Write)].into_iter(), |_| Ok::<_, ()>((None, ()))).unwrap();
        assert_eq!(submit(&[(&t, Read)], &command(2)), []);
    }

    #[test]
    fn one_buffer_twice_counts_once_as_an_update() {
        let t = Tracker::new();
        let r1 = command(1);
        submit(&[(&t, Read)], &r1);
        assert_eq!(submit(&[(&t, Read), (&t, Write)], &command(2)), [1]);
        assert_eq!(submit(&[(&t, Read)], &command(3)), [2]);
    }

    #[test]
    fn a_failed_submission_leaves_no_trace() {
        let t = Tracker::<Command>::new();
        let refused: Result<(), ()> = in_order([(&t, Write)].into_iter(), |_| Err(()));
        assert!(refused.is_err());
        assert_eq!(submit(&[(&t, Write)], &command(1)), []);
    }
}

#[cfg(test)]
#[cfg(loom)]
mod model {
    //! Every interleaving of two and three submitting threads over two buffers, each command executed by a thread of
    //! its own that waits for exactly the events it was given. `UnsafeCell` accesses are checked by loom: an access
    //! not ordered after a conflicting one is a data race, and the model fails.

    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicBool, Ordering};
    use loom::thread;

    use super::*;

    #[derive(Clone)]
    struct Done(Arc<AtomicBool>);
    impl Fate for Done {
        fn is_complete(&self) -> bool {
            self.0.load(Ordering::Acquire)
        }
        fn is_failed(&self) -> bool {
            false
        }
    }

    struct Buffer {
        tracker: Tracker<Done>,
        content: UnsafeCell<u32>,
    }

    fn buffer() -> Arc<Buffer> {
        Arc::new(Buffer { tracker: Tracker::new(), content: UnsafeCell::new(0) })
    }

    /// Submits `target += source + 1`, or `target += 1`, and executes it asynchronously.
    fn add(target: &Arc<Buffer>, source: Option<&Arc<Buffer>>) -> thread::JoinHandle<()> {
        let mut accesses = vec![(&target.tracker, Access::Write)];
        accesses.extend(source.map(|source| (&source.tracker, Access::Read)));
        let (event, waits) = in_order(accesses.into_iter(), |waits| {
            let event = Done(Arc::new(AtomicBool::new(false)));
            Ok::<_, ()>((Some(event.clone()), (event, waits.to_vec())))
        })
        .unwrap();
        let (target, source) = (target.clone(), source.cloned());
        thread::spawn(move || {
            for wait in &waits {
                while !wait.is_complete() {
                    thread::yield_now();
                }
            }
            let amount = source.map_or(0, |source| source.content.with(|p| unsafe { *p }));
            target.content.with_mut(|p| unsafe { *p += amount + 1 });
            event.0.store(true, Ordering::Release);
        })
    }

    fn content(buffer: &Buffer) -> u32 {
        buffer.content.with(|p| unsafe { *p })
    }

    fn explore(preemptions: usize, scenario: impl Fn() + Sync + Send + 'static) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(preemptions);
        model.check(scenario);
    }

    #[test]
    fn loom_two_submitters_in_opposite_directions_never_race_or_deadlock() {
        explore(3, || {
            let (a, b) = (buffer(), buffer());
            let (a2, b2) = (a.clone(), b.clone());
            let other = thread::spawn(move || add(&a2, Some(&b2)).join().unwrap());
            add(&b, Some(&a)).join().unwrap();
            other.join().unwrap();
            // Whichever came first added 1, the second 1 + 1.
            assert_eq!(content(&a) + content(&b), 3);
        });
    }

    #[test]
    fn loom_commands_in_flight_from_one_thread_run_in_program_order() {
        explore(3, || {
            let (a, b) = (buffer(), buffer());
            let running = [add(&a, Some(&b)), add(&b, Some(&a))];
            running.into_iter().for_each(|command| command.join().unwrap());
            assert_eq!((content(&a), content(&b)), (1, 2));
        });
    }

    #[test]
    fn loom_a_write_waits_for_the_reads_before_it() {
        explore(3, || {
            let (a, b) = (buffer(), buffer());
            let running = [add(&a, Some(&b)), add(&b, None)];
            running.into_iter().for_each(|command| command.join().unwrap());
            assert_eq!((content(&a), content(&b)), (1, 1));
        });
    }
}
