//! What the import and the server must agree on: the shapes of records, their identity, units,
//! text folding, time, the format of releases, and the format and store of keys.
//!
//! Nothing here knows HTTP, a terminal, or an async runtime.
//!
//! Reading order follows the data: a value is parsed ([`base::ids`], [`base::units`],
//! [`base::timestamp`]), held in a wire shape ([`base::model`]), rendered and hashed
//! ([`base::render`], [`base::etag`]), and stored ([`release`]).

pub mod base;
pub mod keys;
pub mod release;
pub mod servers;
