//! The names in a text.

/// The text without its comments, which take the form `// …`.
pub(super) fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or_default().trim_end()).collect::<Vec<_>>().join("\n")
}

/// A name, a number or a single other character, with where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name or a keyword.
    Name(&'a str),
    /// A number, suffixes included, so that these are not taken for names.
    Number,
    /// Anything else but white space.
    Mark(char),
}

/// The tokens of a text without comments.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = (usize, Token<'_>)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(|c: char| !c.is_whitespace())?;
        let first = text[start..].chars().next()?;
        if !is_part(first) {
            rest = start + first.len_utf8();
            return Some((start, Token::Mark(first)));
        }
        let is_number = first.is_ascii_digit();
        let is_inside = |c: char| is_part(c) || (is_number && c == '.');
        rest = text[start..].find(|c| !is_inside(c)).map_or(text.len(), |length| start + length);
        Some((start, if is_number { Token::Number } else { Token::Name(&text[start..rest]) }))
    })
}

/// Every name in a text, outside its comments.
pub(super) fn names(text: &str) -> Vec<&str> {
    text.lines()
        .flat_map(|line| tokens(line.split("//").next().unwrap_or_default()))
        .filter_map(|(_, token)| if let Token::Name(name) = token { Some(name) } else { None })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_comments_hold_no_names() {
        assert_eq!(names("x = 0x1p112f * 1.5f + 7u; // y\ny2(z_T)"), ["x", "y2", "z_T"]);
    }
}
