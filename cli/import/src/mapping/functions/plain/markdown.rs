//! Extracts the text of Markdown: CommonMark with GitHub's tables and strikethrough. HTML in it is
//! read as HTML. The only file that knows the parser.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, html::push_html};

use super::html;
use super::page::{LENGTH_MAX, NoPlainText, PARTS_DEPTH_MAX};

/// The plain text of Markdown, as `plain` would make it from the equivalent HTML; `None`
/// if blank.
pub(in crate::mapping) fn markdown(text: &str) -> Result<Option<String>, NoPlainText> {
    if LENGTH_MAX < text.len() {
        return Err(NoPlainText::TooLong);
    }
    if is_too_deep(text) {
        return Err(NoPlainText::TooDeep);
    }
    let mut page = String::new();
    let events = parser(text).into_offset_iter();
    push_html(
        &mut page,
        events.map(|(event, range)| match event {
            Event::Start(Tag::Item) => numbered(&text[range]).unwrap_or(event),
            event => event,
        }),
    );
    let read = html::read(&page)?;
    Ok((!read.is_empty()).then_some(read))
}

/// Whether a text seems to be Markdown: it has a heading, bold text, a link, a picture or a fenced
/// code block. Lists, emphasis, quotes and indented lines do not count: prose has them too, and
/// their marks do not hurt reading.
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
                // Tildes are also used to draw a line between parts.
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                    text[range].starts_with('`')
                }
                _ => false,
            })
}

/// The beginning of an item with the number that its author gave it, if it has one.
fn numbered(item: &str) -> Option<Event<'static>> {
    let item = item.trim_start();
    let digits = item.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = item[..digits].parse().ok()?;
    Some(Event::Html(format!("<li value=\"{number}\">").into()))
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)
}

/// A quick check: most texts have no Markdown and need no parsing.
fn may_have_signs(text: &str) -> bool {
    let signs = ["# ", "**", "__", "](", "][", "```"];
    signs.iter().any(|sign| text.contains(sign))
}

/// Whether a line begins with more marks of quotes and items than parts may be nested. The parser's
/// time grows with their number times the number of following lines.
fn is_too_deep(text: &str) -> bool {
    text.split(['\n', '\r']).any(|line| {
        let mut rest = Some(line);
        for _ in 0..=PARTS_DEPTH_MAX {
            rest = rest.and_then(without_mark);
        }
        rest.is_some() && !is_rule(line)
    })
}

/// The rest of a line after the mark of a quote or an item.
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

/// Whether a line is a drawn separator rather than marks of items.
fn is_rule(line: &str) -> bool {
    ['-', '*'].iter().any(|mark| {
        let mut rest = line.chars();
        rest.all(|c| c == *mark || c.is_whitespace())
    })
}

/// Whether no letter or digit touches a part of a text: asterisks between letters or digits may
/// mean anything.
fn stands_apart(text: &str, part: std::ops::Range<usize>) -> bool {
    let before = text[..part.start].chars().next_back();
    let after = text[part.end..].chars().next();
    !before.into_iter().chain(after).any(char::is_alphanumeric)
}
