use situ_types::{AffinityDomain, Partition};

use super::fixture::Fixture;
use super::{Topology, cores};

/// The parts in the kernel's notation, or the message of the error.
fn split(topology: &Topology, how: &Partition) -> Result<Vec<String>, String> {
    let parts = topology.partition(topology.usable(), how).map_err(|error| error.to_string())?;
    Ok(parts.iter().map(ToString::to_string).collect())
}

fn by(domain: AffinityDomain) -> Partition {
    Partition::ByAffinity(domain)
}

#[test]
fn equal_parts_keep_neighbours_together_and_leave_the_rest() {
    let topology = Fixture::eight_threads().topology("0-7");
    assert_eq!(split(&topology, &Partition::Equally(2)).unwrap(), ["0,4", "1,5", "2,6", "3,7"]);
    assert_eq!(split(&topology, &Partition::Equally(3)).unwrap(), ["0-1,4", "2,5-6"]);
    assert_eq!(split(&topology, &Partition::Equally(4)).unwrap(), ["0-1,4-5", "2-3,6-7"]);
    assert_eq!(split(&topology, &Partition::Equally(8)).unwrap(), ["0-7"]);
    assert_eq!(split(&topology, &Partition::Equally(1)).unwrap().len(), 8);
}

#[test]
fn counts_are_served_in_the_same_order() {
    let topology = Fixture::eight_threads().topology("0-7");
    assert_eq!(split(&topology, &Partition::ByCounts(vec![4, 1, 2])).unwrap(), ["0-1,4-5", "2", "3,6"]);
}

#[test]
fn affinity_domains_group_what_shares() {
    let topology = Fixture::eight_threads().topology("0-7");
    let nodes = ["0-1,4-5", "2-3,6-7"];
    let siblings = ["0,4", "1,5", "2,6", "3,7"];
    assert_eq!(split(&topology, &by(AffinityDomain::Numa)).unwrap(), nodes);
    assert_eq!(split(&topology, &by(AffinityDomain::L3Cache)).unwrap(), nodes);
    assert_eq!(split(&topology, &by(AffinityDomain::L2Cache)).unwrap(), siblings);
    assert_eq!(split(&topology, &by(AffinityDomain::L1Cache)).unwrap(), siblings);
}

#[test]
fn the_next_partitionable_domain_is_the_outermost_that_splits() {
    let whole = Fixture::eight_threads().topology("0-7");
    assert_eq!(split(&whole, &by(AffinityDomain::NextPartitionable)).unwrap(), ["0-1,4-5", "2-3,6-7"]);
    let one_node = whole.partition(&cores("0-1,4-5"), &by(AffinityDomain::NextPartitionable)).unwrap();
    assert_eq!(one_node, [cores("0,4"), cores("1,5")]);
    let small = Fixture::two_cores().topology("0-1");
    assert_eq!(split(&small, &by(AffinityDomain::NextPartitionable)).unwrap(), ["0", "1"]);
}

#[test]
fn holes_in_the_numbering_do_not_matter() {
    let mut machine = Fixture::silent().online("0,2,5,7").nodes("1-3").node(1, "0,2").node(2, "").node(3, "5,7");
    for (id, shared) in [(0, "0,2"), (2, "0,2"), (5, "5,7"), (7, "5,7")] {
        machine = machine.caches(id, &id.to_string(), shared);
    }
    let topology = machine.topology("0-7");
    assert_eq!(split(&topology, &by(AffinityDomain::Numa)).unwrap(), ["0,2", "5,7"]);
    assert_eq!(split(&topology, &by(AffinityDomain::L2Cache)).unwrap(), ["0", "2", "5", "7"]);
    assert_eq!(split(&topology, &Partition::ByCounts(vec![3, 1])).unwrap(), ["0,2,5", "7"]);
}

#[test]
fn siblings_stay_together_where_the_cache_lists_separate_them() {
    // Some hypervisors report threads of one core but give each thread caches of its own.
    let mut machine = Fixture::silent().online("0-3");
    for id in 0..4 {
        let siblings = if id < 2 { "0-1" } else { "2-3" };
        machine = machine.core(id, 0, id / 2, siblings).caches(id, &id.to_string(), "0-3");
    }
    assert_eq!(split(&machine.topology("0-3"), &by(AffinityDomain::L1Cache)).unwrap(), ["0-1", "2-3"]);
}

#[test]
fn cores_outside_the_last_level_cache_make_one_part() {
    let mut machine = Fixture::silent();
    for id in 0..4 {
        machine = machine.cache(id, 0, "1 Data 48K", &id.to_string());
    }
    let machine = machine.cache(0, 1, "3 Unified 24576K", "0-1").cache(1, 1, "3 Unified 24576K", "0-1");
    let mut parts = split(&machine.topology("0-3"), &by(AffinityDomain::L3Cache)).unwrap();
    parts.sort();
    assert_eq!(parts, ["0-1", "2-3"]);
}

#[test]
fn impossible_numbers_are_refused_with_a_remedy() {
    let topology = Fixture::eight_threads().topology("0-7");
    for (how, message) in [
        (
            Partition::Equally(0),
            "cannot split the device into parts of 0 compute units: it has 8; ask for parts of 1 to 8 compute units",
        ),
        (
            Partition::Equally(9),
            "cannot split the device into parts of 9 compute units: it has 8; ask for parts of 1 to 8 compute units",
        ),
        (
            Partition::ByCounts(vec![]),
            "cannot split the device by an empty list of counts: it has 8 compute units; give one count per \
             sub-device, for example [4, 4]",
        ),
        (
            Partition::ByCounts(vec![2, 0]),
            "cannot split the device by the counts [2, 0]: entry 1 asks for no compute unit; every count must be at \
             least 1, and together at most the 8 that the device has",
        ),
        (
            Partition::ByCounts(vec![5, 4]),
            "cannot split the device by the counts [5, 4]: they add up to 9 compute units, it has 8; give counts that \
             add up to at most 8",
        ),
    ] {
        assert_eq!(split(&topology, &how).unwrap_err(), message);
    }
    assert!(split(&topology, &Partition::ByCounts(vec![usize::MAX, 2])).is_err(), "the sum does not wrap around");
}

#[test]
fn domains_that_do_not_split_are_refused_with_a_remedy() {
    let small = Fixture::two_cores().topology("0-1");
    let works = "what works: L2_cache (2 sub-devices), L1_cache (2 sub-devices), equal parts of 1 to 2 compute units, \
                 or counts that add up to at most 2";
    for (domain, reason) in [
        (AffinityDomain::Numa, "numa: its 2 compute units lie in 1 such domain"),
        (AffinityDomain::L3Cache, "L3_cache: its 2 compute units lie in 1 such domain"),
        (AffinityDomain::L4Cache, "L4_cache: its 2 compute units have no such domain"),
        (AffinityDomain::NotApplicable, "not_applicable: it names no part of the device's 2 compute units"),
    ] {
        let message = split(&small, &by(domain)).unwrap_err();
        assert_eq!(message, format!("cannot split the device by {reason}; {works}"));
    }
}

#[test]
fn siblings_of_one_core_have_no_next_domain() {
    let topology = Fixture::eight_threads().topology("0,4");
    assert_eq!(
        split(&topology, &by(AffinityDomain::NextPartitionable)).unwrap_err(),
        "cannot split the device by next_partitionable: none of numa, L4_cache, L3_cache, L2_cache, L1_cache splits \
         its 2 compute units; what works: equal parts of 1 to 2 compute units, or counts that add up to at most 2"
    );
    assert_eq!(split(&topology, &Partition::Equally(1)).unwrap(), ["0", "4"]);
}

#[test]
fn a_silent_kernel_still_allows_numbers() {
    let topology = Fixture::silent().topology("0-3");
    assert_eq!(split(&topology, &Partition::Equally(2)).unwrap(), ["0-1", "2-3"]);
    for domain in AffinityDomain::ALL {
        assert!(split(&topology, &by(domain)).is_err(), "{domain:?}");
    }
}

#[test]
fn a_single_core_cannot_be_split() {
    let topology = Fixture::two_cores().topology("1");
    for how in [Partition::Equally(1), Partition::ByCounts(vec![1]), by(AffinityDomain::L1Cache)] {
        let message = split(&topology, &how).unwrap_err();
        let expected = format!("cannot split the device ({how}): it has 1 compute unit(s), which cannot be divided");
        assert!(message.starts_with(&expected), "{message}");
    }
}
