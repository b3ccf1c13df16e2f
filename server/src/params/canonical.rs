//! The parameters of a query in their fixed order: as the one text that serves as key in caches, and
//! as a list for people.
//!
//! In the text defaults are left out. Values contain neither `&` nor `=` (slugs, numbers, and words
//! joined by `+`), so different queries have different texts.

use std::fmt::{Display, Write};

use serde::Serialize;

use super::values::Choice;

/// Takes the parameters of a query, one after the other.
pub(super) trait Parameters {
    /// A parameter that may have no value.
    fn add(&mut self, name: &'static str, value: Option<impl Display>);

    /// A parameter that always has a value.
    fn add_unless<T: Display + PartialEq + Copy>(
        &mut self,
        name: &'static str,
        value: T,
        default: T,
    );

    /// A parameter that is one of a few words.
    fn add_choice<T: Choice + Default>(&mut self, name: &'static str, value: T) {
        self.add_unless(name, value.word(), T::default().word());
    }
}

/// A canonical query under construction.
#[derive(Default)]
pub(super) struct Canonical(String);

impl Canonical {
    /// The text.
    pub(super) fn finish(self) -> String {
        self.0
    }
}

impl Parameters for Canonical {
    fn add(&mut self, name: &'static str, value: Option<impl Display>) {
        let Some(value) = value else { return };
        let separator = if self.0.is_empty() { "" } else { "&" };
        // Writing to a string cannot fail.
        let _infallible = write!(self.0, "{separator}{name}={value}");
    }

    fn add_unless<T: Display + PartialEq + Copy>(
        &mut self,
        name: &'static str,
        value: T,
        default: T,
    ) {
        self.add(name, (value != default).then_some(value));
    }
}

/// A parameter as it was understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Understood {
    /// Its name.
    pub name: &'static str,
    /// Its value in canonical form; none where it asks for nothing.
    pub value: Option<String>,
    /// Whether the value is what holds where none is given.
    pub is_default: bool,
}

impl Parameters for Vec<Understood> {
    fn add(&mut self, name: &'static str, value: Option<impl Display>) {
        let value = value.map(|value| value.to_string());
        self.push(Understood {
            name,
            is_default: value.is_none(),
            value,
        });
    }

    fn add_unless<T: Display + PartialEq + Copy>(
        &mut self,
        name: &'static str,
        value: T,
        default: T,
    ) {
        self.push(Understood {
            name,
            value: Some(value.to_string()),
            is_default: value == default,
        });
    }
}
