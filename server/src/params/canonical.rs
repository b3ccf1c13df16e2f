//! The one text of a query, used as its key in caches.
//!
//! Parameters stand in a fixed order and defaults are left out. Values contain neither `&` nor
//! `=` (slugs, numbers, and words joined by `+`), so different queries have different texts.

use std::fmt::{Display, Write};

use super::values::Choice;

/// A canonical query under construction.
#[derive(Default)]
pub(super) struct Canonical(String);

impl Canonical {
    /// Adds a parameter where it has a value.
    pub(super) fn add(&mut self, name: &str, value: Option<impl Display>) {
        let Some(value) = value else { return };
        let separator = if self.0.is_empty() { "" } else { "&" };
        // Writing to a string cannot fail.
        let _infallible = write!(self.0, "{separator}{name}={value}");
    }

    /// Adds a parameter where its value is not the default.
    pub(super) fn add_unless<T: Display + PartialEq + Copy>(
        &mut self,
        name: &str,
        value: T,
        default: T,
    ) {
        self.add(name, (value != default).then_some(value));
    }

    /// Adds a word where it is not the default one.
    pub(super) fn add_choice<T: Choice + Default + PartialEq>(&mut self, name: &str, value: T) {
        self.add_unless(name, value.word(), T::default().word());
    }

    /// The text.
    pub(super) fn finish(self) -> String {
        self.0
    }
}
