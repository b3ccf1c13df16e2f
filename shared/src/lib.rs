//! What the import and the server must agree on: the shapes of records, their identity, units,
//! text folding, time, the format of releases, and the format and store of keys.
//!
//! Nothing here knows HTTP routes or a terminal. Callers wait: what reaches PostgreSQL or S3 has a
//! runtime of its own inside, with threads of its own, so nothing here may be called from
//! asynchronous code that must not block.
//!
//! Reading order follows the data: a value is parsed ([`base::ids`], [`base::units`],
//! [`base::timestamp`]), held in a wire shape ([`base::model`]), rendered and hashed
//! ([`base::render`], [`base::etag`]), and stored ([`release`]). Apart from that stand the keys
//! ([`keys`]) and the locks of servers ([`servers`]). [`base`] knows none of the others.

pub mod base;
pub mod keys;
pub mod release;
pub mod servers;
