//! Regular expressions with all of Unicode, for the functions of the library that are made of them.
//!
//! What they give is what jq 1.8 gives: offsets and lengths in characters, and a group that takes
//! no part in a match as null.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use jaq_core::Error;
use jaq_json::{Map, Val};
use regex::{Captures, Regex, RegexBuilder};

use super::values::text;

/// The most compiled expressions that a thread keeps. Mappings have fewer, unless they make them of
/// records.
const KEPT_MAX: usize = 256;

/// What is wanted of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Matches,
    /// The parts between matches.
    Rest,
    Both,
}

thread_local! {
    /// By flags and text.
    static KEPT: RefCell<HashMap<String, Rc<Regex>>> = RefCell::default();
}

/// The matches in a text, the parts between them, or both in their order. Each match is a list of
/// itself and its groups.
pub(super) fn found(
    input: &Val,
    [regex, flags]: [Val; 2],
    wanted: Wanted,
) -> Result<Val, Error<Val>> {
    let [given, regex, flags] = [input, &regex, &flags].map(|value| {
        text(value).ok_or_else(|| Error::str(format!("this needs a text, not {value}")))
    });
    let (given, flags) = (given?, flags?);
    let regex = compiled(regex?, flags)?;
    let mut characters = Characters::default();
    let (mut all, mut end) = (Vec::new(), 0);
    for captures in regex.captures_iter(given) {
        let whole = captures.get_match();
        if flags.contains('n') && whole.is_empty() {
            continue;
        }
        if wanted != Wanted::Matches {
            all.push(Val::from(given[end..whole.start()].to_owned()));
            end = whole.end();
        }
        if wanted != Wanted::Rest {
            all.push(groups(&regex, &captures, given, &mut characters));
        }
        if !flags.contains('g') {
            break;
        }
    }
    if wanted != Wanted::Matches {
        all.push(Val::from(given[end..].to_owned()));
    }
    Ok(all.into_iter().collect())
}

/// A match and its groups.
fn groups(regex: &Regex, captures: &Captures<'_>, given: &str, characters: &mut Characters) -> Val {
    let names = regex.capture_names().enumerate();
    let groups = captures.iter().zip(names).map(|(group, (number, name))| {
        let (offset, length, string) = match group {
            Some(group) => (
                characters.before(given, group.start()),
                group.as_str().chars().count().cast_signed(),
                Val::from(group.as_str().to_owned()),
            ),
            None => (-1, 0, Val::Null),
        };
        let mut members = vec![
            ("offset", Val::from(offset)),
            ("length", Val::from(length)),
            ("string", string),
        ];
        if 0 < number {
            let name = name.map_or(Val::Null, |name| Val::from(name.to_owned()));
            members.push(("name", name));
        }
        let members = members.into_iter();
        let members: Map = members
            .map(|(name, value)| (Val::from(name.to_owned()), value))
            .collect();
        Val::obj(members)
    });
    groups.collect()
}

/// The expression, shared: a copy would search with a cache of its own, filled anew each time.
fn compiled(regex: &str, flags: &str) -> Result<Rc<Regex>, Error<Val>> {
    let key = format!("{flags}/{regex}");
    if let Some(kept) = KEPT.with_borrow(|kept| kept.get(&key).cloned()) {
        return Ok(kept);
    }
    let mut builder = RegexBuilder::new(regex);
    for flag in flags.chars() {
        match flag {
            'g' | 'n' => &mut builder,
            'i' => builder.case_insensitive(true),
            'l' => builder.swap_greed(true),
            'm' => builder.multi_line(true),
            'p' => builder.multi_line(true).dot_matches_new_line(true),
            's' => builder.dot_matches_new_line(true),
            'x' => builder.ignore_whitespace(true),
            other => return Err(Error::str(format!("invalid regex flag: {other}"))),
        };
    }
    let built = builder.build();
    let built = built.map_err(|error| Error::str(format!("invalid regex: {}", said(&error))))?;
    let built = Rc::new(built);
    KEPT.with_borrow_mut(|kept| {
        if KEPT_MAX <= kept.len() {
            kept.clear();
        }
        kept.insert(key, Rc::clone(&built));
    });
    Ok(built)
}

/// What is wrong with a regular expression, on one line.
fn said(error: &regex::Error) -> String {
    let message = error.to_string();
    let last = message.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

/// Counts the characters of a text up to a byte. The bytes asked for mostly grow, so that most of
/// the text is counted once.
#[derive(Default)]
struct Characters {
    byte: usize,
    count: isize,
}

impl Characters {
    fn before(&mut self, text: &str, byte: usize) -> isize {
        if byte < self.byte {
            *self = Self::default();
        }
        self.count += text[self.byte..byte].chars().count().cast_signed();
        self.byte = byte;
        self.count
    }
}
