//! Rows of words, in brackets and lines.

/// The elements of an array as text, in C order and of equal length in sight.
pub(super) struct Brackets<'a> {
    pub(super) words: &'a [String],
    /// The lengths of the whole array's axes.
    pub(super) shape: &'a [usize],
    pub(super) separator: &'a str,
    /// How many elements there are of each end of an axis that is longer than twice that.
    pub(super) edge: usize,
}

impl Brackets<'_> {
    /// The text, whose lines after the first are indented, and have no more than `width` characters.
    pub(super) fn write(&self, indent: usize, width: usize) -> String {
        self.part(0, self.words, indent, width)
    }

    /// How many elements of an axis are shown, and before which of them the gap is.
    fn kept(&self, axis: usize) -> (usize, Option<usize>) {
        let length = self.shape[axis];
        let is_cut = self.edge.checked_mul(2).is_some_and(|kept| length > kept);
        if is_cut { (2 * self.edge, Some(self.edge)) } else { (length, None) }
    }

    fn part(&self, axis: usize, words: &[String], indent: usize, width: usize) -> String {
        let axes_left = self.shape.len() - axis;
        if axes_left == 0 {
            return words.concat();
        }
        let text = if axes_left == 1 { self.row(words, indent, width) } else { self.rows(axis, words, indent, width) };
        format!("[{}]", &text[indent..])
    }

    /// The last axis: lines are broken where the next word would not fit.
    fn row(&self, words: &[String], indent: usize, width: usize) -> String {
        let width = width.saturating_sub(self.separator.trim_end().len().max(1));
        let (mut text, mut line) = (String::new(), " ".repeat(indent));
        let (_, gap) = self.kept(self.shape.len() - 1);
        let mut add = |word: &str, is_first: bool| {
            if !is_first {
                line += self.separator;
            }
            if line.len() + word.len() > width && line.len() > indent {
                text += line.trim_end();
                text.push('\n');
                line = " ".repeat(indent);
            }
            line += word;
        };
        for (at, word) in words.iter().enumerate() {
            if gap == Some(at) {
                add("...", at == 0);
            }
            add(word, at == 0);
        }
        text + &line
    }

    /// Any other axis: a line for each part, with as many empty ones between as there are axes below.
    fn rows(&self, axis: usize, words: &[String], indent: usize, width: usize) -> String {
        let (count, gap) = self.kept(axis);
        let between = self.separator.trim_end().to_owned() + &"\n".repeat(self.shape.len() - axis - 1);
        let margin = " ".repeat(indent);
        let mut parts = Vec::with_capacity(count + 1);
        for (at, words) in words.chunks(words.len() / count).enumerate() {
            if gap == Some(at) {
                parts.push(margin.clone() + "...");
            }
            parts.push(margin.clone() + &self.part(axis + 1, words, indent + 1, width.saturating_sub(1)));
        }
        parts.join(&between)
    }
}
