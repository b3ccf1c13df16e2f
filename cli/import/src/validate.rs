//! Checks the records of an export: rules for a single record, and rules across records.
//!
//! Pure functions read a record. Each kind has a file of its own, which says what each field may
//! hold. Rules across records need two passes: [`FirstPass`] takes every native record and keeps
//! what boats may refer to, while the boats wait in a spill file;
//! [`SecondPass`](second_pass::SecondPass) reads the boats one by one, so memory does not grow with
//! their number. Nothing here opens a file of the export or knows a mapping.

mod boat;
mod boats;
mod catalogue;
mod collector;
mod consumer;
mod designer;
mod fields;
mod first_look;
mod first_pass;
mod identity;
mod manufacturer;
mod numbers;
#[cfg(test)]
mod one_line;
mod outline;
mod plausibility;
mod policy;
mod references;
mod rejects;
mod reporter;
pub(crate) mod second_pass;
mod shape;
mod spill;
mod tally;
mod term;
pub(crate) mod text;
mod values;
mod vocabulary;

pub use self::consumer::{Consumer, Discard};
pub use self::fields::LIST_MAX;
pub use self::shape::{Field, Outline, Shape};
pub use self::tally::{Tally, TallyOfKind};
pub use self::text::TEXT_MAX;

pub(crate) use self::catalogue::FORMAT;
pub(crate) use self::fields::PRIVATE_PREFIX;
pub(crate) use self::first_pass::FirstPass;
#[cfg(test)]
pub(crate) use self::one_line::codes;
pub(crate) use self::outline::outlines;
pub(crate) use self::policy::Policy;
pub(crate) use self::vocabulary::Vocabulary;
