//! Checks the records of an export: rules for a single record, and rules across records.
//!
//! `checker` walks a record by the table of the native format, `rules` compares its fields, and each
//! kind has a file that makes what is served. Rules across records need two passes: [`FirstPass`]
//! takes every native record and keeps what boats may refer to, while the boats wait in a spill file;
//! [`SecondPass`](second_pass::SecondPass) reads the boats one by one, so memory does not grow with
//! their number. Nothing here opens a file of the export or knows a mapping.

mod boat;
mod boats;
mod catalogue;
mod checked;
mod checker;
mod collector;
mod consumer;
mod designer;
mod first_look;
mod first_pass;
mod identity;
mod image;
mod manufacturer;
mod numbers;
#[cfg(test)]
mod one_line;
mod plausibility;
mod policy;
mod read_result;
mod references;
mod rejects;
mod reporter;
mod rules;
pub(crate) mod second_pass;
mod spill;
mod tally;
mod term;
mod text;
mod values;

pub use self::consumer::{Consumer, Discard};
pub use self::tally::{Tally, TallyOfKind};

pub(crate) use self::first_pass::FirstPass;
#[cfg(test)]
pub(crate) use self::one_line::codes;
pub(crate) use self::policy::Policy;
pub(crate) use self::rules::RULES;
