//! Assembles plain text from paragraphs, items of lists and rows of tables.

use super::systems::Kind;

/// Maximum length of a text in bytes, including markup.
pub(super) const LENGTH_MAX: usize = 1024 * 1024;
/// Deepest nesting of the parts of a text.
pub(super) const PARTS_DEPTH_MAX: usize = 100;
/// The mark before an item of a list without numbers.
const ITEM_MARK: &str = "- ";
/// The separator between the cells of a row.
const CELL_SEPARATOR: &str = " | ";

/// Why a value has no plain text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::mapping) enum NoPlainText {
    /// Neither a text nor one of the known forms of rich text.
    #[error(
        "could not read {found} as a text: known are texts, HTML, Portable Text, rich text of \
         Contentful, DatoCMS, Notion, Payload, Prismic, Storyblok, Strapi and Wagtail, and \
         documents of Editor.js, Lexical, ProseMirror, Quill and Slate; [rich_text.blocks] says \
         what other kinds of nodes are"
    )]
    UnknownForm {
        /// A short description of the value.
        found: String,
    },
    /// The text is neither prose nor valid JSON.
    #[error("could not read the text: it begins like JSON, and cannot be read as such: {why}")]
    BrokenJson {
        /// What is wrong with the JSON.
        why: String,
    },
    /// The parts of the text are nested too deeply.
    #[error("could not read the text: its parts are nested more than {PARTS_DEPTH_MAX} deep")]
    TooDeep,
    /// An HTML tag is too long.
    #[error("could not read the text: a tag or comment of its HTML is too long")]
    LongTag,
    /// The text is too long.
    #[error("could not read the text: it has more than {LENGTH_MAX} bytes")]
    TooLong,
}

impl NoPlainText {
    /// The same error for a value that was parsed from a text.
    pub(super) fn within_a_text(self) -> Self {
        match self {
            Self::UnknownForm { found } => Self::UnknownForm {
                found: format!("a text that is the JSON of {found}"),
            },
            other => other,
        }
    }
}

/// A text being written. Every list and table must be begun and ended.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// Finished blocks, except blank ones.
    text: String,
    /// Whether the last finished block belongs to a list.
    ends_in_list: bool,
    /// The block being written.
    open: String,
    /// The mark of the item of which the block being written is the beginning.
    item_mark: Option<String>,
    /// For each list that was begun the number of its next item, if its items have numbers.
    lists: Vec<Option<u64>>,
    tables: usize,
    /// Bytes written, including white space.
    length: usize,
    /// Whether the rest is for members only.
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

    /// Adds text with every run of white space replaced by one blank.
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

    /// Begins what a kind stands for; a list may have the number of its first item, and an item its
    /// own.
    pub(super) fn open(&mut self, kind: Kind, number: Option<u64>) {
        match kind {
            Kind::Paragraph | Kind::Group => self.part(),
            Kind::List => self.begin_list(number),
            Kind::Item => self.begin_item(number),
            Kind::Table => self.begin_table(),
            Kind::Row => self.begin_row(),
            Kind::Cell => self.begin_cell(),
            Kind::Break => self.break_line(),
            Kind::End => self.is_closed = true,
            Kind::Text | Kind::Ignored => {}
        }
    }

    /// Ends what a kind stands for; does no harm if it was not begun.
    pub(super) fn close(&mut self, kind: Kind) {
        match kind {
            Kind::Paragraph | Kind::Group => self.part(),
            Kind::List => self.end_list(),
            Kind::Item => self.end_item(),
            Kind::Table => self.end_table(),
            _ => {}
        }
    }

    /// Ends the line.
    pub(super) fn break_line(&mut self) {
        self.write("\n");
    }

    /// Begins or ends a paragraph. In an item this only ends the line, in a cell it only adds a
    /// blank.
    pub(super) fn part(&mut self) {
        if 0 < self.tables {
            self.write_collapsed(" ");
        } else if self.lists.is_empty() && self.item_mark.is_none() {
            self.end_block();
        } else if !self.open.trim().is_empty() && !self.open.ends_with('\n') {
            self.break_line();
        }
    }

    /// Begins a list. Items have numbers only if the `first` one is not 1: a text may refer to
    /// such a number, or it is a year.
    fn begin_list(&mut self, first: Option<u64>) {
        self.end_block();
        self.lists.push(first.filter(|first| *first != 1));
    }

    fn end_list(&mut self) {
        self.end_block();
        self.lists.pop();
    }

    /// Begins an item, which also ends the previous one. In a list with numbers it may have one of
    /// its own.
    fn begin_item(&mut self, number: Option<u64>) {
        if 0 < self.tables {
            return self.part();
        }
        self.end_block();
        let mark = match self.lists.last_mut() {
            Some(Some(next)) => {
                let number = number.unwrap_or(*next);
                *next = number.saturating_add(1);
                format!("{number}. ")
            }
            _ => ITEM_MARK.to_owned(),
        };
        self.item_mark = Some(mark);
    }

    fn end_item(&mut self) {
        if self.tables == 0 {
            self.end_block();
        }
    }

    fn begin_table(&mut self) {
        if self.tables == 0 {
            self.part();
        }
        self.tables += 1;
    }

    fn end_table(&mut self) {
        self.tables = self.tables.saturating_sub(1);
        if self.tables == 0 {
            self.part();
        }
    }

    fn begin_row(&mut self) {
        if !self.open.is_empty() {
            self.break_line();
        }
    }

    fn begin_cell(&mut self) {
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
        let mark = self.item_mark.take();
        if block.is_empty() {
            return;
        }
        let is_in_list = mark.is_some() || !self.lists.is_empty();
        if !self.text.is_empty() {
            let separator = if self.ends_in_list && is_in_list {
                "\n"
            } else {
                "\n\n"
            };
            self.text.push_str(separator);
        }
        self.text.push_str(&mark.unwrap_or_default());
        self.text.push_str(&block);
        self.ends_in_list = is_in_list;
    }
}

/// The lines of a block, trimmed, with no blank lines at either end and no two in a row.
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
