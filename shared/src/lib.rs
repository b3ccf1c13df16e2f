//! What the import and the server must agree on: the shapes of records, their identity, units,
//! text folding, time, the format of releases, and the format and store of keys.
//!
//! Nothing here knows HTTP, a terminal, or an async runtime.
//!
//! Reading order follows the data: a value is parsed ([`ids`], [`units`], [`timestamp`]), held in
//! a wire shape ([`model`]), rendered and hashed ([`render`], [`etag`]), and stored ([`release`]).

pub mod clock;
pub mod data_dir;
pub mod durable;
pub mod engine_text;
pub mod etag;
pub mod file_lock;
pub mod fold;
pub mod ids;
pub mod interruption;
pub mod keys;
pub mod limited;
pub mod model;
pub mod number;
pub mod pace;
pub mod regular_file;
pub mod release;
pub mod render;
pub mod servers;
pub mod threads;
pub mod timestamp;
pub mod units;
pub mod writing_thread;
