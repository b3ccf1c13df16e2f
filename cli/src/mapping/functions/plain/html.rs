//! HTML, as far as its text goes.
//!
//! Only the tokens of the grammar are looked at, not their tree: texts come from editors in web
//! pages, and what tells paragraphs, items and rows apart are the tags alone. So no nesting is
//! too deep, and whatever is broken reads as browsers read it.

mod markup;

use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

pub(super) use self::markup::is_html;
use super::NoPlainText;
use super::page::Page;

/// Bytes that are read at a time.
const PIECE: usize = 4 * 1024;
/// Most blanks, slashes and quotes of one tag, hence of its attributes: comparing each attribute
/// with all others takes time with the square of their number. Pictures within a tag have many.
const SEPARATORS_MAX: usize = 20_000;

/// The text of `html`, which is no longer than the limit.
pub(super) fn read(html: &str) -> Result<String, NoPlainText> {
    let tokenizer = Tokenizer::new(Reader::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    let html = markup::without_others(html);
    let mut rest = &*html;
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(rest.floor_char_boundary(PIECE));
        rest = later;
        tokenizer.sink.expect(piece)?;
        input.push_back(StrTendril::from_slice(piece));
        let _ = tokenizer.feed(&input);
    }
    tokenizer.end();
    tokenizer.sink.page.into_inner().finish()
}

/// What is done with the tags of an element.
enum Element {
    /// Parts paragraphs.
    Block,
    /// Ends a line.
    Break,
    List,
    Item,
    Table,
    Row,
    Cell,
    /// Keeps its line breaks.
    Preformatted,
    /// Its contents are no text of the page.
    Dropped(RawKind),
    /// Stands within a line.
    Inline,
}

impl Element {
    fn of(tag: &Tag) -> Self {
        match &*tag.name {
            // Pictures are no HTML: they can be empty.
            "svg" if tag.self_closing => Self::Inline,
            "br" => Self::Break,
            "ul" | "ol" | "menu" => Self::List,
            "li" => Self::Item,
            "table" => Self::Table,
            "tr" => Self::Row,
            "td" | "th" => Self::Cell,
            "pre" => Self::Preformatted,
            "script" => Self::Dropped(RawKind::ScriptData),
            "style" | "iframe" | "noembed" | "noframes" | "svg" => Self::Dropped(RawKind::Rawtext),
            "title" | "textarea" => Self::Dropped(RawKind::Rcdata),
            "address" | "article" | "aside" | "blockquote" | "body" | "caption" | "dd"
            | "details" | "div" | "dl" | "dt" | "fieldset" | "figcaption" | "figure" | "footer"
            | "form" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "header" | "hr" | "html"
            | "main" | "nav" | "p" | "section" | "summary" => Self::Block,
            _ => Self::Inline,
        }
    }
}

/// Writes the text of the tokens to a page.
#[derive(Default)]
struct Reader {
    page: RefCell<Page>,
    /// Whether the text belongs to an element whose contents are dropped.
    is_dropping: Cell<bool>,
    preformatted: Cell<usize>,
    /// What could part attributes since the last token.
    separators: Cell<usize>,
}

impl Reader {
    /// Takes note of what is read next; refuses what would be one tag with too many attributes.
    fn expect(&self, piece: &str) -> Result<(), NoPlainText> {
        let is_separator = |c: &char| c.is_ascii_whitespace() || matches!(c, '/' | '"' | '\'');
        let more = piece.chars().filter(is_separator).count();
        self.separators.set(self.separators.get() + more);
        if SEPARATORS_MAX < self.separators.get() {
            return Err(NoPlainText::LongTag);
        }
        Ok(())
    }

    fn text(&self, text: &str) {
        if self.is_dropping.get() {
            return;
        }
        if self.preformatted.get() == 0 {
            self.page.borrow_mut().write_collapsed(text);
        } else {
            self.page.borrow_mut().write(text);
        }
    }

    fn start(&self, element: &Element) -> TokenSinkResult<()> {
        let mut page = self.page.borrow_mut();
        match element {
            Element::Block => page.part(),
            Element::Break => page.break_line(),
            Element::List => page.begin_list(),
            Element::Item => page.begin_item(),
            Element::Table => page.begin_table(),
            Element::Row => page.begin_row(),
            Element::Cell => page.begin_cell(),
            Element::Preformatted => {
                page.part();
                self.preformatted.set(self.preformatted.get() + 1);
            }
            Element::Dropped(kind) => {
                self.is_dropping.set(true);
                return TokenSinkResult::RawData(*kind);
            }
            Element::Inline => {}
        }
        TokenSinkResult::Continue
    }

    fn end(&self, element: &Element) {
        let mut page = self.page.borrow_mut();
        match element {
            Element::Block => page.part(),
            // Browsers take `</br>` for `<br>`.
            Element::Break => page.break_line(),
            Element::List => page.end_list(),
            Element::Item => page.end_item(),
            Element::Table => page.end_table(),
            Element::Preformatted => {
                page.part();
                self.preformatted
                    .set(self.preformatted.get().saturating_sub(1));
            }
            Element::Dropped(_) => self.is_dropping.set(false),
            Element::Row | Element::Cell | Element::Inline => {}
        }
    }
}

impl TokenSink for Reader {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if !matches!(token, Token::ParseError(_)) {
            self.separators.set(0);
        }
        match token {
            Token::CharacterTokens(text) => self.text(&text),
            Token::TagToken(tag) => {
                let element = Element::of(&tag);
                let kind = tag.kind;
                match kind {
                    TagKind::StartTag => return self.start(&element),
                    TagKind::EndTag => self.end(&element),
                }
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}
