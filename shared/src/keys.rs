//! API keys: their format, who owns them, what they may do, and where they are kept.
//!
//! Reading order: a key as the caller holds it ([`secret`]), what it is allowed
//! ([`environment`], [`scope`]), its owner ([`subscription`]), its life ([`key`]) and its monthly
//! [`quota`]; how a key is changed ([`change`]), and who did it ([`audit`]). Then what users of a
//! store meet: [`store`] for all of them, [`key_store`] for commands, [`ledger`] for quota and
//! [`last_use`] for what servers record of keys.
//!
//! A lookup goes from [`key_store`], which decides, to `statements`, which has the SQL of both
//! databases and reads their rows; [`tables`] has the tables. It runs in a `transaction` of
//! [`sqlite`], for one server, or of [`postgres`], for several: these two know how to reach their
//! database, what its failures mean, and how a server follows it.
//!
//! Times are Unix seconds and always passed in. The plaintext of a key exists in
//! [`secret::PlainKey`] alone: nothing here stores it, logs it or puts it into an error.

pub mod audit;
pub mod change;
pub mod contents;
pub mod environment;
pub mod key;
pub mod key_store;
pub mod last_use;
pub mod ledger;
pub mod limits;
pub mod name;
mod named;
pub mod postgres;
pub mod quota;
pub mod scope;
pub mod secret;
pub mod sqlite;
mod statements;
pub mod store;
pub mod subscription;
pub mod tables;
mod transaction;

mod base62;

#[cfg(test)]
mod tests;
