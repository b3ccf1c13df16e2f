//! What an export's records have to be: rules of one record, and rules across records.
//!
//! A record is read by pure functions, one file a kind, which say of each field what it is. Nothing
//! stops at the first problem, and nothing here knows files, mappings, or the order of things.

pub(crate) mod boat;
pub(crate) mod catalogue;
pub(crate) mod designer;
pub(crate) mod fields;
pub(crate) mod first_look;
pub(crate) mod identity;
pub(crate) mod manufacturer;
mod numbers;
pub(crate) mod references;
pub(crate) mod reporter;
mod tally;
pub(crate) mod term;
pub(crate) mod text;
mod values;
pub(crate) mod vocabulary;

pub use self::tally::{Tally, TallyOfKind};
