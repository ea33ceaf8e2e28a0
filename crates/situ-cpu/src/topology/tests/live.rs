use situ_types::Partition;

use super::super::os;
use super::{CoreSet, Topology};

#[test]
fn this_machine_makes_sense() {
    let topology = Topology::detect();
    let usable = topology.usable();
    // Run with `--nocapture` to see what was found.
    println!("usable {usable}, quota-limited: {}", topology.quota_limited());
    println!("available {:?}, last-level cache {}", topology.memory_available(), topology.last_level_cache());
    let info = topology.device_info(usable, true);
    println!("{info:#?}");

    assert!(!usable.is_empty());
    if let Ok(count) = std::thread::available_parallelism() {
        // The standard library rounds a quota down, situ up.
        assert!((count.get()..=count.get() + 1).contains(&usable.len()));
    }
    assert_eq!(info.max_compute_units as usize, usable.len());
    assert!(!info.name.is_empty() && info.max_mem_alloc_size > 0 && info.native_vector_widths.double > 0);
    if let Some(available) = topology.memory_available() {
        assert!(available <= info.max_mem_alloc_size);
    }
    if usable.len() > 1 {
        let parts = topology.partition(usable, &Partition::Equally(1)).unwrap();
        assert_eq!(parts.len(), usable.len());
    }
}

#[test]
fn a_bound_thread_stays_where_it_was_put() {
    let last = CoreSet::new(os::allowed().iter().last());
    let (bound, found) = std::thread::spawn({
        let last = last.clone();
        move || (last.bind_current_thread(), os::allowed())
    })
    .join()
    .unwrap();
    assert_eq!(bound, cfg!(target_os = "linux"));
    if bound {
        assert_eq!(found, last);
    }
    assert!(!CoreSet::new([]).bind_current_thread(), "a thread must run somewhere");
}
