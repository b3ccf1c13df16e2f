//! What the import and the server must agree on: the shapes of records, their identity, units,
//! text folding, time, the format of releases, and the format and store of keys.
//!
//! Nothing here knows HTTP routes or a terminal. Calls block: PostgreSQL and S3 have their own
//! runtime and threads inside, so call nothing here from asynchronous code that must not block.
//!
//! Reading order follows the data: a value is parsed ([`base::ids`], [`base::units`],
//! [`base::timestamp`]), held in a wire shape ([`base::model`]), rendered and hashed
//! ([`base::render`], [`base::etag`]), and stored ([`release`]). Keys ([`keys`]) and the locks of
//! servers ([`servers`]) are separate. [`base`] knows none of the others.

pub mod base;
pub mod keys;
pub mod release;
pub mod servers;
