//! What a person has to decide before using a suggested mapping: lines that are guesses, and fields
//! that nothing makes.
//!
//! This only reads the choices; it does not change the mapping.

use super::List;
use super::amount::thousands;
use crate::suggest::choose::{Choice, is_read};
use crate::suggest::names::{REQUIRED, Reading, WANTED};
use crate::suggest::survey::{KEYS_MAX, RECORDS_MAX};
use crate::suggest::{Decision, clean};

/// How many keys are named as possible sources of a required field.
pub(in crate::suggest) const CANDIDATES_MAX: usize = 3;

impl List<'_> {
    /// What a person has to decide before using the mapping.
    pub(in crate::suggest) fn decisions(&self) -> Vec<Decision> {
        let required = REQUIRED.iter().filter(|field| self.choice(field).is_none());
        let mut decisions: Vec<_> = required
            .map(|field| Decision::new(*field, required_of(field, &self.candidates(field))))
            .collect();
        self.guesses(&mut decisions);
        self.omissions(&mut decisions);
        decisions
    }

    /// Fields whose source may mean something else.
    fn guesses(&self, decisions: &mut Vec<Decision>) {
        let mut decide = |field, why: &str| decisions.push(Decision::new(field, why));
        if let Some(encoding) = self.place.encoding {
            let why = format!("{encoding}, a guess by the bytes: look at letters with accents");
            decide("encoding", &why);
        }
        if self.choice("key").is_none() {
            decide(
                "key",
                "made of the names, as no key looks like an id; it must never change",
            );
        }
        if !self.has_unique_names {
            decide(
                "slug",
                "made of the names and the key, as two boats have the same names",
            );
        }
        match self.published() {
            Some((key, code)) => {
                let values = key.samples.iter().take(5).map(|value| clean(value, 20));
                let values = values.collect::<Vec<_>>().join(", ");
                let code = clean(&code, 60);
                decide(
                    "published",
                    &format!("where {code}; its values are {values}"),
                );
            }
            None => decide("published", &self.all_published()),
        }
        if self.choice("updatedAt").is_none() {
            let why = "the same for every record, as no key says when one changed";
            decide("updatedAt", why);
        }
        if self.choice("unit").is_none() {
            let system = self.system();
            let why = format!("{system} for every boat, by the names and values of lengths");
            decide("unit", &why);
        }
        for choice in &self.choices {
            let (field, key) = (choice.wanted.field, choice.key);
            match (choice.wanted.reading, thousands(key)) {
                (Reading::Price, Some(separator)) => {
                    decide(
                        field,
                        &format!("each `{separator}` is taken to part thousands"),
                    );
                }
                (Reading::Weight | Reading::Area | Reading::Number, Some('.')) => {
                    decide(
                        field,
                        "its points are taken for decimal points: 6.500 is 6.5",
                    );
                }
                _ => {}
            }
        }
    }

    /// The reason why every record is published.
    fn all_published(&self) -> String {
        let Some(Choice { key, .. }) = self.choice("published") else {
            return "every record, as no key says otherwise".to_owned();
        };
        let values = key.samples.iter().take(5).map(|value| clean(value, 20));
        let values = values.collect::<Vec<_>>().join(", ");
        let path = clean(&key.path, 60);
        format!("every record, as none of the words of {path} is known: {values}")
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
        if self.choice("referencePrice.amount").is_some() && self.currency().is_none() {
            decide("referencePrice", "no key has its currency: left out");
        }
        if self.choice("image.url").is_some() && !self.has_whole_image() {
            let why = "no keys have its width and height: left out; its format is needed too";
            decide("image", why);
        }
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
