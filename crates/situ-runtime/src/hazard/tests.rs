//! What commands wait for, one after another.

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
    /// Commands of one hundred keep to one order.
    fn supersedes(&self, earlier: &Self) -> bool {
        self.0 >= 100 && self.0 / 100 == earlier.0 / 100
    }
}

fn command(id: u32) -> Command {
    Command(id, Rc::new(Cell::new('p')))
}

fn submit(accesses: &[(&Tracker<Command>, Access)], event: &Command) -> Vec<u32> {
    let mut ids = Vec::new();
    in_order(accesses.iter().copied(), |waits| {
        ids.extend(waits.iter().map(|w| w.0));
        Ok::<_, ()>(Some(event.clone()))
    })
    .unwrap();
    ids.sort();
    ids
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
    let refused: Result<_, ()> = in_order([(&t, Write)].into_iter(), |_| Err(()));
    assert!(refused.is_err());
    let updated: Result<_, ()> = in_order([(&t, Read), (&t, Write)].into_iter(), |waits| {
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
    in_order([(&t, Write)].into_iter(), |_| Ok::<_, ()>(None)).unwrap();
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
    let refused: Result<_, ()> = in_order([(&t, Write)].into_iter(), |_| Err(()));
    assert!(refused.is_err());
    assert_eq!(submit(&[(&t, Write)], &command(1)), []);
}

/// Every command with up to five accesses to three buffers, against the rules written out.
#[test]
fn any_accesses_wait_for_and_are_recorded_in_every_buffer_once() {
    let choices: Vec<(usize, Access)> = (0..3).flat_map(|n| [Read, Write, Update].map(|access| (n, access))).collect();
    let mut commands: Vec<Vec<(usize, Access)>> = vec![vec![]];
    for length in 0..5 {
        let shorter: Vec<_> = commands.iter().filter(|command| command.len() == length).cloned().collect();
        for command in &shorter {
            // Longer ones take another road in the code, but not another one for each choice.
            let choices = if length < 3 { &choices[..] } else { &choices[..5] };
            commands.extend(choices.iter().map(|choice| command.iter().copied().chain([*choice]).collect()));
        }
    }
    for accesses in commands {
        let trackers: [Tracker<Command>; 3] = std::array::from_fn(|_| Tracker::new());
        for (n, tracker) in trackers.iter().enumerate() {
            submit(&[(tracker, Write)], &command(10 * n as u32));
            submit(&[(tracker, Read)], &command(10 * n as u32 + 1));
        }
        let given: Vec<_> = accesses.iter().map(|&(n, access)| (&trackers[n], access)).collect();
        let waits = submit(&given, &command(99));

        let mut expected = Vec::new();
        for (n, tracker) in trackers.iter().enumerate() {
            let (writer, reader) = (10 * n as u32, 10 * n as u32 + 1);
            let mut of_buffer = accesses.iter().filter(|(of, _)| *of == n).map(|(_, access)| *access);
            let left: Vec<u32> = match of_buffer.next() {
                None => vec![writer, reader],
                Some(first) if first == Read && of_buffer.all(|access| access == Read) => {
                    expected.push(writer);
                    vec![writer, reader, 99]
                }
                Some(_) => {
                    expected.extend([writer, reader]);
                    vec![99]
                }
            };
            assert_eq!(tracker.pending(Update).iter().map(|w| w.0).collect::<Vec<_>>(), left, "{accesses:?}");
        }
        assert_eq!(waits, expected, "{accesses:?}");
    }
}

#[test]
fn of_readers_that_keep_to_one_order_the_last_is_enough() {
    let t = Tracker::new();
    for id in [101, 102, 201, 103, 202] {
        submit(&[(&t, Read)], &command(id));
    }
    submit(&[(&t, Read)], &command(7));
    assert_eq!(submit(&[(&t, Write)], &command(8)), [7, 103, 202]);
}
