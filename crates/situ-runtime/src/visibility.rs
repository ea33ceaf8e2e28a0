//! `SITU_DEVICE_SELECTOR`: which devices a process may see.
//!
//! Terms joined by `;`. A term is a backend, or `*`, or nothing, followed by device types and numbers; its parts are joined
//! by `:`, and what a part may be is a list joined by `,`. A term that starts with `!` hides what it matches. Without a
//! positive term everything not hidden is visible. Letters may be of either case.

use situ_types::{BackendKind, DeviceInfo, DeviceType};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Any,
    Type(DeviceType),
    Number(usize),
}

#[derive(Debug)]
struct Term {
    hides: bool,
    backend: Option<BackendKind>,
    /// A device is one of each.
    parts: Vec<Vec<Which>>,
}

/// A parsed `SITU_DEVICE_SELECTOR`.
#[derive(Debug)]
pub(crate) struct Visibility(Vec<Term>);

impl Visibility {
    pub(crate) fn parse(text: &str) -> Result<Visibility, String> {
        let lower = text.to_ascii_lowercase();
        let terms = lower.split(';').map(str::trim).filter(|term| !term.is_empty());
        terms.map(parse_term).collect::<Result<_, _>>().map(Visibility)
    }

    /// Whether a device of a backend may be seen at all.
    pub(crate) fn may_show(&self, backend: BackendKind) -> bool {
        self.wants(backend) && !self.0.iter().any(|term| term.hides && term.is_about(backend) && term.has_no_limit())
    }

    /// Whether devices of a backend are asked for by its name.
    pub(crate) fn names(&self, backend: BackendKind) -> bool {
        self.0.iter().any(|term| !term.hides && term.backend == Some(backend))
    }

    fn wants(&self, backend: BackendKind) -> bool {
        let mut positive = self.0.iter().filter(|term| !term.hides).peekable();
        positive.peek().is_none() || positive.any(|term| term.is_about(backend))
    }

    /// Whether a device may be seen; `number` is its position among the devices of its backend.
    pub(crate) fn shows(&self, info: &DeviceInfo, number: usize) -> bool {
        let matches = |term: &Term| term.matches(info, number);
        let mut positive = self.0.iter().filter(|term| !term.hides).peekable();
        let shown = positive.peek().is_none() || positive.any(matches);
        shown && !self.0.iter().filter(|term| term.hides).any(matches)
    }
}

impl Term {
    /// Whether it could match a device of a backend.
    fn is_about(&self, backend: BackendKind) -> bool {
        let only = match backend {
            BackendKind::Native => Some(DeviceType::Cpu),
            BackendKind::Cuda | BackendKind::Hip => Some(DeviceType::Gpu),
            BackendKind::LevelZero | BackendKind::OpenCl | BackendKind::Null => None,
        };
        let possible = |which: &Which| match (which, only) {
            (Which::Type(device_type), Some(only)) => *device_type == only,
            _ => true,
        };
        self.backend.is_none_or(|b| b == backend) && self.parts.iter().all(|part| part.iter().any(possible))
    }

    /// Whether it matches every device of its backend.
    fn has_no_limit(&self) -> bool {
        self.parts.iter().all(|part| part.contains(&Which::Any))
    }

    fn matches(&self, info: &DeviceInfo, number: usize) -> bool {
        let is_one = |which: &Which| match which {
            Which::Any => true,
            Which::Type(device_type) => *device_type == info.device_type,
            Which::Number(n) => *n == number,
        };
        self.backend.is_none_or(|backend| backend == info.backend)
            && self.parts.iter().all(|part| part.iter().any(is_one))
    }
}

fn parse_term(text: &str) -> Result<Term, String> {
    let (hides, body) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest.trim()));
    let mut parts: Vec<&str> = body.split(':').map(str::trim).collect();
    let backend = BackendKind::from_name(parts[0]);
    if backend.is_some() || parts[0] == "*" {
        parts.remove(0);
    } else if parse_part(parts[0]).is_none_or(|part| matches!(part[..], [Which::Number(_), ..])) {
        return Err(format!("{:?} is neither a backend, nor a device type, nor '*'", parts[0]));
    }
    if parts.len() > 2 {
        return Err(format!("{body:?} has too many parts"));
    }
    let unknown = |part: &str| format!("{part:?} is neither a device type, nor a number, nor '*'");
    let parts = parts.iter().map(|part| parse_part(part).ok_or_else(|| unknown(part))).collect::<Result<_, _>>()?;
    Ok(Term { hides, backend, parts })
}

fn parse_part(text: &str) -> Option<Vec<Which>> {
    let which = |item: &str| match item.trim() {
        "*" => Some(Which::Any),
        item => DeviceType::from_name(item).map(Which::Type).or_else(|| item.parse().ok().map(Which::Number)),
    };
    text.split(',').map(which).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn native() -> DeviceInfo {
        situ_cpu::platform().devices()[0].info().clone()
    }

    #[test]
    fn nobody_looks_for_what_cannot_be_seen() {
        for (text, looks) in [
            ("", true),
            ("cuda", true),
            ("gpu", true),
            ("*:gpu", true),
            ("native", false),
            ("cpu", false),
            ("!cuda", false),
            ("!cuda:*:*", false),
            ("!cuda:0", true),
            ("!cpu", true),
        ] {
            assert_eq!(Visibility::parse(text).unwrap().may_show(BackendKind::Cuda), looks, "{text}");
        }
    }

    #[test]
    fn terms_show_and_hide() {
        for (text, visible) in [
            ("", true),
            ("native", true),
            ("native:cpu", true),
            ("*:gpu", false),
            ("cuda:*;native:0", true),
            ("native:1", false),
            ("!native", false),
            ("!cuda:*", true),
            ("*:*;!*:cpu", false),
            ("cpu", true),
            ("!cpu", false),
            ("gpu", false),
            ("gpu, cpu", true),
            ("NATIVE:CPU", true),
            ("Native : Cpu", true),
            ("native:cpu:0", true),
            ("native:cpu:1", false),
            ("native:gpu:0", false),
            ("cpu:0", true),
            ("*:cpu:0", true),
            ("!native:cpu:1", true),
        ] {
            assert_eq!(Visibility::parse(text).unwrap().shows(&native(), 0), visible, "{text}");
        }
        for text in
            ["intel", "native:x", "native:cpu:0:1", "0", "native:", "cpu:", ":cpu", "native,cuda", "!", "native:-1"]
        {
            assert!(Visibility::parse(text).is_err(), "{text}");
        }
    }
}
