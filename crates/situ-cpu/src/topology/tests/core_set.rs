use super::{CoreSet, cores};

#[test]
fn kernel_notation_survives_a_round_trip() {
    for list in ["", "0", "0-3", "0-3,8,10-11", "5,7,9", "63,65"] {
        assert_eq!(cores(list).to_string(), list);
    }
    assert_eq!(cores(" 0-1, 4 \n").to_string(), "0-1,4");
    assert_eq!(cores("3,1,2,2-3").to_string(), "1-3");
}

#[test]
fn anything_else_is_refused() {
    for list in ["x", "1-", "-1", "3-1", "0,,1", "0-4294967295", "99999999999", "0-10:2/5"] {
        assert_eq!(CoreSet::parse(list), None, "{list:?}");
    }
}

#[test]
fn set_operations() {
    let set = CoreSet::new([8, 0, 3, 3, 1]);
    assert_eq!(set.iter().collect::<Vec<_>>(), [0, 1, 3, 8]);
    assert_eq!((set.len(), set.is_empty()), (4, false));
    assert!(set.contains(8) && !set.contains(2));
    assert_eq!(set.first(2), cores("0-1"));
    assert_eq!(set.first(9), set);
    assert_eq!(set.intersect(&cores("1-7")), cores("1,3"));
    assert!(set.intersect(&cores("")).is_empty());
}
