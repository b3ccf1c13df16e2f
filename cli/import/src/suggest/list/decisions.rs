//! What a person has to decide before using a suggested mapping: lines that are guesses, and fields
//! that nothing makes.
//!
//! This only reads the choices; it does not change the mapping.

use super::List;
use super::own::Own;
use crate::finding::listed;
use crate::suggest::choose::Choice;
use crate::suggest::decision::Decision;
use crate::suggest::named::time_of_change;
use crate::suggest::names::{REQUIRED, Reading, WANTED};
use crate::suggest::photos::{self, Photos};
use crate::suggest::survey::{KEYS_MAX, Key, RECORDS_MAX};
use crate::suggest::text::clean;
use crate::suggest::values::{is_read, time_of};

/// How many keys are named as possible sources of a required field.
pub(in crate::suggest) const CANDIDATES_MAX: usize = 3;

impl List<'_> {
    /// What a person has to decide before using the mapping.
    pub(in crate::suggest) fn decisions(&self) -> Vec<Decision> {
        if Own::of(self.file).is_some() {
            let makers =
                "what boats show of theirs: no logos and descriptions, and none without a boat";
            let updated = "the same for every record, as an export does not say when one changed";
            return vec![
                Decision::new("manufacturer", makers),
                Decision::new("updatedAt", updated),
            ];
        }
        let unsettled = &self.choices.unsettled;
        let is_missing = |field: &&&str| {
            self.choice(field).is_none() && !unsettled.iter().any(|(of, _)| of.field == **field)
        };
        let required = REQUIRED.iter().filter(is_missing);
        let mut decisions: Vec<_> = required
            .map(|field| Decision::new(*field, required_of(field, &self.candidates(field))))
            .collect();
        for (wanted, keys) in unsettled {
            let keys: Vec<String> = keys.iter().map(|key| with_sample(key)).collect();
            let why = "left out, as several keys are called so: write its line from one of";
            decisions.push(Decision::new(
                wanted.field,
                format!("{why} {}", keys.join(", ")),
            ));
        }
        decisions.extend(self.unfit());
        self.guesses(&mut decisions);
        self.omissions(&mut decisions);
        decisions.extend(self.has_unsized_images.then(Decision::of_images));
        decisions.extend(self.unread_photos());
        decisions
    }

    /// Measures that are left out for some of the values of their key.
    fn unfit(&self) -> impl Iterator<Item = Decision> {
        self.choices.unfit.iter().map(|(wanted, key)| {
            let has_digit = |value: &&String| value.bytes().any(|byte| byte.is_ascii_digit());
            let wordy = key.samples.iter().find(|value| !has_digit(value));
            let sample = wordy.or(key.samples.first()).map_or("", String::as_str);
            let why = format!(
                "left out, as {} has values such as {}: say in its line what these mean",
                clean(&key.path, 60),
                clean(sample, 20)
            );
            Decision::new(wanted.field, why)
        })
    }

    /// Fields whose source may mean something else.
    fn guesses(&self, decisions: &mut Vec<Decision>) {
        let mut decide = |field, why: &str| decisions.push(Decision::new(field, why));
        if let Some(encoding) = self.place.encoding {
            let why = format!("{encoding}, a guess by the bytes: look at letters with accents");
            decide("encoding", &why);
        }
        match self.key() {
            None => {
                let why = "required, and no key looks like an id: write its line from what never \
                           changes, and is never the same for two boats";
                decide("key", why);
            }
            Some(_) if self.telling().is_some() => {
                let key = self.telling().map(with_sample).unwrap_or_default();
                let why = format!(
                    "{key}, which differs in every record: look whether it ever changes, as then a \
                     boat becomes another one"
                );
                decide("key", &why);
            }
            Some(_) if self.choice("key").is_none() && self.kind.is_none() => {
                let why = "made of the names, as no key looks like an id: a boat whose name \
                           changes becomes another boat, and what leads to the old one fails";
                decide("key", why);
            }
            Some(_) => {}
        }
        if !self.has_unique_names {
            let why = match self.key() {
                Some(_) => "made of the names and the key, as two boats have the same names",
                None => "made of the names, though two boats have the same: add what differs",
            };
            decide("slug", why);
        }
        decide("published", &self.publication.why());
        if self.choice("updatedAt").is_none() {
            let why = match time_of_change(&self.file.keys) {
                Some(key) if let Some(read) = time_of(key) => format!(
                    "the same for every record, as {} is of no zone: `({} | values | {read}) // $updated_at` reads it as of UTC",
                    with_sample(key),
                    clean(&key.path, 60),
                ),
                Some(key) => format!(
                    "the same for every record, as {} is in no form that is known: `time(form; zone)` \
                     reads it",
                    with_sample(key)
                ),
                None => "the same for every record, as no key says when one changed".to_owned(),
            };
            decide("updatedAt", &why);
        }
        if self.choice("unit").is_none() {
            decide("unit", &self.why_unit());
        }
        for choice in &self.choices.made {
            self.doubts(choice, decisions);
        }
    }

    /// What else the source of a field may mean.
    fn doubts(&self, choice: &Choice<'_>, decisions: &mut Vec<Decision>) {
        let mut decide = |field, why: &str| decisions.push(Decision::new(field, why));
        let (field, key) = (choice.wanted.field, choice.key);
        if !choice.others.is_empty() {
            let others: Vec<String> = choice
                .others
                .iter()
                .map(|other| with_sample(other))
                .collect();
            let why = format!(
                "of {}, though {} may be meant",
                with_sample(key),
                others.join(", ")
            );
            decide(field, &why);
        }
        if choice.is_within_unknown {
            let why = format!(
                "of {}, by its last name: look whether it is the boat's",
                with_sample(key)
            );
            decide(field, &why);
        }
        if let Some(mark) = self.mark(choice) {
            decide(field, &mark.why());
        }
        let by = key
            .photos
            .as_ref()
            .map(Photos::deciding)
            .unwrap_or_default();
        if !by.is_empty() {
            let by = by.iter().map(|member| clean(member, 40));
            let by = listed(by, CANDIDATES_MAX);
            decide(
                field,
                &format!("leaves out what {by} marks as not public, or as no image"),
            );
        }
    }

    /// Anything that was not looked at, or left out.
    fn omissions(&self, decisions: &mut Vec<Decision>) {
        let mut decide = |field, why: &str| decisions.push(Decision::new(field, why));
        if RECORDS_MAX < self.file.records {
            decide(
                "records",
                &format!("only the first {RECORDS_MAX} were looked at"),
            );
        }
        if KEYS_MAX <= self.file.keys.len() {
            decide("keys", &format!("only the first {KEYS_MAX} were looked at"));
        }
        if let Err((named, other)) = self.own_currency() {
            let why = format!(
                "in {named} by the name of its key, though {} may be meant",
                with_sample(other)
            );
            decide("referencePrice", &why);
        }
        match self.currency() {
            Some(currency) => {
                if let Some(sign) = currency.unsettled {
                    let sign = clean(&sign, 20);
                    let why = format!(
                        "{sign} is of several currencies, so each price with it is an error: write \
                         yours, as in `money(\"USD\")`"
                    );
                    decide("referencePrice", &why);
                }
            }
            None if self.choice("referencePrice.amount").is_some() => {
                let why = "neither a key nor each price has its currency: left out";
                decide("referencePrice", why);
            }
            None => {}
        }
    }

    /// The note about photos that nothing reads.
    fn unread_photos(&self) -> Option<Decision> {
        let unread = self.unread().into_iter();
        let unread = unread.filter(|key| photos::look_like(&key.steps, &key.samples));
        let unread: Vec<&Key> = unread.collect();
        let named = listed(unread.iter().map(|key| with_sample(key)), CANDIDATES_MAX);
        let has_scheme = |key: &&Key| key.samples.iter().any(|value| value.contains("http"));
        let url = if unread.iter().all(has_scheme) {
            "\".url\""
        } else {
            r#"'"https:" + .url'"#
        };
        let why = format!(
            "left out: {named}, which looks like photos; a line that reads them is like \
             `gallery = {{ each = \".photos\", fields = {{ url = {url} }} }}`"
        );
        (!unread.is_empty()).then(|| Decision::new("gallery", why))
    }

    /// The first unread keys whose values fit a field.
    fn candidates(&self, field: &str) -> Vec<String> {
        let Some(wanted) = WANTED.iter().find(|wanted| wanted.field == field) else {
            return Vec::new();
        };
        let keys = self.unread().into_iter();
        keys.filter(|key| is_read(wanted.reading, key) && may_be(wanted.reading, &key.samples))
            .take(CANDIDATES_MAX)
            .map(|key| clean(&key.path, 60))
            .collect()
    }
}

/// A key, and one of its values.
fn with_sample(key: &Key) -> String {
    let sample = key.samples.first().map_or("", String::as_str);
    format!("{} ({})", clean(&key.path, 60), clean(sample, 20))
}

/// The note about a required field without a source.
pub(in crate::suggest) fn required_of(field: &str, candidates: &[String]) -> String {
    let perhaps = match candidates {
        [] => String::new(),
        _ => format!(", perhaps of {}", candidates.join(" or ")),
    };
    let otherwise = match field {
        "type" => ", or make one type for all, in [[records]]",
        _ => "",
    };
    format!("required, and no key is called like it: write its line{perhaps}{otherwise}")
}

/// Whether values could belong to a field of this kind, whatever the name of their key.
pub(in crate::suggest) fn may_be(reading: Reading, values: &[String]) -> bool {
    let is_length = |value: &String| {
        let digits = value.trim_end_matches(|c: char| !c.is_ascii_digit());
        let number = digits.replace(',', ".").parse::<f64>();
        number.is_ok_and(|number| (1.5..=250.0).contains(&number))
    };
    let is_name = |value: &String| {
        let letters = value.chars().count();
        letters <= 40 && value.contains(char::is_alphabetic) && !value.contains("://")
    };
    match reading {
        Reading::Distance => values.iter().all(is_length),
        Reading::Text | Reading::Name => values.iter().all(is_name),
        _ => true,
    }
}
