//! Removes WordPress shortcodes: words in brackets that stand for something other than text.
//!
//! Brackets in prose must not be lost. `[name]` is a shortcode if it has an attribute, as in `[name
//! id="1"]`; if it is an end, `[/name]`, or is ended later; or if it is a single word that
//! WordPress knows or that has an underscore. So `[sic]`, `[1]` and `[see below]` are prose, and so
//! is a Markdown link. The text between a shortcode and its end is kept.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::steps;

/// WordPress's own shortcodes, which are separate from the text around them.
const BLOCKS: [&str; 7] = [
    "audio",
    "caption",
    "embed",
    "gallery",
    "playlist",
    "video",
    "wp_caption",
];
/// The shortcode that encloses the URL of embedded content, which is not text.
const EMBED: &str = "embed";
/// Separates the text before a shortcode from the text after it.
const PART: &str = "\n\n";
/// Maximum length of a shortcode in bytes. It bounds the search, which starts anew at every
/// bracket.
const LENGTH_MAX: usize = 4 * 1024;

/// The text without its shortcodes; borrowed if it has none.
pub(super) fn without(text: &str) -> Cow<'_, str> {
    let ends: HashMap<&str, usize> = tags(text, 0)
        .filter(|(_, tag)| tag.is_end)
        .map(|(at, tag)| (tag.name, at))
        .collect();
    let (mut kept, mut done) = (String::new(), 0);
    // Where the previous shortcode stops, if it is an end.
    let mut ended = None;
    for (at, tag) in tags(text, 0) {
        let end = ends.get(tag.name).copied().filter(|end| at < *end);
        if at < done || !tag.is_shortcode(end.is_some(), &text[at + tag.length..]) {
            continue;
        }
        let after = at + tag.length;
        let before = &text[done..at];
        if before.ends_with('[') && text[after..].starts_with(']') {
            // A shortcode in double brackets is meant to be shown.
            kept.push_str(&before[..before.len() - 1]);
            kept.push_str(&text[at..after]);
            done = after + 1;
            continue;
        }
        kept.push_str(before);
        let follows_end = !tag.is_end && ended == Some(done) && before.trim().is_empty();
        if follows_end || BLOCKS.contains(&tag.name) {
            kept.push_str(PART);
        }
        done = match end {
            Some(_) if tag.name == EMBED => end_of_embed(text, after),
            _ => after,
        };
        ended = tag.is_end.then_some(done);
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(&text[done..]);
    Cow::Owned(kept)
}

/// Where the text continues after embedded content. The caller knows that it ends.
fn end_of_embed(text: &str, from: usize) -> usize {
    let end = tags(text, from).find(|(_, tag)| tag.is_end && tag.name == EMBED);
    end.map_or(from, |(at, tag)| at + tag.length)
}

/// Every part of the text, from a place on, that is spelled like a shortcode.
fn tags(text: &str, from: usize) -> impl Iterator<Item = (usize, Tag<'_>)> {
    let brackets = text[from..].match_indices('[');
    brackets.filter_map(move |(at, _)| Some((from + at, Tag::parse(&text[from + at..])?)))
}

/// Something that is spelled like a shortcode.
struct Tag<'t> {
    name: &'t str,
    is_end: bool,
    /// Whether it has anything besides its name.
    has_more: bool,
    has_attribute: bool,
    length: usize,
}

impl<'t> Tag<'t> {
    /// Parses the tag at the beginning of a text.
    fn parse(text: &'t str) -> Option<Self> {
        let text = &text[..text.floor_char_boundary(LENGTH_MAX)];
        let mut rest = Rest(text.strip_prefix('[')?);
        let tag = Self::parse_rest(&mut rest, text.len());
        steps::count(text.len() - rest.0.len());
        tag
    }

    fn parse_rest(rest: &mut Rest<'t>, length: usize) -> Option<Self> {
        let is_end = rest.take("/");
        let name = rest.name()?;
        let mut tag = Self {
            name,
            is_end,
            has_more: false,
            has_attribute: false,
            length: 0,
        };
        if rest.take("=") {
            rest.value()?;
            tag.has_more = true;
        }
        loop {
            let is_parted = rest.skip_blanks();
            if rest.take("]") || rest.take("/]") {
                tag.length = length - rest.0.len();
                return (!is_end || !tag.has_more).then_some(tag);
            }
            if !is_parted {
                return None;
            }
            tag.has_attribute |= rest.item()?;
            tag.has_more = true;
        }
    }

    /// Whether it is a shortcode rather than prose, given whether it is ended and what follows it.
    fn is_shortcode(&self, is_ended: bool, rest: &str) -> bool {
        let is_known = BLOCKS.contains(&self.name) || self.name.contains('_');
        let is_alone = !self.has_more && !rest.starts_with('(');
        self.is_end || self.has_attribute || is_ended || (is_known && is_alone)
    }
}

/// The unparsed rest of a tag.
struct Rest<'t>(&'t str);

impl<'t> Rest<'t> {
    fn take(&mut self, what: &str) -> bool {
        let rest = self.0.strip_prefix(what);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn take_while(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let end = self.0.find(|c| !is_part(c)).unwrap_or(self.0.len());
        let (taken, rest) = self.0.split_at(end);
        self.0 = rest;
        taken
    }

    fn skip_blanks(&mut self) -> bool {
        !self.take_while(char::is_whitespace).is_empty()
    }

    fn name(&mut self) -> Option<&'t str> {
        let name = self.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            .then_some(name)
    }

    /// A text in quotes, or one word.
    fn value(&mut self) -> Option<&'t str> {
        for quote in ['"', '\''] {
            if let Some(quoted) = self.0.strip_prefix(quote) {
                let Some((value, rest)) = quoted.split_once(quote) else {
                    // All of it was searched.
                    self.0 = "";
                    return None;
                };
                self.0 = rest;
                return Some(value);
            }
        }
        let is_part = |c: char| !c.is_whitespace() && !matches!(c, '[' | ']' | '"' | '\'' | '=');
        let word = self.take_while(is_part);
        (!word.is_empty()).then_some(word)
    }

    /// Takes a value or an attribute; returns whether it was an attribute.
    fn item(&mut self) -> Option<bool> {
        self.value()?;
        let is_attribute = self.take("=");
        if is_attribute {
            self.value()?;
        }
        Some(is_attribute)
    }
}
