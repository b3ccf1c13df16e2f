//! Finds the HTML markup in a text: tags of elements, comments and character references.
//!
//! Anything else in angle brackets is text that people wrote, such as an address or a key to press,
//! and must not be lost.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

/// The elements of HTML, obsolete ones that browsers still know, and those that word processors and
/// editors add.
const ELEMENTS: &str = "\
    a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br button canvas caption center cite code col colgroup data datalist \
    dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form \
    frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label \
    legend li link main map mark marquee menu meta meter nav nobr noembed noframes noscript o:p \
    object oembed ol optgroup option output p param picture plaintext pre progress q rb rp rt \
    rtc ruby s samp script search section select slot small source span strike strong style sub \
    summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul \
    var video wbr xmp";
/// The same, to be looked up.
static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| ELEMENTS.split(' ').collect());
/// Other beginnings of markup, in lower case and without the `<`.
const DECLARATIONS: [&str; 4] = ["!--", "!doctype", "![cdata[", "?xml"];

/// Whether a text has markup.
pub(in super::super) fn is_html(text: &str) -> bool {
    tags_and_others(text).any(|(_, is_markup)| is_markup)
        || text.split('&').skip(1).any(begins_reference)
}

/// Whether a text has a tag of one of these elements.
pub(super) fn has_element(text: &str, names: &[&str]) -> bool {
    let mut tags = text.split('<').skip(1);
    tags.any(|rest| element(rest).is_some_and(|name| names.contains(&name.as_str())))
}

/// The same text with every `<` escaped that does not begin markup.
pub(super) fn without_others(text: &str) -> Cow<'_, str> {
    let mut escaped = String::new();
    let mut done = 0;
    for (at, _) in tags_and_others(text).filter(|(_, is_markup)| !is_markup) {
        escaped.push_str(&text[done..at]);
        escaped.push_str("&lt;");
        done = at + 1;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    escaped.push_str(&text[done..]);
    Cow::Owned(escaped)
}

/// The place of every `<`, and whether it begins markup that also ends.
fn tags_and_others(text: &str) -> impl Iterator<Item = (usize, bool)> {
    let last_end = text.rfind('>').unwrap_or_default();
    text.match_indices('<')
        .map(move |(at, _)| (at, at < last_end && begins_markup(&text[at + 1..])))
}

/// Whether a `<` followed by `rest` begins markup.
fn begins_markup(rest: &str) -> bool {
    let begins = |declaration: &&str| {
        let head = rest.get(..declaration.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(declaration))
    };
    DECLARATIONS.iter().any(begins) || element(rest).is_some()
}

/// The name of the element if `rest` continues a tag after its `<`.
fn element(rest: &str) -> Option<String> {
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let ends_name = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>');
    // No name is longer than this. Looking further would take time quadratic in the text's length.
    let head = &rest[..rest.floor_char_boundary("blockquote".len() + 1)];
    let name = head[..head.find(ends_name)?].to_ascii_lowercase();
    KNOWN.contains(name.as_str()).then_some(name)
}

/// Whether a `&` followed by `rest` begins a character reference.
fn begins_reference(rest: &str) -> bool {
    let name = rest.strip_prefix('#').unwrap_or(rest);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric());
    end.is_some_and(|end| 0 < end && name[end..].starts_with(';'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_elements_are_found() {
        let longest = KNOWN.iter().map(|name| name.len()).max();
        assert_eq!(longest, Some("blockquote".len()));
        for name in &*KNOWN {
            assert!(is_html(&format!("<{name}>")), "{name}");
            assert!(is_html(&format!("</{}>", name.to_uppercase())), "{name}");
        }
    }

    #[test]
    fn only_markup_is_left_as_it_is() {
        for (text, expected) in [
            ("<p>a</p>", "<p>a</p>"),
            ("<br/><IMG src='<'>", "<br/><IMG src='&lt;'>"),
            ("<!-- c --><!DOCTYPE html>", "<!-- c --><!DOCTYPE html>"),
            ("a@<b.c> <p", "a@&lt;b.c> &lt;p"),
            ("<é> <!important> </ >", "&lt;é> &lt;!important> &lt;/ >"),
        ] {
            assert_eq!(without_others(text), expected);
        }
    }

    #[test]
    fn a_text_of_nothing_but_brackets_is_read_in_time() {
        let brackets = "<".repeat(1024 * 1024);
        assert!(!is_html(&format!("{brackets}>")));
    }
}
