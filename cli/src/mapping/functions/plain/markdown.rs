//! Markdown: CommonMark with the tables and the struck-out text of GitHub. HTML in it is read as
//! HTML. The only file that knows the parser.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, html::push_html};

use super::{LENGTH_MAX, NoPlainText, html};

/// Items that make a list of lines which begin alike.
const ITEMS_MIN: usize = 2;

/// The plain text of Markdown, as [`super::plain`] makes it of the HTML that it stands for; blank
/// is none.
pub(in crate::mapping) fn markdown(text: &str) -> Result<Option<String>, NoPlainText> {
    if LENGTH_MAX < text.len() {
        return Err(NoPlainText::TooLong);
    }
    let mut page = String::new();
    push_html(&mut page, parser(text));
    let read = html::read(&page)?;
    Ok((!read.is_empty()).then_some(read))
}

/// Whether a text seems to be Markdown: it has a heading, bold text, a link, a picture, code
/// between fences or a list of two items. Emphasis, quotes and indented lines prove nothing.
pub(in crate::mapping) fn is_likely(text: &str) -> bool {
    let mut items = 0;
    may_have_signs(text)
        && parser(text)
            .into_offset_iter()
            .any(|(event, range)| match event {
                Event::Start(Tag::Heading { .. }) => text[range].trim_start().starts_with('#'),
                Event::Start(Tag::Strong) => stands_apart(text, range),
                Event::Start(Tag::Link { dest_url, .. }) => {
                    text[range].starts_with('[') && !dest_url.is_empty()
                }
                Event::Start(Tag::Image { .. }) => true,
                Event::Start(Tag::CodeBlock(kind)) => matches!(kind, CodeBlockKind::Fenced(_)),
                Event::Start(Tag::List(_)) => {
                    items = 0;
                    false
                }
                Event::Start(Tag::Item) => {
                    items += 1;
                    items == ITEMS_MIN
                }
                _ => false,
            })
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)
}

/// Most texts have nothing of Markdown, and need not be read as such.
fn may_have_signs(text: &str) -> bool {
    ["# ", "**", "__", "](", "][", "```", "~~~"]
        .iter()
        .any(|sign| text.contains(sign))
        || text
            .lines()
            .filter(|line| begins_item(line))
            .nth(1)
            .is_some()
}

fn begins_item(line: &str) -> bool {
    let line = line.trim_start();
    let after_mark = line.strip_prefix(['-', '*', '+']).or_else(|| {
        let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
        (digits.len() < line.len()).then(|| digits.strip_prefix(['.', ')']))?
    });
    after_mark.is_some_and(|rest| rest.starts_with([' ', '\t']))
}

/// Whether no letter or digit touches a part of a text: asterisks between these may be anything.
fn stands_apart(text: &str, part: std::ops::Range<usize>) -> bool {
    let before = text[..part.start].chars().next_back();
    let after = text[part.end..].chars().next();
    !before.into_iter().chain(after).any(char::is_alphanumeric)
}
