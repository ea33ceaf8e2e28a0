use situ_types::{Aspect, BackendKind, CacheKind, DeviceType};

use super::super::vector::widths_of;
use super::cores;
use super::fixture::Fixture;

const XEON: &str = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R)  Xeon(R) Processor   @ 2.80GHz\n\
                    cpu MHz\t\t: 2793.436\n\nprocessor\t: 1\nvendor_id\t: Other\n";

#[test]
fn a_known_machine_is_described_in_full() {
    let topology = Fixture::two_cores().file("proc/cpuinfo", XEON).topology("0-1");
    let info = topology.device_info(topology.usable(), true);
    assert_eq!((info.backend, info.device_type), (BackendKind::Native, DeviceType::Cpu));
    assert_eq!(info.name, "Intel(R) Xeon(R) Processor @ 2.80GHz");
    assert_eq!(info.vendor, "Intel");
    assert_eq!(info.max_clock_frequency, 2793);
    assert_eq!(info.max_compute_units, 2);
    assert_eq!(info.partition_max_sub_devices, 2);
    assert_eq!(info.global_mem_size, 24_682_416 << 10);
    assert_eq!(info.max_mem_alloc_size, info.global_mem_size);
    assert_eq!(info.local_mem_size, 48 << 10);
    assert_eq!((info.global_mem_cache_size, info.global_mem_cache_line_size), (48 << 20, 64));
    assert_eq!(info.global_mem_cache_kind, CacheKind::ReadWrite);
    assert_eq!(info.default_score, 1);
    assert!(info.has(Aspect::Cpu) && info.has(Aspect::UsmSystemAllocations) && !info.has(Aspect::Gpu));
    let smallest = u64::from(info.sub_group_sizes[0]);
    assert_eq!(u64::from(info.max_num_sub_groups) * smallest, info.max_work_group_size);
}

#[test]
fn a_sub_device_describes_its_own_cores() {
    let topology = Fixture::eight_threads().topology("0-7");
    assert_eq!(topology.device_info(&cores("0-7"), true).global_mem_cache_size, 96 << 20);
    let part = topology.device_info(&cores("2,6"), false);
    assert_eq!((part.max_compute_units, part.global_mem_cache_size), (2, 48 << 20));
    assert!(part.default_score < 0, "a part is never the default");
    assert_eq!(topology.device_info(&cores("2"), false).partition_max_sub_devices, 0);
}

#[test]
fn an_unknown_machine_gets_modest_defaults() {
    let topology = Fixture::silent().topology("0-3");
    let info = topology.device_info(topology.usable(), true);
    assert_eq!(info.name, format!("{} processor", std::env::consts::ARCH));
    assert_eq!(info.vendor, "unknown");
    assert_eq!((info.max_compute_units, info.max_clock_frequency), (4, 0));
    assert_eq!((info.global_mem_size, info.max_mem_alloc_size), (0, isize::MAX as u64));
    assert_eq!((info.local_mem_size, info.global_mem_cache_size, info.global_mem_cache_line_size), (32 << 10, 0, 64));
}

#[test]
fn the_clock_is_the_fastest_of_the_cores() {
    let topology = Fixture::two_cores()
        .file("proc/cpuinfo", XEON)
        .file("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3800000\n")
        .file("sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq", "4200000\n")
        .topology("0-1");
    assert_eq!(topology.device_info(&cores("0-1"), true).max_clock_frequency, 4200);
    assert_eq!(topology.device_info(&cores("0"), false).max_clock_frequency, 3800);
}

#[test]
fn local_memory_fits_the_smallest_core() {
    let machine = Fixture::silent().cache(0, 0, "1 Data 48K", "0").cache(1, 0, "1 Data 32K", "1");
    assert_eq!(machine.topology("0-1").device_info(&cores("0-1"), true).local_mem_size, 32 << 10);
}

#[test]
fn arm_processors_are_named_by_their_codes() {
    for (codes, name, vendor) in [
        ("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n", "ARM Neoverse-N1", "ARM"),
        ("CPU implementer\t: 0x41\nCPU part\t: 0xfff\n", "ARM processor, part 0xfff", "ARM"),
        ("CPU implementer\t: 0x61\nCPU part\t: 0x022\n", "Apple processor, part 0x022", "Apple"),
        ("CPU implementer\t: 0x7f\nCPU part\t: 0x001\n", "implementer 0x7f processor, part 0x001", "implementer 0x7f"),
        (
            "vendor_id\t: unknown\nmodel name\t: unknown\nCPU implementer\t: 0xc0\nCPU part\t: 0xac3\n",
            "Ampere processor, part 0xac3",
            "Ampere",
        ),
    ] {
        let topology = Fixture::silent().file("proc/cpuinfo", &format!("processor\t: 0\n{codes}")).topology("0");
        let info = topology.device_info(topology.usable(), true);
        assert_eq!((info.name.as_str(), info.vendor.as_str()), (name, vendor));
    }
}

#[test]
fn widths_count_elements_per_register() {
    let avx512 = widths_of(64, true);
    assert_eq!((avx512.char, avx512.short, avx512.int, avx512.long), (64, 32, 16, 8));
    assert_eq!((avx512.float, avx512.double, avx512.half), (16, 8, 32));
    assert_eq!(widths_of(16, false).half, 0);
}
