//! What says whether a record is public: all of its keys that are called so, together.
//!
//! What is not understood is never taken for public. A word that is not known is left to a person,
//! and the mapping is refused until it is decided.

mod tested;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use self::tested::{Status, Test, Word, are_times, test};

use super::named::is_field;
use super::survey::{Key, SAMPLES_MAX, Surveyed};
use super::text::{clean, quoted};
use crate::finding::listed;
use crate::mapping::folded::words;
use crate::mapping::status::words::{self, Says, flag_of, is_word_public};
use crate::mapping::status::{flag_named, named_around, says};
use crate::mapping::{UNDECIDED, UNREAD_STATUS};

/// How many keys that may say it as well a note names.
const PERHAPS_MAX: usize = 5;
/// How many keys that nothing reads a note names. The table has all of them.
const UNREAD_MAX: usize = 20;

/// What says whether the records of a file are public.
#[derive(Debug)]
pub(super) struct Publication<'s> {
    statuses: Vec<Status<'s>>,
    /// Keys that are not understood, or say it of other records, which may be about the same boats:
    /// a person has to decide.
    unread: Vec<&'s Key>,
    /// Keys that may say it as well.
    perhaps: Vec<&'s Key>,
    /// What surrounds the records, and is hidden or called like what is not public.
    around: Vec<String>,
    /// How many records were looked at.
    records: u64,
}

impl<'s> Publication<'s> {
    /// What the keys of a file say. If its records are those of one kind among `all` records of a
    /// list, and keys of other kinds say something, a person has to decide.
    pub(super) fn of(file: &'s Surveyed, all: Option<&'s Surveyed>) -> Self {
        let mut publication = Self::own(file);
        let Some(all) = all else {
            return publication;
        };
        let others = Self::own(all);
        let statuses = others.statuses.iter().map(|other| other.key);
        for key in statuses.chain(others.unread) {
            if !publication.reads(key) && !has(&publication.unread, key) {
                publication.unread.push(key);
            }
        }
        publication
    }

    fn own(file: &'s Surveyed) -> Self {
        let (mut statuses, mut unread, mut perhaps) = (Vec::new(), Vec::new(), Vec::new());
        for key in &file.keys {
            let is_field = is_own_field(key, file);
            let by_words = || (!is_field && has_words(key)).then_some((Says::Perhaps, false));
            let says = says(&key.steps).or_else(by_words);
            let Some((says, is_time)) = says.filter(|_| !is_outer(key, file)) else {
                unread.extend(is_withheld(key).then_some(key));
                continue;
            };
            let missing = file.surveyed().saturating_sub(key.records);
            match test(key, says, is_time, missing, is_field) {
                Some(test) => statuses.push(Status {
                    key,
                    is_filled: missing == 0,
                    test,
                }),
                None if is_withheld(key) => unread.push(key),
                None if is_field => {}
                None if must_be_asked(key, says) => unread.push(key),
                None if says == Says::YesOrNo => {}
                None => perhaps.push(key),
            }
        }
        unread.extend(file.listed.iter().filter(|key| is_asked_in_list(key, file)));
        let mut publication = Self {
            statuses,
            unread,
            perhaps,
            around: Vec::new(),
            records: file.surveyed(),
        };
        publication.objects(file);
        publication
    }

    /// Adds the keys of objects that are called like a status, where none of them became one.
    fn objects(&mut self, file: &'s Surveyed) {
        for key in &file.keys {
            let Some(around) = named_around(&key.steps) else {
                continue;
            };
            let mut beside = file.keys.iter().filter(|key| key.steps.starts_with(around));
            let is_told = beside.any(|key| self.reads(key) || is_own_field(key, file));
            if !is_told && !is_outer(key, file) && !has(&self.unread, key) {
                self.unread.push(key);
            }
        }
        let unread = &self.unread;
        self.perhaps.retain(|key| !has(unread, key));
    }

    /// Leaves to a person that the records are within what is called so, or is hidden.
    pub(super) fn within<'n>(&mut self, names: impl Iterator<Item = &'n String>) {
        let names: BTreeSet<String> = names.cloned().collect();
        self.around.extend(names);
    }

    /// Whether it is this key that says it.
    pub(super) fn reads(&self, key: &Key) -> bool {
        let mut keys = self.statuses.iter().map(|status| status.key);
        keys.any(|known| known.path == key.path)
    }

    /// The expression for whether a record is public, if a key says so.
    pub(super) fn expression(&self) -> Option<String> {
        let tables = self.statuses.iter().scan(0, |tables, status| {
            *tables += usize::from(matches!(status.test, Test::Words(_)));
            Some(table_name(*tables))
        });
        let tests = self.statuses.iter().zip(tables);
        let tests: Vec<String> = tests
            .map(|(status, table)| status.expression(&table, 1 < self.statuses.len()))
            .collect();
        (!tests.is_empty()).then(|| tests.join(" and "))
    }

    /// Whether a word or a key is left to a person, before which nothing is imported.
    pub(super) fn is_open(&self) -> bool {
        let mut words = self.words().flatten();
        !self.unread.is_empty()
            || !self.around.is_empty()
            || words.any(|word| word.is_public.is_none())
    }

    /// Appends the tables of words that the expression uses.
    pub(super) fn tables(&self, text: &mut String) {
        for (number, words) in self.words().enumerate() {
            let name = table_name(number + 1);
            _ = writeln!(
                text,
                "\n# Whether records with the word are public, and how many there are. Nothing is \
                 imported while\n# a word has \"{UNDECIDED}\": write true or false.\n[tables.{name}]"
            );
            for word in words {
                let public = word.is_public.map(|public| public.to_string());
                let public = public.unwrap_or_else(|| quoted(UNDECIDED));
                let line = format!("{} = {public}", quoted(word.text));
                _ = writeln!(text, "{line:<30}  # {}", word.records);
            }
        }
        let unread = self.unread.iter();
        let unread = unread.map(|key| (key.path.as_str(), key.records));
        let around = self.around.iter().map(|name| (name.as_str(), self.records));
        unread_keys(unread.chain(around), text);
    }

    /// What a person should know about it.
    pub(super) fn why(&self) -> String {
        let mut why = match self.expression() {
            None if self.perhaps.is_empty() && self.unread.is_empty() && self.around.is_empty() => {
                return "every record, as no key says otherwise".to_owned();
            }
            None => "every record".to_owned(),
            Some(code) => format!("where {}", clean(&code, 300)),
        };
        for (is_public, what) in [
            (Some(true), "public"),
            (Some(false), "not public"),
            (None, "to be decided, before which nothing is imported"),
        ] {
            let words = self.words().flatten();
            let words = words.filter(|word| word.is_public == is_public);
            let words: Vec<String> = words.map(Word::shown).collect();
            if !words.is_empty() {
                _ = write!(why, "; {what}: {}", words.join(", "));
            }
        }
        let has_words = |status: &&Status<'_>| matches!(status.test, Test::Words(_));
        let mut by_words = self.statuses.iter().filter(has_words);
        if by_words.any(|status| status.key.has_others) {
            _ = write!(
                why,
                "; only the first {SAMPLES_MAX} words of a key are there"
            );
        }
        let is_of_utc = |status: &Status<'_>| match status.test {
            Test::Time { read, .. } => read.contains("UTC"),
            _ => false,
        };
        if self.statuses.iter().any(is_of_utc) {
            why.push_str("; times are taken for UTC");
        }
        if !self.unread.is_empty() {
            let keys = self.unread.iter().map(|key| clean(&key.path, 60));
            _ = write!(why, "; {}", why_unread(keys));
        }
        if !self.around.is_empty() {
            let names = self.around.iter().map(|name| clean(name, 60));
            let names = listed(names, UNREAD_MAX);
            _ = write!(
                why,
                "; {names} may say that none is public, so nothing is imported before \
                 [tables.{UNREAD_STATUS}] is decided"
            );
        }
        if !self.perhaps.is_empty() {
            let keys = self.perhaps.iter().map(|key| clean(&key.path, 60));
            let keys = listed(keys, PERHAPS_MAX);
            _ = write!(why, "; look at {keys}, which may say more");
        }
        why
    }

    /// The words of each key that has some.
    fn words(&self) -> impl Iterator<Item = &[Word<'s>]> {
        self.statuses
            .iter()
            .filter_map(|status| match &status.test {
                Test::Words(words) => Some(words.as_slice()),
                Test::Flag { .. } | Test::Anything | Test::Time { .. } => None,
            })
    }
}

/// Appends a table that a person has to decide about keys that nothing reads.
pub(super) fn unread_keys<'k>(keys: impl Iterator<Item = (&'k str, u64)>, text: &mut String) {
    for (number, (key, records)) in keys.enumerate() {
        if number == 0 {
            _ = writeln!(
                text,
                "\n# These keys may say that a boat is not public, and nothing reads them. Nothing is \
                 imported\n# before you name them in `published` or `where`, or not, and write true.\n\
                 [tables.{UNREAD_STATUS}]"
            );
        }
        let line = format!("{} = {}", quoted(key), quoted(UNDECIDED));
        _ = writeln!(text, "{line:<30}  # {records}");
    }
}

/// The note about such keys.
pub(super) fn why_unread(keys: impl Iterator<Item = String>) -> String {
    let keys = listed(keys, UNREAD_MAX);
    format!(
        "nothing reads {keys}, so nothing is imported before [tables.{UNREAD_STATUS}] is decided"
    )
}

fn has(keys: &[&Key], key: &Key) -> bool {
    keys.iter().any(|known| known.path == key.path)
}

/// Whether the name of a file, a folder or a sheet, or the path of a list, says that its records are not public.
pub(super) fn is_of_withheld(name: &str) -> bool {
    let mut names = name.split('.');
    names.any(|name| words::is_of_withheld(&words(name)))
}

/// Whether a value of a key, whatever it is called, says that its record is not public.
fn is_withheld(key: &Key) -> bool {
    key.samples.iter().any(|value| says_withheld(value))
}

/// Whether a value says so. Sanity puts it before the ids of drafts.
pub(super) fn says_withheld(value: &str) -> bool {
    value.starts_with("drafts.") || words::says_withheld(&words(value))
}

/// Whether a key that is not understood is too likely a status to be passed over.
fn must_be_asked(key: &Key, says: Says) -> bool {
    let is_withheld = |text: &String| is_word_public(text) == Some(false);
    let is_answer = |text: &str| flag_of(text).is_some() || is_word_public(text).is_some();
    match says {
        // When a boat is there may be when it is shown.
        Says::Perhaps => key.all(is_answer) || are_times(key),
        Says::YesOrNo => key.all(is_answer),
        Says::Elsewhere => key.samples.iter().any(is_withheld) || is_answered_withheld(key),
        _ => true,
    }
}

/// Whether a key of an object in a list is too likely a status to be passed over.
fn is_asked_in_list(key: &Key, file: &Surveyed) -> bool {
    let mut photos = file.keys.iter().filter_map(|key| key.photos.as_ref());
    let photos = photos.find(|photos| photos.is_around(&key.path));
    let says = says(&key.steps).map(|(says, _)| says);
    match (photos, says) {
        (_, None) | (None, Some(Says::YesOrNo)) => false,
        (_, Some(Says::From | Says::Perhaps)) => must_be_asked(key, Says::Perhaps),
        (None, Some(_)) => must_be_asked(key, Says::Elsewhere),
        (Some(photos), _) if matches!(&*key.steps, [member] if photos.decides_by(member)) => false,
        // A number may be its place among the others.
        (Some(_), Some(Says::YesOrNo)) => key.all(|value| {
            flag_of(value).is_some() && !value.bytes().all(|byte| byte.is_ascii_digit())
        }),
        (Some(_), Some(_)) => true,
    }
}

/// Whether a key that is called by a word for what is not public, such as `isDraft`, says yes.
fn is_answered_withheld(key: &Key) -> bool {
    let own = key.steps.len().saturating_sub(1);
    let name = key.steps[own..].first();
    let Some(says_public) = name.and_then(|name| flag_named(name)) else {
        return false;
    };
    let is_so = |value: &String| flag_of(value) == Some(!says_public);
    key.all(|value| flag_of(value).is_some()) && key.samples.iter().any(is_so)
}

/// Whether a key, whatever it is called, has words of a status: one that is public and one that is
/// not.
fn has_words(key: &Key) -> bool {
    let has = |is_public| {
        let mut words = key.samples.iter().map(|text| is_word_public(text));
        words.any(|word| word == Some(is_public))
    };
    key.steps.len() == 1 && !key.has_others && has(true) && has(false)
}

/// Whether it has no value because it is an object in the records that have it.
fn is_outer(key: &Key, file: &Surveyed) -> bool {
    let is_within =
        |other: &Key| key.steps.len() < other.steps.len() && other.steps.starts_with(&key.steps);
    key.records == 0 && file.keys.iter().any(is_within)
}

/// Whether it is the source of a field, or the number of a measure that is one, such as the depth
/// `{"value": 1.8, "unit": "m"}`.
fn is_own_field(key: &Key, file: &Surveyed) -> bool {
    let whole = key.words();
    let is_unit_of = |measure: &[String], other: &Key| {
        let other = other.words();
        other
            .strip_prefix(measure)
            .is_some_and(|rest| rest == ["unit"])
    };
    is_field(key, &key.steps)
        || whole
            .strip_suffix(&["value".to_owned()])
            .is_some_and(|measure| {
                is_field(key, measure) && file.keys.iter().any(|other| is_unit_of(measure, other))
            })
}

/// The table of the words of the key with this number among those with words, from 1.
fn table_name(number: usize) -> String {
    match number {
        0 | 1 => "status".to_owned(),
        number => format!("status_{number}"),
    }
}
