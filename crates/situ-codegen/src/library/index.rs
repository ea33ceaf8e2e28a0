//! Where in the library each name is defined.

use std::collections::HashMap;
use std::sync::OnceLock;

use situ_types::DType;

use super::item::{Item, items, name_for, text_for};
use super::{FILES, MATHEMATICS};
use crate::Dialect;

/// An item for a dtype: the item's number, and the dtype's place in its list.
pub(super) type Place = (usize, usize);

/// The library of one dialect.
#[derive(Debug)]
pub(super) struct Index {
    items: Vec<Item>,
    places: HashMap<String, Place>,
    /// The first item of mathematics.
    mathematics: usize,
    /// Names defined more than once: mistakes in the library's files.
    #[cfg(test)]
    repeated: Vec<String>,
}

impl Index {
    /// The library of a dialect, read once.
    pub(super) fn of(dialect: Dialect) -> &'static Index {
        static CUDA: OnceLock<Index> = OnceLock::new();
        static OPENCL: OnceLock<Index> = OnceLock::new();
        static PROCESSOR: OnceLock<Index> = OnceLock::new();
        static HOST: OnceLock<Index> = OnceLock::new();
        let opencl = include_str!("../prelude/opencl.c");
        match dialect {
            Dialect::Cuda => CUDA.get_or_init(|| Index::read(&[include_str!("../prelude/cuda.c")])),
            Dialect::OpenCl => {
                OPENCL.get_or_init(|| Index::read(&[opencl, include_str!("../prelude/opencl_threads.c")]))
            }
            Dialect::Processor => {
                PROCESSOR.get_or_init(|| Index::read(&[opencl, include_str!("../prelude/opencl_processor.c")]))
            }
            Dialect::Host => HOST.get_or_init(|| Index::read(&[include_str!("../prelude/host.c")])),
        }
    }

    fn read(prelude: &[&'static str]) -> Index {
        let mut all: Vec<Item> = prelude.iter().flat_map(|text| items(text)).collect();
        let mut mathematics = usize::MAX;
        for &(name, text) in FILES {
            if name == MATHEMATICS {
                mathematics = all.len();
            }
            all.extend(items(text));
        }
        let items = all;
        let mut places = HashMap::new();
        #[cfg(test)]
        let mut repeated = Vec::new();
        for (number, item) in items.iter().enumerate() {
            for &name in &item.defines {
                let made: Vec<String> = match &item.dtypes[..] {
                    [] => vec![name.to_owned()],
                    dtypes => dtypes.iter().map(|&dtype| name_for(name, dtype)).collect(),
                };
                for (which, name) in made.into_iter().enumerate() {
                    #[cfg(test)]
                    if places.contains_key(&name) {
                        repeated.push(name.clone());
                    }
                    places.insert(name, (number, which));
                }
            }
        }
        Index {
            items,
            places,
            mathematics,
            #[cfg(test)]
            repeated,
        }
    }

    /// Where a name is defined.
    pub(super) fn place_of(&self, name: &str) -> Option<Place> {
        self.places.get(name).copied()
    }

    /// Whether an item is mathematics.
    pub(super) fn is_mathematics(&self, (number, _): Place) -> bool {
        number >= self.mathematics
    }

    /// The text of an item.
    pub(super) fn text_of(&self, (number, which): Place) -> String {
        let item = &self.items[number];
        let dtype: Option<&DType> = item.dtypes.get(which);
        dtype.map_or_else(|| item.text.to_owned(), |&dtype| text_for(item.text, dtype))
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::names;
    use super::*;

    #[test]
    fn no_name_is_defined_twice() {
        for dialect in Dialect::ALL {
            assert_eq!(Index::of(dialect).repeated, Vec::<String>::new());
        }
    }

    #[test]
    fn items_use_what_comes_before_them() {
        for dialect in Dialect::ALL {
            let index = Index::of(dialect);
            for (number, item) in index.items.iter().enumerate() {
                // A macro needs its names where it is used, not where it is defined.
                if item.text.lines().any(|line| line.starts_with("#define")) {
                    continue;
                }
                for which in 0..item.dtypes.len().max(1) {
                    let text = index.text_of((number, which));
                    for name in names(&text) {
                        let place = index.place_of(name).unwrap_or_default();
                        assert!(place <= (number, which), "{name} is used before it is defined, in\n{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn no_name_is_a_keyword_of_another_dialect() {
        let opencl = ["half", "uchar", "ushort", "uint", "ulong", "kernel", "global", "local", "private", "constant"];
        let cuda = ["class", "new", "delete", "this", "operator", "template", "and", "or", "not", "xor", "bool"];
        for (file, text) in FILES {
            for name in names(text) {
                assert!(!opencl.contains(&name) && !cuda.contains(&name), "{file}.c uses the name {name}");
            }
        }
    }
}
