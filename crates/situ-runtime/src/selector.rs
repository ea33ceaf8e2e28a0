//! Selector strings: how users name a device.
//!
//! `filter ("," filter)*`, where a filter is up to three of backend, device type and number, joined by `:` in any
//! order. The first filter that some device satisfies wins. The number counts only among the devices that match the
//! filter's other parts.

use situ_types::{BackendKind, DeviceInfo, DeviceType};

use crate::{Device, Error, Result, registry};

/// One alternative of a selector string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only this backend.
    pub backend: Option<BackendKind>,
    /// Only this type of device.
    pub device_type: Option<DeviceType>,
    /// The position among the matching devices.
    pub number: Option<usize>,
}

impl Filter {
    /// Whether a device matches, its number aside. The null device answers to its own name only.
    pub fn matches(&self, info: &DeviceInfo) -> bool {
        let backend = match self.backend {
            Some(backend) => info.backend == backend,
            None => info.backend != BackendKind::Null,
        };
        backend && self.device_type.is_none_or(|t| t == info.device_type)
    }

    fn parse(text: &str) -> Result<Filter, String> {
        let mut filter = Filter::default();
        let parts: Vec<&str> = text.strip_prefix(':').unwrap_or(text).split(':').collect();
        if parts.len() > 3 {
            return Err(format!("{text:?} has {} parts", parts.len()));
        }
        for part in parts {
            let twice = if let Some(backend) = BackendKind::from_name(part) {
                filter.backend.replace(backend).is_some()
            } else if let Some(device_type) = DeviceType::from_name(part).filter(|t| *t != DeviceType::Custom) {
                filter.device_type.replace(device_type).is_some()
            } else if !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) {
                let number = part.parse().map_err(|_| format!("the number {part} is too large"))?;
                filter.number.replace(number).is_some()
            } else {
                return Err(format!("{part:?} is neither a backend, nor a device type, nor a number"));
            };
            if twice {
                return Err(format!("{text:?} names the same part twice"));
            }
        }
        Ok(filter)
    }
}

/// The alternatives of a selector string.
///
/// ```
/// use situ_runtime::selector::parse;
/// assert_eq!(parse("gpu,native:cpu:0")?.len(), 2);
/// assert!(parse("CPU").is_err());
/// # Ok::<(), situ_runtime::Error>(())
/// ```
pub fn parse(selector: &str) -> Result<Vec<Filter>> {
    let malformed = |reason: String| Error::Selector { selector: selector.into(), reason };
    let list = selector.strip_suffix(',').unwrap_or(selector);
    if list.is_empty() {
        return Err(malformed("it is empty".into()));
    }
    list.split(',').map(|text| Filter::parse(text).map_err(malformed)).collect()
}

/// The device a selector string names.
pub(crate) fn select(selector: &str) -> Result<Device> {
    let filters = parse(selector)?;
    let everything = registry::all()?;
    for filter in &filters {
        let mut matching = everything.iter().filter(|device| filter.matches(device.info()));
        if let Some(device) = matching.nth(filter.number.unwrap_or(0)) {
            return Ok(device.clone());
        }
    }
    let missing = filters.iter().filter_map(|f| f.backend).find_map(registry::absence);
    let visible: Vec<String> = registry::devices()?.iter().filter_map(|d| d.filter_string().ok()).collect();
    let present = format!("visible devices: {}", if visible.is_empty() { "none".into() } else { visible.join(", ") });
    let reason = missing.map_or(present.clone(), |why| format!("{why}; {present}"));
    Err(Error::NoDevice { wanted: format!("selector {selector:?}"), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_in_any_order() {
        let filter = Filter { backend: Some(BackendKind::Native), device_type: Some(DeviceType::Cpu), number: Some(0) };
        for text in ["native:cpu:0", "cpu:native:0", "0:cpu:native", ":native:cpu:0", "native:cpu:0,"] {
            assert_eq!(parse(text).unwrap(), [filter], "{text}");
        }
    }

    #[test]
    fn malformed_strings_are_refused() {
        for text in
            ["", "CPU", " cpu", "*", "host", "cpu:-1", "native:cpu:0:1", "cpu:gpu", "cpu,,gpu", "99999999999999999999"]
        {
            assert!(matches!(parse(text), Err(Error::Selector { .. })), "{text}");
        }
    }
}
