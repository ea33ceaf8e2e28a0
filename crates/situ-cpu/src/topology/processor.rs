//! Who made the processor and what it is called.

use super::kernel_files::KernelFiles;

/// The processor as `/proc/cpuinfo` names it.
#[derive(Debug)]
pub(super) struct Processor {
    pub(super) name: String,
    pub(super) vendor: String,
    pub(super) mhz: Option<u32>,
}

impl Processor {
    /// Reads the first processor's entry; the others of a machine say the same, give or take the core type.
    pub(super) fn read(files: &KernelFiles) -> Processor {
        let entry = files.first_paragraph("proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            let mut pairs = entry.lines().filter_map(|line| line.split_once(':'));
            let value = pairs.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim())?;
            // Some sandboxes fill the gaps with this word.
            (!value.is_empty() && value != "unknown").then_some(value)
        };
        let implementer = field("CPU implementer").and_then(hexadecimal);
        let part = field("CPU part").and_then(hexadecimal);
        let vendor = match (field("vendor_id"), implementer) {
            (Some(id), _) => x86_vendor(id).to_owned(),
            (None, Some(code)) => arm_implementer(code).map_or(format!("implementer {code:#04x}"), str::to_owned),
            (None, None) => "unknown".to_owned(),
        };
        let name = match (field("model name"), part) {
            // Vendors pad their names to a fixed width.
            (Some(name), _) => name.split_whitespace().collect::<Vec<_>>().join(" "),
            (None, Some(code)) => match arm_part(implementer, code) {
                Some(part) => format!("{vendor} {part}"),
                None => format!("{vendor} processor, part {code:#05x}"),
            },
            (None, None) => format!("{} processor", std::env::consts::ARCH),
        };
        let mhz = field("cpu MHz").and_then(|mhz| mhz.parse::<f64>().ok()).map(|mhz| mhz.round() as u32);
        Processor { name, vendor, mhz }
    }
}

fn hexadecimal(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

fn x86_vendor(id: &str) -> &str {
    match id {
        "GenuineIntel" => "Intel",
        "AuthenticAMD" => "AMD",
        "HygonGenuine" => "Hygon",
        "CentaurHauls" => "Centaur",
        other => other,
    }
}

/// Implementer codes of the ARM architecture's main identification register.
fn arm_implementer(code: u32) -> Option<&'static str> {
    Some(match code {
        0x41 => "ARM",
        0x42 => "Broadcom",
        0x43 => "Cavium",
        0x46 => "Fujitsu",
        0x48 => "HiSilicon",
        0x4e => "NVIDIA",
        0x50 => "Applied Micro",
        0x51 => "Qualcomm",
        0x53 => "Samsung",
        0x56 => "Marvell",
        0x61 => "Apple",
        0x69 => "Intel",
        0x6d => "Microsoft",
        0x70 => "Phytium",
        0xc0 => "Ampere",
        _ => return None,
    })
}

/// Names of ARM's own cores that run servers, boards and phones today; part codes are each implementer's own.
fn arm_part(implementer: Option<u32>, code: u32) -> Option<&'static str> {
    if implementer != Some(0x41) {
        return None;
    }
    Some(match code {
        0xd03 => "Cortex-A53",
        0xd04 => "Cortex-A35",
        0xd05 => "Cortex-A55",
        0xd07 => "Cortex-A57",
        0xd08 => "Cortex-A72",
        0xd09 => "Cortex-A73",
        0xd0a => "Cortex-A75",
        0xd0b => "Cortex-A76",
        0xd0c => "Neoverse-N1",
        0xd0d => "Cortex-A77",
        0xd40 => "Neoverse-V1",
        0xd41 => "Cortex-A78",
        0xd44 => "Cortex-X1",
        0xd46 => "Cortex-A510",
        0xd47 => "Cortex-A710",
        0xd49 => "Neoverse-N2",
        0xd4f => "Neoverse-V2",
        0xd84 => "Neoverse-V3",
        0xd8e => "Neoverse-N3",
        _ => return None,
    })
}
