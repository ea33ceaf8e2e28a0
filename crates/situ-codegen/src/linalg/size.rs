//! Sizes that there are texts for.

/// Columns that a block takes by pairs: a power of two of pairs, with some threads each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pairs {
    /// How many pairs there are at most.
    pub(super) count: u32,
}

impl Pairs {
    /// For so many columns.
    pub(super) fn of(columns: usize) -> Pairs {
        Pairs { count: columns.div_ceil(2).next_power_of_two().max(2) as u32 }
    }

    /// Columns that there is room for.
    pub(super) fn columns(self) -> u32 {
        2 * self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_every_column() {
        for columns in 1..300 {
            let pairs = Pairs::of(columns);
            assert!(pairs.columns() as usize >= columns && pairs.count.is_power_of_two());
            assert!(pairs.count == 2 || (pairs.columns() as usize) < 2 * columns);
        }
    }
}
