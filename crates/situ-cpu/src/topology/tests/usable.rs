use super::fixture::Fixture;

#[test]
fn the_affinity_mask_limits() {
    assert_eq!(Fixture::two_cores().usable("0-1"), "0-1");
    assert_eq!(Fixture::two_cores().usable("1"), "1");
    assert_eq!(Fixture::eight_threads().usable("2-5"), "2-5");
}

#[test]
fn offline_processors_and_holes_are_left_out() {
    let machine = Fixture::silent().online("0,2,5-7");
    assert_eq!(machine.usable("0-7"), "0,2,5-7");
    assert_eq!(machine.usable("1-5"), "2,5");
}

#[test]
fn a_silent_kernel_leaves_the_mask() {
    let topology = Fixture::silent().topology("0-3");
    assert_eq!(topology.usable().to_string(), "0-3");
    assert!(!topology.quota_limited());
    assert_eq!(topology.memory_available(), None);
    assert_eq!(topology.last_level_cache(), 8 << 20);
}

#[test]
fn there_is_always_a_processor() {
    assert_eq!(Fixture::silent().usable(""), "0");
    // The mask wins over files that contradict it, as containers' virtualised ones do.
    assert_eq!(Fixture::silent().online("0-1").usable("4,7"), "4,7");
}

#[test]
fn the_last_level_cache_is_one_cores_view() {
    assert_eq!(Fixture::two_cores().topology("0-1").last_level_cache(), 48 << 20);
    assert_eq!(Fixture::eight_threads().topology("0-7").last_level_cache(), 48 << 20);
}

#[test]
fn malformed_files_count_as_missing() {
    let machine = Fixture::two_cores()
        .online("all of them")
        .file("sys/devices/system/cpu/cpu0/cache/index3/size", "large")
        .file("sys/devices/system/cpu/cpu1/cache/index3/size", "")
        .file("proc/meminfo", "MemTotal: many kB\n");
    let topology = machine.topology("0-1");
    assert_eq!(topology.usable().to_string(), "0-1");
    assert_eq!(topology.last_level_cache(), 1280 << 10);
    assert_eq!(topology.memory_available(), None);
}
