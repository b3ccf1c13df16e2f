//! Markdown: CommonMark with the tables and the struck-out text of GitHub. HTML in it is read as
//! HTML. The only file that knows the parser.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, html::push_html};

use super::html;
use super::page::{LENGTH_MAX, NoPlainText, PARTS_DEPTH_MAX};

/// The plain text of Markdown, as [`super::plain`] makes it of the HTML that it stands for; blank
/// is none.
pub(in crate::mapping) fn markdown(text: &str) -> Result<Option<String>, NoPlainText> {
    if LENGTH_MAX < text.len() {
        return Err(NoPlainText::TooLong);
    }
    if is_too_deep(text) {
        return Err(NoPlainText::TooDeep);
    }
    let mut page = String::new();
    push_html(&mut page, parser(text));
    let read = html::read(&page)?;
    Ok((!read.is_empty()).then_some(read))
}

/// Whether a text seems to be Markdown: it has a heading, bold text, a link, a picture, or code
/// between fences. Lists, emphasis, quotes and indented lines are those of prose as well, and read
/// as well with their marks.
pub(in crate::mapping) fn is_likely(text: &str) -> bool {
    may_have_signs(text)
        && !is_too_deep(text)
        && parser(text)
            .into_offset_iter()
            .any(|(event, range)| match event {
                Event::Start(Tag::Heading { .. }) => text[range].trim_start().starts_with('#'),
                Event::Start(Tag::Strong) => stands_apart(text, range),
                Event::Start(Tag::Link { dest_url, .. }) => {
                    text[range].starts_with('[') && !dest_url.is_empty()
                }
                Event::Start(Tag::Image { .. }) => true,
                // Tildes are also a line that is drawn between parts.
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                    text[range].starts_with('`')
                }
                _ => false,
            })
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)
}

/// Most texts have nothing of Markdown, and need not be read as such.
fn may_have_signs(text: &str) -> bool {
    let signs = ["# ", "**", "__", "](", "][", "```"];
    signs.iter().any(|sign| text.contains(sign))
}

/// Whether a line begins with more marks of quotes and items than parts may be nested. The parser
/// takes time with their number times that of all the lines that follow.
fn is_too_deep(text: &str) -> bool {
    text.split(['\n', '\r']).any(|line| {
        let mut rest = Some(line);
        for _ in 0..=PARTS_DEPTH_MAX {
            rest = rest.and_then(without_mark);
        }
        rest.is_some() && !is_rule(line)
    })
}

/// What follows the mark of a quote or an item.
fn without_mark(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(quoted) = line.strip_prefix('>') {
        return Some(quoted);
    }
    let after = line.strip_prefix(['-', '*', '+']).or_else(|| {
        let mark = line.trim_start_matches(|c: char| c.is_ascii_digit());
        (mark.len() < line.len()).then(|| mark.strip_prefix(['.', ')']))?
    });
    after.filter(|item| item.starts_with([' ', '\t']))
}

/// Whether a line is one that is drawn between parts, and no marks of items.
fn is_rule(line: &str) -> bool {
    ['-', '*'].iter().any(|mark| {
        let mut rest = line.chars();
        rest.all(|c| c == *mark || c.is_whitespace())
    })
}

/// Whether no letter or digit touches a part of a text: asterisks between these may be anything.
fn stands_apart(text: &str, part: std::ops::Range<usize>) -> bool {
    let before = text[..part.start].chars().next_back();
    let after = text[part.end..].chars().next();
    !before.into_iter().chain(after).any(char::is_alphanumeric)
}
