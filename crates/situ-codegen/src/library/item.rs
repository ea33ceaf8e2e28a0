//! One item of the library, as it is written and as it is made for a dtype.

use situ_types::DType;

use super::token::{Token, tokens, without_comments};
use crate::dialect::{from_suffix, suffix, type_name, unsigned};

/// A piece of the library that is used as a whole.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// The text, comment included.
    pub(super) text: &'static str,
    /// The dtypes it is made for; none if it is used as it stands.
    pub(super) dtypes: Vec<DType>,
    /// The names it defines, before any replacement.
    pub(super) defines: Vec<&'static str>,
}

/// The items of a file.
pub(super) fn items(file: &'static str) -> Vec<Item> {
    let mut dtypes = Vec::new();
    let mut items = Vec::new();
    for paragraph in file.split("\n\n") {
        let mut text = paragraph.trim_matches('\n');
        // A line that says for what stands alone or on top of the first item.
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        if first == "// once" {
            (dtypes, text) = (Vec::new(), rest);
        } else if let Some(list) = first.strip_prefix("// for ")
            && let Some(listed) = list.split(' ').map(from_suffix).collect()
        {
            (dtypes, text) = (listed, rest);
        }
        if !text.is_empty() {
            items.push(Item { text, dtypes: dtypes.clone(), defines: defined(text) });
        }
    }
    items
}

/// The names an item defines: macros, types, functions and variables.
fn defined(text: &'static str) -> Vec<&'static str> {
    let bare = without_comments(text);
    // Positions in `bare` differ from those in `text`, which lives longer: find the name again there.
    let lasting = |name: &str| text.find(name).map(|start| &text[start..start + name.len()]);
    let mut names: Vec<&str> = Vec::new();
    let mut code = String::new();
    let mut continues = false;
    for line in bare.lines() {
        if let Some(rest) = line.strip_prefix("#define ") {
            names.extend(tokens(rest).find_map(|(_, token)| if let Token::Name(n) = token { Some(n) } else { None }));
        }
        if !line.starts_with('#') && !continues {
            code.push_str(line);
            code.push('\n');
        }
        continues = (line.starts_with('#') || continues) && line.ends_with('\\');
    }
    let (mut depth, mut is_type, mut last) = (0usize, false, None);
    for (_, token) in tokens(&code) {
        match token {
            Token::Name("typedef") => is_type = true,
            Token::Name(name) if depth == 0 => last = Some(name),
            Token::Mark(mark) => {
                let ends_name = if is_type { mark == ';' } else { matches!(mark, '(' | '[' | '=') };
                if depth == 0 && ends_name {
                    names.extend(last.take().and_then(lasting));
                }
                match mark {
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth = depth.saturating_sub(1),
                    ';' if depth == 0 => is_type = false,
                    _ => {}
                }
            }
            _ => {}
        }
    }
    names.into_iter().filter_map(lasting).collect()
}

/// A name as it is for a dtype.
pub(super) fn name_for(name: &str, dtype: DType) -> String {
    let replaced = |part: &str| match part {
        "T" => Some(dtype),
        "R" => Some(dtype.real_part()),
        "U" => Some(unsigned(dtype)),
        _ => None,
    };
    if let Some(replacement) = replaced(name) {
        return type_name(replacement).to_owned();
    }
    let mut parts = name.split('_');
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        made.push('_');
        made.push_str(replaced(part).map_or(part, |dtype| suffix(dtype)));
    }
    made
}

/// A text as it is for a dtype. Comments are left as they are but for the same names.
pub(super) fn text_for(text: &str, dtype: DType) -> String {
    let mut made = String::with_capacity(text.len());
    let mut copied = 0;
    for (start, token) in tokens(text) {
        if let Token::Name(name) = token {
            made.push_str(&text[copied..start]);
            made.push_str(&name_for(name, dtype));
            copied = start + name.len();
        }
    }
    made.push_str(&text[copied..]);
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_definition_is_found() {
        assert_eq!(defined("INLINE T f_T(T a) { return g_T(a); }"), ["f_T"]);
        assert_eq!(defined("CONSTANT u32 table[3] = {1, 2, 3};"), ["table"]);
        assert_eq!(defined("static u32 a[3], b[2];"), ["a", "b"]);
        assert_eq!(defined("typedef struct ALIGNED(8) { f32 re; f32 im; } c64;"), ["c64"]);
        assert_eq!(defined("// one\n#define A_T 1.0\n#define B_T(x) \\\n    f(x)"), ["A_T", "B_T"]);
    }

    #[test]
    fn names_are_made_for_dtypes() {
        assert_eq!(text_for("R f_T_i8(T a, U b);", DType::C64), "f32 f_c64_i8(c64 a, u32 b);");
        assert_eq!(text_for("T f_T(T a);", DType::Bool), "u8 f_bool(u8 a);");
    }
}
