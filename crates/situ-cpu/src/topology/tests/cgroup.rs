use super::fixture::Fixture;

const GIB: u64 = 1 << 30;

/// A machine with version 2 only, this process being in the group `/outer/inner`.
fn version_2() -> Fixture {
    Fixture::eight_threads()
        .file("proc/self/cgroup", "0::/outer/inner\n")
        .file("proc/self/mountinfo", "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n")
        .file("proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 6291456 kB\n")
}

/// A machine with version 1, and version 2 mounted beside it without controllers.
fn version_1() -> Fixture {
    let membership = "4:memory:/outer/inner\n3:cpuset:/outer\n2:cpu,cpuacct:/outer/inner\n1:name=systemd:/\n0::/\n";
    let mounts = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n\
                  32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:5 master:1 - cgroup cgroup rw,cpu,cpuacct\n\
                  34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n\
                  35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                  41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
    Fixture::eight_threads()
        .file("proc/self/cgroup", membership)
        .file("proc/self/mountinfo", mounts)
        .file("proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 6291456 kB\n")
}

fn quota_1(machine: Fixture, group: &str, quota: &str) -> Fixture {
    let directory = format!("sys/fs/cgroup/cpu,cpuacct{group}");
    machine
        .file(&format!("{directory}/cpu.cfs_quota_us"), quota)
        .file(&format!("{directory}/cpu.cfs_period_us"), "100000")
}

#[test]
fn version_2_quotas_round_up() {
    for (quota, usable) in [
        ("50000 100000", "0"),
        ("150000 100000", "0-1"),
        ("200000 100000", "0-1"),
        ("1600000 100000", "0-7"),
        ("max 100000", "0-7"),
        ("100000 0", "0-7"),
        ("nonsense", "0-7"),
    ] {
        let machine = version_2().file("sys/fs/cgroup/outer/inner/cpu.max", quota);
        assert_eq!(machine.usable("0-7"), usable, "{quota}");
    }
}

#[test]
fn version_1_quotas_round_up() {
    for (quota, usable) in [("50000\n", "0"), ("150000\n", "0-1"), ("-1\n", "0-7")] {
        assert_eq!(quota_1(version_1(), "/outer/inner", quota).usable("0-7"), usable, "{quota}");
    }
}

#[test]
fn a_stricter_parent_wins() {
    let machine = version_2()
        .file("sys/fs/cgroup/outer/cpu.max", "250000 100000")
        .file("sys/fs/cgroup/outer/inner/cpu.max", "600000 100000");
    assert_eq!(machine.usable("0-7"), "0-2");
    let machine = quota_1(quota_1(version_1(), "/outer", "250000"), "/outer/inner", "-1");
    assert_eq!(machine.usable("0-7"), "0-2");
}

#[test]
fn only_a_binding_quota_is_a_quota_limit() {
    let machine = version_2().file("sys/fs/cgroup/outer/inner/cpu.max", "200000 100000");
    assert!(machine.topology("0-7").quota_limited());
    assert!(!machine.topology("3,5").quota_limited());
    assert_eq!(machine.usable("3,5-7"), "3,5");
}

#[test]
fn a_container_sees_its_own_group_at_the_mount_point() {
    // Without a namespace, the group is named from outside and its directory is mounted at the usual place.
    let mounts = "32 31 0:29 /docker/ab12 /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n";
    for group in ["/docker/ab12", "/docker/ab12/inner", "/elsewhere", "/../beside"] {
        let machine = Fixture::eight_threads()
            .file("proc/self/cgroup", &format!("2:cpu:{group}\n"))
            .file("proc/self/mountinfo", mounts)
            .file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "300000")
            .file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
        assert_eq!(machine.usable("0-7"), "0-2", "{group}");
    }
}

#[test]
fn the_usual_places_serve_without_mountinfo() {
    let machine = Fixture::eight_threads()
        .file("proc/self/cgroup", "0::/a\n2:cpu:/b\n")
        .file("sys/fs/cgroup/a/cpu.max", "700000 100000")
        .file("sys/fs/cgroup/cpu/b/cpu.cfs_quota_us", "300000")
        .file("sys/fs/cgroup/cpu/b/cpu.cfs_period_us", "100000");
    assert_eq!(machine.usable("0-7"), "0-2");
}

#[test]
fn cpusets_restrict() {
    let machine = version_2().file("sys/fs/cgroup/outer/inner/cpuset.cpus.effective", "2-3,6-7\n");
    assert_eq!(machine.usable("0-7"), "2-3,6-7");
    assert_eq!(machine.usable("0-2"), "2");
    let machine = version_1().file("sys/fs/cgroup/cpuset/outer/cpuset.cpus", "1,3\n");
    assert_eq!(machine.usable("0-7"), "1,3");
    let inherited = version_2()
        .file("sys/fs/cgroup/outer/inner/cpuset.cpus", "\n")
        .file("sys/fs/cgroup/outer/cpuset.cpus.effective", "4-5\n");
    assert_eq!(inherited.usable("0-7"), "4-5");
}

#[test]
fn memory_is_what_the_strictest_limit_leaves() {
    let machine = version_2();
    let topology = machine.topology("0-7");
    assert_eq!(topology.memory_available(), Some(6 * GIB));
    assert_eq!(topology.device_info(topology.usable(), true).global_mem_size, 8 * GIB);

    let machine = machine
        .file("sys/fs/cgroup/outer/inner/memory.max", "max\n")
        .file("sys/fs/cgroup/outer/memory.max", &(4 * GIB).to_string())
        .file("sys/fs/cgroup/outer/memory.current", &(3 * GIB).to_string())
        .file("sys/fs/cgroup/outer/memory.stat", &format!("anon 1\ninactive_file {GIB}\n"));
    assert_eq!(topology.memory_available(), Some(2 * GIB), "cached file pages can be dropped");
    machine.rewrite("sys/fs/cgroup/outer/memory.current", &(5 * GIB).to_string());
    assert_eq!(topology.memory_available(), Some(0), "read afresh, and never negative");
    let info = topology.device_info(topology.usable(), true);
    assert_eq!((info.global_mem_size, info.max_mem_alloc_size), (4 * GIB, 4 * GIB));
}

#[test]
fn version_1_memory_limits_have_their_own_names() {
    let directory = "sys/fs/cgroup/memory/outer/inner";
    let machine = version_1()
        .file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
        .file(&format!("{directory}/memory.limit_in_bytes"), &(2 * GIB).to_string())
        .file(&format!("{directory}/memory.usage_in_bytes"), &GIB.to_string())
        .file(&format!("{directory}/memory.stat"), "inactive_file 5\ntotal_inactive_file 1024\n");
    let topology = machine.topology("0-7");
    assert_eq!(topology.memory_available(), Some(GIB + 1024));
    assert_eq!(topology.device_info(topology.usable(), true).global_mem_size, 2 * GIB);

    machine.rewrite(&format!("{directory}/memory.limit_in_bytes"), "9223372036854771712\n");
    machine.rewrite("proc/meminfo", "");
    assert_eq!(topology.memory_available(), None, "no limit is not a limit");
}
