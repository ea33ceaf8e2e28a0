//! Where indexing runs.

use situ_runtime::placement::{self, Placed, Rule};
use situ_types::UsmKind;
use smallvec::SmallVec;

use super::Item;
use crate::{Result, Tensor};

/// The kind of memory of a result, or an error if the arrays of a call, each with its name, are on different queues.
pub(crate) fn together(operation: &str, arrays: &[(&str, &Tensor)]) -> Result<UsmKind> {
    let placed = arrays.iter().map(|(name, array)| Placed { name, queue: array.queue(), kind: array.kind() });
    Ok(placement::resolve(operation, placed, Rule::SameQueue)?.1)
}

/// The same for an array, the arrays of a key and a value to assign.
pub(super) fn with_key(array: &Tensor, items: &[Item<'_>], value: Option<&Tensor>) -> Result<UsmKind> {
    let keys: SmallVec<[(usize, &Tensor); 4]> = items
        .iter()
        .enumerate()
        .filter_map(|(n, item)| match item {
            Item::Array(key) => Some((n, *key)),
            _ => None,
        })
        .collect();
    let agree = keys.iter().map(|(_, key)| *key).chain(value).all(|other| other.queue() == array.queue());
    if agree {
        let kind = keys.iter().fold(array.kind(), |kind, (_, key)| kind.coerce(key.kind()));
        return Ok(kind);
    }
    // Names cost allocations, which only the error needs.
    let names: SmallVec<[String; 4]> =
        keys.iter().map(|(n, _)| if items.len() == 1 { "key".into() } else { format!("key[{n}]") }).collect();
    let mut arrays: SmallVec<[(&str, &Tensor); 4]> = SmallVec::new();
    arrays.push(("x", array));
    arrays.extend(names.iter().zip(&keys).map(|(name, (_, key))| (name.as_str(), *key)));
    arrays.extend(value.map(|value| ("value", value)));
    together("indexing", &arrays)
}
