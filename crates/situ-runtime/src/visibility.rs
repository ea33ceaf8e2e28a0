//! `SITU_DEVICE_SELECTOR`: which devices a process may see.
//!
//! Terms joined by `;`. A term is a backend or `*`, optionally followed by `:` and a comma list of device types,
//! numbers or `*`. A term that starts with `!` hides what it matches. Without a positive term everything not hidden
//! is visible.

use situ_types::{BackendKind, DeviceInfo, DeviceType};

#[derive(Debug, PartialEq, Eq)]
enum Which {
    Any,
    Type(DeviceType),
    Number(usize),
}

#[derive(Debug)]
struct Term {
    hides: bool,
    backend: Option<BackendKind>,
    which: Vec<Which>,
}

/// A parsed `SITU_DEVICE_SELECTOR`.
#[derive(Debug)]
pub(crate) struct Visibility(Vec<Term>);

impl Visibility {
    pub(crate) fn parse(text: &str) -> Result<Visibility, String> {
        text.split(';')
            .filter(|term| !term.trim().is_empty())
            .map(|term| parse_term(term.trim()))
            .collect::<Result<_, _>>()
            .map(Visibility)
    }

    /// Whether a device of a backend may be seen at all.
    pub(crate) fn may_show(&self, backend: BackendKind) -> bool {
        let about = |term: &&Term| term.backend.is_none_or(|b| b == backend);
        let mut positive = self.0.iter().filter(|term| !term.hides).peekable();
        let shown = positive.peek().is_none() || positive.any(|term| about(&term));
        shown && !self.0.iter().filter(|term| term.hides).filter(about).any(|term| term.which.contains(&Which::Any))
    }

    /// Whether a device may be seen; `number` is its position among the devices of its backend.
    pub(crate) fn shows(&self, info: &DeviceInfo, number: usize) -> bool {
        let matches = |term: &Term| {
            term.backend.is_none_or(|backend| backend == info.backend)
                && term.which.iter().any(|which| match which {
                    Which::Any => true,
                    Which::Type(device_type) => *device_type == info.device_type,
                    Which::Number(n) => *n == number,
                })
        };
        let mut positive = self.0.iter().filter(|term| !term.hides).peekable();
        let shown = positive.peek().is_none() || positive.any(matches);
        shown && !self.0.iter().filter(|term| term.hides).any(matches)
    }
}

fn parse_term(text: &str) -> Result<Term, String> {
    let (hides, body) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
    let (backend, which) = body.split_once(':').unwrap_or((body, "*"));
    let backend = match backend {
        "*" => None,
        name => Some(BackendKind::from_name(name).ok_or_else(|| format!("{name:?} is not a backend"))?),
    };
    let which = which
        .split(',')
        .map(|part| match part {
            "*" => Ok(Which::Any),
            _ => DeviceType::from_name(part)
                .map(Which::Type)
                .or_else(|| part.parse().ok().map(Which::Number))
                .ok_or_else(|| format!("{part:?} is neither a device type, nor a number, nor '*'")),
        })
        .collect::<Result<_, _>>()?;
    Ok(Term { hides, backend, which })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn native() -> DeviceInfo {
        situ_cpu::platform().devices()[0].info().clone()
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
        ] {
            assert_eq!(Visibility::parse(text).unwrap().shows(&native(), 0), visible, "{text}");
        }
        for text in ["intel", "native:x", "native:cpu:0"] {
            assert!(Visibility::parse(text).is_err(), "{text}");
        }
    }
}
