//! How a key says whether its record is public: by a flag, a time or words, and the expression for it.
//!
//! Whether it is a status at all is decided by its name, beside this.

use crate::mapping::status::words::{Says, flag_of, is_word_public};
use crate::suggest::survey::{Key, Shape};
use crate::suggest::text::clean;
use crate::suggest::values::time_of;

/// Longest word of a status, in characters; anything longer is a text about something else.
const WORD_MAX: usize = 40;
/// Digits of the shortest time, as in `1/2/2026`. A word or a flag has fewer.
const TIME_DIGITS: usize = 6;

/// A key that says whether its record is public.
#[derive(Debug)]
pub(super) struct Status<'s> {
    pub(super) key: &'s Key,
    /// Whether every record has a value.
    pub(super) is_filled: bool,
    pub(super) test: Test<'s>,
}

/// How a key says it.
#[derive(Debug)]
pub(super) enum Test<'s> {
    /// Yes or no.
    Flag { means_public: bool },
    /// Anything, which says that it is not public.
    Anything,
    /// A time, what reads it, and what the key says by it.
    Time { read: &'static str, says: Says },
    /// One of these words.
    Words(Vec<Word<'s>>),
}

/// A word of a status; an empty one stands for no value.
#[derive(Debug)]
pub(super) struct Word<'s> {
    pub(super) text: &'s str,
    pub(super) records: u64,
    pub(super) is_public: Option<bool>,
}

impl Status<'_> {
    /// The expression that is true for a public record. A key that every record has by now must
    /// not make one public by having no value.
    pub(super) fn expression(&self, table: &str, is_one_of_several: bool) -> String {
        let path = &self.key.path;
        let piped = match &self.test {
            Test::Flag { means_public: true } if self.is_filled && !self.is_boolean() => {
                format!("{path} | flag")
            }
            // Alone, anything but true or false is an error; `and` takes all else for true.
            Test::Flag { means_public: true } if self.is_filled && !is_one_of_several => {
                return path.clone();
            }
            Test::Flag { means_public } => return self.compared(*means_public),
            Test::Time { read, says } => {
                let is_public = match says {
                    Says::From => "!= false",
                    Says::Until => "!= true",
                    _ => "== true",
                };
                format!("{path} | past({read}) {is_public}")
            }
            Test::Anything => return format!("({path} // \"\") == \"\""),
            Test::Words(_) => self.lookup(table),
        };
        if is_one_of_several {
            format!("({piped})")
        } else {
            piped
        }
    }

    fn is_boolean(&self) -> bool {
        self.key.shape == Shape::Flag && 0 < self.key.records
    }

    /// The comparison of a flag with the value that makes a record public. One that is only missing
    /// does not withhold it.
    fn compared(&self, means_public: bool) -> String {
        let path = &self.key.path;
        let flag = if self.is_boolean() {
            path.clone()
        } else {
            format!("({path} | flag)")
        };
        if means_public || self.is_filled {
            format!("{flag} == {means_public}")
        } else {
            format!("({flag} // false) == false")
        }
    }

    /// What the table has for the word, or for each of a list.
    fn lookup(&self, table: &str) -> String {
        let path = &self.key.path;
        let json = match self.key.shape {
            Shape::Deep => " | tojson",
            Shape::List => "",
            _ if self.is_filled => return format!("{path} | lookup(\"{table}\")"),
            _ => return format!("{path} // \"\" | lookup(\"{table}\")"),
        };
        format!("[{path} | many[]{json} | lookup(\"{table}\")] | . != [] and all")
    }
}

impl Word<'_> {
    pub(super) fn shown(&self) -> String {
        match self.text {
            "" => "no value".to_owned(),
            text => clean(text, 30),
        }
    }
}

/// How a key says it, if its values fit; `missing` records have none. One that may be the source of
/// a field says it only by words that are known.
pub(super) fn test(
    key: &Key,
    says: Says,
    is_time: bool,
    missing: u64,
    is_field: bool,
) -> Option<Test<'_>> {
    let time = || {
        let read = time_or_none(key)?;
        Some(Test::Time { read, says })
    };
    let means_public = !matches!(says, Says::Withheld | Says::Until);
    let is_named_so = matches!(says, Says::Public | Says::Withheld | Says::Until);
    // A cross in a status may mark any boat, such as those that are sold.
    let is_word = |value: &str| 1 < value.trim().chars().count() && !is_number(value);
    let is_flag = |value: &str| flag_of(value).is_some() && (is_named_so || is_word(value));
    let is_plain = !matches!(key.shape, Shape::List | Shape::Deep);
    match says {
        Says::By => return Some(Test::Anything),
        Says::From => return time(),
        Says::Until if !key.all(is_flag) => return time(),
        _ => {}
    }
    if (is_named_so || says == Says::Word) && is_plain {
        if key.all(is_flag) {
            return Some(Test::Flag { means_public });
        }
        if is_named_so && !is_field && key.all(has_digits) || is_time && key.samples.is_empty() {
            return match says {
                Says::Withheld => Some(Test::Anything),
                _ => time(),
            };
        }
        if is_named_so && key.samples.is_empty() {
            return Some(Test::Flag { means_public });
        }
    }
    let words = words_of(key, says, missing);
    let is_known = words
        .iter()
        .any(|word| word.is_public.is_some() && !word.text.is_empty());
    let are_words = !key.has_others && key.all(|value| value.chars().count() <= WORD_MAX);
    let is_status = match says {
        Says::Word | Says::OneOrTwo => true,
        Says::Public | Says::Withheld => is_known || are_words && !is_field,
        Says::Perhaps => is_known,
        Says::YesOrNo => is_known && are_words,
        _ => false,
    };
    is_status.then_some(Test::Words(words))
}

/// Whether all values of a key look like dates or times.
pub(super) fn are_times(key: &Key) -> bool {
    key.all(has_digits)
}

/// Whether a value has as many digits as a time.
fn has_digits(value: &str) -> bool {
    TIME_DIGITS <= value.bytes().filter(u8::is_ascii_digit).count()
}

/// What reads the times of a key; those of tomorrow have an offset, if there is none today.
fn time_or_none(key: &Key) -> Option<&'static str> {
    if key.samples.is_empty() {
        return Some(".");
    }
    time_of(key)
}

/// The words of a key; `missing` records have none.
fn words_of(key: &Key, says: Says, missing: u64) -> Vec<Word<'_>> {
    let is_public = |text: &str| match says {
        Says::OneOrTwo => [("1", true), ("2", false)]
            .into_iter()
            .find_map(|(known, is_public)| (text == known).then_some(is_public)),
        Says::Public => is_word_public(text).or_else(|| flag_of(text)),
        Says::Withheld => {
            let by_flag = || flag_of(text).map(|is_withheld| !is_withheld);
            is_word_public(text).or_else(by_flag)
        }
        _ => is_word_public(text),
    };
    let without = match says {
        Says::Public => Some(false),
        Says::Withheld => Some(true),
        _ => None,
    };
    let known = key.samples.iter().zip(&key.counts);
    let words = known.map(|(text, records)| Word {
        text,
        records: *records,
        is_public: is_public(text),
    });
    let without = Word {
        text: "",
        records: missing,
        is_public: without,
    };
    words.chain((0 < missing).then_some(without)).collect()
}

/// Whether a word is a number.
fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}
