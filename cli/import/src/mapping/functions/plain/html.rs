//! Extracts the text of HTML.
//!
//! Only the tokens are read and no tree is built: texts come from editors in web pages, and their
//! tags alone separate paragraphs, items and rows. So no nesting is too deep, and broken HTML reads
//! as it does in browsers.

mod markup;

use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

pub(super) use self::markup::is_html;
use super::page::{NoPlainText, Page};
use super::systems::Kind;

/// Bytes tokenized at a time.
const PIECE: usize = 4 * 1024;
/// The most blanks, slashes and quotes in one tag, which limits its attributes: the tokenizer
/// compares each attribute with all others, so time grows with the square of their number. The
/// limit is high because pictures in a tag have many slashes.
const SEPARATORS_MAX: usize = 20_000;
/// The comment before content that Ghost shows only to members.
const MEMBERS_ONLY: &str = "members-only";
/// If a text has one of these elements, its line breaks are only white space.
const LINES: [&str; 3] = ["br", "div", "p"];

/// The text of `html`, whose length must be within the limit.
pub(super) fn read(html: &str) -> Result<String, NoPlainText> {
    let reader = Reader {
        keeps_lines: !markup::has_element(html, &LINES),
        ..Reader::default()
    };
    let tokenizer = Tokenizer::new(reader, TokenizerOpts::default());
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

/// How the tags of an element are treated.
enum Element {
    Of(Kind),
    /// Keeps its line breaks.
    Preformatted,
    /// Its contents are not text of the page.
    Dropped(RawKind),
}

impl Element {
    fn of(tag: &Tag) -> Self {
        Self::Of(match &*tag.name {
            // SVG is not HTML, so its elements can be self-closing.
            "svg" if tag.self_closing => Kind::Text,
            "br" => Kind::Break,
            "ul" | "menu" | "ol" => Kind::List,
            "li" => Kind::Item,
            "table" => Kind::Table,
            "tr" => Kind::Row,
            "td" | "th" => Kind::Cell,
            "pre" => return Self::Preformatted,
            "script" => return Self::Dropped(RawKind::ScriptData),
            "style" | "iframe" | "noembed" | "noframes" | "svg" => {
                return Self::Dropped(RawKind::Rawtext);
            }
            "title" | "textarea" => return Self::Dropped(RawKind::Rcdata),
            "address" | "caption" | "dd" | "dt" | "figcaption" | "h1" | "h2" | "h3" | "h4"
            | "h5" | "h6" | "p" | "summary" => Kind::Paragraph,
            "article" | "aside" | "blockquote" | "body" | "details" | "div" | "dl" | "fieldset"
            | "figure" | "footer" | "form" | "header" | "hr" | "html" | "main" | "nav"
            | "section" => Kind::Group,
            _ => Kind::Text,
        })
    }

    /// Whether it is part of a line, so the text before and after it belongs together.
    const fn is_within_line(&self) -> bool {
        matches!(self, Self::Of(Kind::Text) | Self::Dropped(_))
    }

    /// Whether its text is one paragraph, regardless of line breaks.
    const fn is_paragraph(&self) -> bool {
        matches!(self, Self::Of(Kind::Paragraph | Kind::Item | Kind::Cell))
    }
}

/// The number of the first item of a list, or of an item, if the tag has one.
fn number(tag: &Tag) -> Option<u64> {
    let attribute = match &*tag.name {
        "ol" => "start",
        "li" => "value",
        _ => return None,
    };
    let mut attributes = tag.attrs.iter();
    let attribute = attributes.find(|of| &*of.name.local == attribute)?;
    attribute.value.trim().parse().ok()
}

/// Writes the text of the tokens to a page.
#[derive(Default)]
struct Reader {
    page: RefCell<Page>,
    /// Whether the text belongs to an element whose contents are dropped.
    is_dropping: Cell<bool>,
    preformatted: Cell<usize>,
    /// Whether the text belongs to an element that is one paragraph.
    is_in_paragraph: Cell<bool>,
    /// Line breaks since the last word, in text outside of paragraphs.
    line_breaks: Cell<usize>,
    /// Whether a single line break ends a line.
    keeps_lines: bool,
    /// Characters since the last token that may separate attributes.
    separators: Cell<usize>,
}

impl Reader {
    /// Counts the separators in the next piece; rejects a tag that may have too many attributes.
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
        if 0 < self.preformatted.get() {
            self.page.borrow_mut().write(text);
        } else if self.is_in_paragraph.get() {
            self.page.borrow_mut().write_collapsed(text);
        } else {
            text.split_inclusive('\n')
                .for_each(|line| self.line_by_itself(line));
        }
    }

    /// Adds a line, or a part of one, of text outside of paragraphs.
    fn line_by_itself(&self, line: &str) {
        if !line.trim_ascii().is_empty() {
            self.end_line();
        }
        self.page.borrow_mut().write_collapsed(line);
        let more = usize::from(line.ends_with('\n'));
        self.line_breaks.set(self.line_breaks.get() + more);
    }

    /// Applies the line breaks before a word.
    fn end_line(&self) {
        match self.line_breaks.take() {
            1 if self.keeps_lines => self.page.borrow_mut().break_line(),
            0 | 1 => {}
            _ => self.page.borrow_mut().part(),
        }
    }

    /// Notes where the text that follows a tag belongs.
    fn enter(&self, element: &Element, is_start: bool) {
        if element.is_within_line() {
            return;
        }
        if matches!(element, Element::Of(Kind::Break)) {
            return self.end_line();
        }
        self.line_breaks.set(0);
        self.is_in_paragraph.set(is_start && element.is_paragraph());
    }

    fn start(&self, element: &Element, number: Option<u64>) -> TokenSinkResult<()> {
        self.enter(element, true);
        let mut page = self.page.borrow_mut();
        match element {
            Element::Of(kind) => page.open(*kind, number),
            Element::Preformatted => {
                page.part();
                self.preformatted.set(self.preformatted.get() + 1);
            }
            Element::Dropped(kind) => {
                self.is_dropping.set(true);
                return TokenSinkResult::RawData(*kind);
            }
        }
        TokenSinkResult::Continue
    }

    fn end(&self, element: &Element) {
        self.enter(element, false);
        let mut page = self.page.borrow_mut();
        match element {
            // Browsers treat `</br>` as `<br>`.
            Element::Of(Kind::Break) => page.break_line(),
            Element::Of(kind) => page.close(*kind),
            Element::Preformatted => {
                page.part();
                self.preformatted
                    .set(self.preformatted.get().saturating_sub(1));
            }
            Element::Dropped(_) => self.is_dropping.set(false),
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
                match tag.kind {
                    TagKind::StartTag => return self.start(&element, number(&tag)),
                    TagKind::EndTag => self.end(&element),
                }
            }
            Token::CommentToken(comment) if comment.trim() == MEMBERS_ONLY => {
                self.page.borrow_mut().open(Kind::End, None);
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}
