//! The shortcodes of WordPress: words in brackets that stand for something which is no text.
//!
//! Brackets in prose must not be lost. `[name]` is a shortcode where it has an attribute,
//! `[name id="1"]`; where it ends, or is ended later, `[/name]`; or where it is a single word that
//! WordPress knows, or that has an underscore. So `[sic]`, `[1]` and `[see below]` are prose, and
//! so is a link of Markdown. What stands between a shortcode and its end stays.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::steps;

/// Shortcodes of WordPress itself, which stand apart from the text around them.
const BLOCKS: [&str; 7] = [
    "audio",
    "caption",
    "embed",
    "gallery",
    "playlist",
    "video",
    "wp_caption",
];
/// Encloses the address of what is shown, which is no text.
const EMBED: &str = "embed";
/// Parts what stands before from what stands behind.
const PART: &str = "\n\n";
/// Longest shortcode in bytes: each is looked for by itself.
const LENGTH_MAX: usize = 4 * 1024;

/// The text without its shortcodes; borrowed where it has none.
pub(super) fn without(text: &str) -> Cow<'_, str> {
    let ends: HashMap<&str, usize> = tags(text, 0)
        .filter(|(_, tag)| tag.is_end)
        .map(|(at, tag)| (tag.name, at))
        .collect();
    let (mut kept, mut done) = (String::new(), 0);
    // The end of the shortcode before, where that is an end itself.
    let mut ended = None;
    for (at, tag) in tags(text, 0) {
        let end = ends.get(tag.name).copied().filter(|end| at < *end);
        if at < done || !tag.is_shortcode(end.is_some(), &text[at + tag.length..]) {
            continue;
        }
        let after = at + tag.length;
        let before = &text[done..at];
        if before.ends_with('[') && text[after..].starts_with(']') {
            // In brackets of its own it is to be shown.
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

/// Where the text goes on after what is embedded; there is an end.
fn end_of_embed(text: &str, from: usize) -> usize {
    let end = tags(text, from).find(|(_, tag)| tag.is_end && tag.name == EMBED);
    end.map_or(from, |(at, tag)| at + tag.length)
}

/// Every part of the text that is spelled like a shortcode, from a place on.
fn tags(text: &str, from: usize) -> impl Iterator<Item = (usize, Tag<'_>)> {
    let brackets = text[from..].match_indices('[');
    brackets.filter_map(move |(at, _)| Some((from + at, Tag::parse(&text[from + at..])?)))
}

/// Something that is spelled like a shortcode.
struct Tag<'t> {
    name: &'t str,
    is_end: bool,
    /// Whether it has anything but its name.
    has_more: bool,
    has_attribute: bool,
    length: usize,
}

impl<'t> Tag<'t> {
    /// The tag that a text begins with.
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

    /// Whether it is a shortcode and no prose, given whether it is ended and what follows it.
    fn is_shortcode(&self, is_ended: bool, rest: &str) -> bool {
        let is_known = BLOCKS.contains(&self.name) || self.name.contains('_');
        let is_alone = !self.has_more && !rest.starts_with('(');
        self.is_end || self.has_attribute || is_ended || (is_known && is_alone)
    }
}

/// What is left of a tag.
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
                    // It was looked through.
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

    /// Takes a value or an attribute; whether it is one.
    fn item(&mut self) -> Option<bool> {
        self.value()?;
        let is_attribute = self.take("=");
        if is_attribute {
            self.value()?;
        }
        Some(is_attribute)
    }
}
