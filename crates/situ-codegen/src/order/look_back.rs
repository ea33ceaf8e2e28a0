//! Decoupled look-back: tiles learn what comes before them from what earlier ones say of themselves.
//!
//! A tile's word holds a number and how far it goes in the two highest bits, so that both are seen at once and nothing
//! has to be put in order: 0 says nothing yet, [partial](Words::partial) that it is the tile's own, and
//! [complete](Words::complete) that it is of all tiles up to this one. Tiles are numbered in the order in which blocks
//! begin, so that those before a tile are under way whenever it waits for them.

/// The words that tiles leave for later ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    /// Whether numbers may take more than 30 bits.
    pub(super) wide: bool,
    /// Words from one tile's to the next one's.
    pub(super) step: u32,
    /// Words that are read at once.
    pub(super) window: u32,
}

impl Words {
    /// The type of words.
    pub(super) fn of(self) -> &'static str {
        if self.wide { "u64" } else { "u32" }
    }

    pub(super) fn partial(self) -> &'static str {
        if self.wide { "0x4000000000000000u" } else { "0x40000000u" }
    }

    pub(super) fn complete(self) -> &'static str {
        if self.wide { "0x8000000000000000u" } else { "0x80000000u" }
    }

    /// A function `look_back(own, tiles)`: the sum of what so many tiles before have, of which the first is complete from
    /// the beginning.
    pub(super) fn look_back(self) -> String {
        let Words { step, window, .. } = self;
        let (of, partial, complete) = (self.of(), self.partial(), self.complete());
        format!(
            "// What the tiles before have together, from their words.
INLINE {of} look_back(volatile GLOBAL const {of} *own, u32 tiles) {{
    {of} before = 0;
    for (;;) {{
        {of} words[{window}];
        UNROLL for (u32 n = 0; n < {window}u; n++) words[n] = n < tiles ? *(own - (n + 1u) * {step}u) : 0;
        UNROLL for (u32 n = 0; n < {window}u; n++) {{
            if (words[n] < {partial}) break;
            before += words[n] & ({partial} - 1u);
            if (words[n] >= {complete}) return before;
            own -= {step}u;
            tiles -= 1u;
        }}
    }}
}}\n\n"
        )
    }
}
