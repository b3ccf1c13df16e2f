//! The plain text being put together: paragraphs, items of lists, rows of tables.

/// Longest text that is read, in bytes, markup included.
pub(super) const LENGTH_MAX: usize = 1024 * 1024;
/// Deepest nesting of the parts of a text.
pub(super) const PARTS_DEPTH_MAX: usize = 100;
/// Marks an item of a list.
const ITEM_MARK: &str = "- ";
/// Stands between the cells of a row.
const CELL_SEPARATOR: &str = " | ";

/// Why a value has no plain text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::mapping) enum NoPlainText {
    /// Neither a text nor one of the known forms of rich text.
    #[error(
        "could not read {found} as a text: known are texts, HTML, Portable Text, rich text of \
         Contentful, blocks of Strapi, and documents of Lexical, ProseMirror and Editor.js"
    )]
    UnknownForm {
        /// A short description of the value.
        found: String,
    },
    /// A text that is neither prose nor JSON.
    #[error("could not read the text: it begins like JSON, and cannot be read as such: {why}")]
    BrokenJson {
        /// What is wrong with the JSON.
        why: String,
    },
    /// The parts of the text are nested too deep.
    #[error("could not read the text: its parts are nested more than {PARTS_DEPTH_MAX} deep")]
    TooDeep,
    /// One tag of HTML goes on and on.
    #[error("could not read the text: a tag or comment of its HTML is too long")]
    LongTag,
    /// The text is too long.
    #[error("could not read the text: it has more than {LENGTH_MAX} bytes")]
    TooLong,
}

impl NoPlainText {
    /// The same for a value that is the JSON of a text.
    pub(super) fn within_a_text(self) -> Self {
        match self {
            Self::UnknownForm { found } => Self::UnknownForm {
                found: format!("a text that is the JSON of {found}"),
            },
            other => other,
        }
    }
}

/// A text being written. A list or a table has a begin and an end.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// Finished blocks, without blank ones.
    text: String,
    /// Whether the last finished block belongs to a list.
    ends_in_list: bool,
    /// The block being written.
    open: String,
    /// Whether the block being written is the beginning of an item.
    is_item: bool,
    lists: usize,
    tables: usize,
    /// Bytes written, blank ones included.
    length: usize,
    /// Whether what comes now is not for everybody.
    is_closed: bool,
}

impl Page {
    /// Adds text as it stands, with line feeds as line breaks.
    pub(super) fn write(&mut self, text: &str) {
        if self.is_closed {
            return;
        }
        self.length = self.length.saturating_add(text.len());
        if self.length <= LENGTH_MAX {
            self.open.push_str(text);
        }
    }

    /// Adds text in which white space of any kind and length is one blank.
    pub(super) fn write_collapsed(&mut self, text: &str) {
        for piece in text.split_inclusive(|c: char| c.is_ascii_whitespace()) {
            let word = piece.trim_end_matches(|c: char| c.is_ascii_whitespace());
            self.write(word);
            let is_parted = self.open.is_empty() || self.open.ends_with([' ', '\n']);
            if word.len() < piece.len() && !is_parted {
                self.write(" ");
            }
        }
    }

    /// Leaves out everything that comes after, which is for members only.
    pub(super) const fn close(&mut self) {
        self.is_closed = true;
    }

    /// Ends the line.
    pub(super) fn break_line(&mut self) {
        self.write("\n");
    }

    /// Where a paragraph begins or ends. In an item it is only a line, in a cell only a blank.
    pub(super) fn part(&mut self) {
        if 0 < self.tables {
            self.write_collapsed(" ");
        } else if self.lists == 0 && !self.is_item {
            self.end_block();
        } else if !self.open.trim().is_empty() && !self.open.ends_with('\n') {
            self.break_line();
        }
    }

    /// Where a list begins.
    pub(super) fn begin_list(&mut self) {
        self.end_block();
        self.lists += 1;
    }

    /// Where a list ends; one that never began is no harm.
    pub(super) fn end_list(&mut self) {
        self.end_block();
        self.lists = self.lists.saturating_sub(1);
    }

    /// Where an item begins, which also ends the one before.
    pub(super) fn begin_item(&mut self) {
        if 0 < self.tables {
            return self.part();
        }
        self.end_block();
        self.is_item = true;
    }

    /// Where an item ends.
    pub(super) fn end_item(&mut self) {
        if self.tables == 0 {
            self.end_block();
        }
    }

    /// Where a table begins.
    pub(super) fn begin_table(&mut self) {
        if self.tables == 0 {
            self.part();
        }
        self.tables += 1;
    }

    /// Where a table ends; one that never began is no harm.
    pub(super) fn end_table(&mut self) {
        self.tables = self.tables.saturating_sub(1);
        if self.tables == 0 {
            self.part();
        }
    }

    /// Where a row begins.
    pub(super) fn begin_row(&mut self) {
        if !self.open.is_empty() {
            self.break_line();
        }
    }

    /// Where a cell begins.
    pub(super) fn begin_cell(&mut self) {
        let line = self.open.rsplit('\n').next().unwrap_or_default();
        if !line.trim().is_empty() {
            let end = self.open.trim_end_matches(' ').len();
            self.open.truncate(end);
            self.write(CELL_SEPARATOR);
        }
    }

    /// The finished text.
    pub(super) fn finish(mut self) -> Result<String, NoPlainText> {
        self.end_block();
        if LENGTH_MAX < self.length {
            return Err(NoPlainText::TooLong);
        }
        Ok(self.text)
    }

    fn end_block(&mut self) {
        let block = tidy(&self.open);
        self.open.clear();
        let is_item = std::mem::take(&mut self.is_item);
        if block.is_empty() {
            return;
        }
        let is_in_list = is_item || 0 < self.lists;
        if !self.text.is_empty() {
            let separator = if self.ends_in_list && is_in_list {
                "\n"
            } else {
                "\n\n"
            };
            self.text.push_str(separator);
        }
        if is_item {
            self.text.push_str(ITEM_MARK);
        }
        self.text.push_str(&block);
        self.ends_in_list = is_in_list;
    }
}

/// The lines of a block, each trimmed, without blank ones at its ends or beside each other.
fn tidy(block: &str) -> String {
    let mut tidy = String::with_capacity(block.len());
    let lines = block.trim().lines().map(str::trim);
    for line in lines {
        if line.is_empty() && tidy.ends_with("\n\n") {
            continue;
        }
        tidy.push_str(line);
        tidy.push('\n');
    }
    tidy.truncate(tidy.trim_end().len());
    tidy
}
