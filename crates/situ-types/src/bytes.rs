//! Numbers of bytes as people write them.

/// A number of bytes: digits, with a unit after them if need be, in letters of either case. `K`, `M`, `G`, `T` and `KiB`
/// and so on are powers of 1024, `KB` and so on are powers of 1000. `None` for anything else, and for what is more than
/// can be counted.
///
/// ```
/// use situ_types::parse_bytes;
/// assert_eq!(parse_bytes("4096"), Some(4096));
/// assert_eq!(parse_bytes("12GB"), Some(12_000_000_000));
/// assert_eq!(parse_bytes("1.5 GiB"), Some(3 << 29));
/// assert_eq!(parse_bytes("a lot"), None);
/// ```
pub fn parse_bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim_start().to_ascii_lowercase();
    let prefix = unit.strip_suffix("ib").or_else(|| unit.strip_suffix('b')).unwrap_or(&unit);
    let base: u64 = if unit.len() == 2 { 1000 } else { 1024 };
    let power = match prefix {
        "" if unit != "ib" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return None,
    };
    let scale = base.pow(power);
    let number = number.replace('_', "");
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(scale);
    }
    let bytes = number.parse::<f64>().ok()? * scale as f64;
    (bytes < u64::MAX as f64).then_some(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_nonsense() {
        for (text, bytes) in [
            ("0", 0),
            (" 17 ", 17),
            ("17B", 17),
            ("1_000", 1000),
            ("2k", 2048),
            ("2 KB", 2000),
            ("2KiB", 2048),
            ("3mb", 3_000_000),
            ("0.5g", 1 << 29),
            ("1TiB", 1 << 40),
        ] {
            assert_eq!(parse_bytes(text), Some(bytes), "{text}");
        }
        for text in
            ["", "GB", "-1", "1e9", "1XB", "1 G B", "ib", "1ib", "1.2.3", "99999999999999999999", "999999999T", "."]
        {
            assert_eq!(parse_bytes(text), None, "{text}");
        }
    }
}
