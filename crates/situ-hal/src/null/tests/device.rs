//! What null devices say about themselves, and how they split.

use situ_types::{AffinityDomain, Aspect, BackendKind, DeviceType, Partition};

use super::*;
use crate::HalError;

#[test]
fn the_configuration_shows_in_the_description() {
    let _alone = exclusive();
    let config = NullConfig { devices: 3, compute_units: 7, fp16: false, fp64: true };
    let platform = platform(config);
    let devices = platform.devices();
    assert_eq!(platform.info().backend, BackendKind::Null);
    assert_eq!(devices.len(), 3);
    for (device, again) in devices.iter().zip(platform.devices()) {
        assert!(Arc::ptr_eq(device, &again));
        let info = device.info();
        assert_eq!((info.backend, info.device_type), (BackendKind::Null, DeviceType::Custom));
        assert_eq!((info.max_compute_units, info.partition_max_sub_devices), (7, 7));
        assert!(info.default_score < 0);
        assert!(info.has(Aspect::Fp64) && !info.has(Aspect::Fp16));
        assert_eq!((info.native_vector_widths.double, info.native_vector_widths.half), (1, 0));
    }
}

#[test]
fn partitions_have_the_units_asked_for() {
    let bench = Bench::new(Latency::Immediate);
    let units = |how: Partition| -> Vec<u32> {
        bench.device.partition(&how).unwrap().iter().map(|part| part.info().max_compute_units).collect()
    };
    assert_eq!(units(Partition::Equally(1)), [1, 1, 1, 1]);
    assert_eq!(units(Partition::Equally(3)), [3]);
    assert_eq!(units(Partition::Equally(4)), [4]);
    assert_eq!(units(Partition::ByCounts(vec![1, 3])), [1, 3]);
    assert_eq!(units(Partition::ByCounts(vec![2])), [2]);

    let half = bench.device.partition(&Partition::Equally(2)).unwrap().remove(0);
    assert_eq!(half.info().partition_max_sub_devices, 2);
    let quarter = half.partition(&Partition::Equally(1)).unwrap().remove(0);
    assert_eq!(quarter.info().partition_max_sub_devices, 0);
    assert!(quarter.partition(&Partition::Equally(1)).is_err());
    assert!(bench.context.create_queue(&quarter, OUT_OF_ORDER, bench.scratch()).is_ok());
}

#[test]
fn impossible_partitions_say_what_would_be_possible() {
    let bench = Bench::new(Latency::Immediate);
    let refusal = |how: Partition| match bench.device.partition(&how).unwrap_err() {
        HalError::Unsupported { operation, detail } => {
            assert_eq!(operation, "partition");
            assert!(detail.starts_with(&format!("{how} was asked for, and situ null device 0 has 4 compute units; ")));
            detail
        }
        other => panic!("{other:?}"),
    };
    for each in [0, 5, usize::MAX] {
        assert!(refusal(Partition::Equally(each)).ends_with("ask for 1 to 4 compute units each"));
    }
    for counts in [vec![], vec![0], vec![2, 0], vec![2, 3], vec![usize::MAX, 2]] {
        assert!(refusal(Partition::ByCounts(counts)).ends_with("at least 1 that add up to at most 4"));
    }
    for domain in AffinityDomain::ALL {
        assert!(refusal(Partition::ByAffinity(domain)).ends_with("ask for numbers of compute units"));
    }
}
