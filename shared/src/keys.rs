//! API keys: their format, who owns them, what they may do, and where they are kept.
//!
//! Reading order: a key as the caller holds it ([`secret`]), what it is allowed
//! ([`environment`], [`scope`]), its owner ([`subscription`]), its life ([`key`]) and its monthly
//! [`quota`]; how a key is changed ([`change`]), and who did it ([`audit`]). Then the seams behind
//! which they are stored, [`store`] for commands and servers, [`ledger`] for quota and [`last_use`]
//! for what servers tell of keys, and their implementations: [`sqlite`] for one server, and
//! [`postgres`] for several. What both do with their [`tables`] is said once, in [`table_store`].
//!
//! Times are Unix seconds and always passed in. The plaintext of a key exists in
//! [`secret::PlainKey`] alone: nothing here stores it, logs it or puts it into an error.

pub mod audit;
pub mod change;
pub mod contents;
pub mod environment;
pub mod key;
pub mod last_use;
pub mod ledger;
pub mod limits;
pub mod name;
pub mod postgres;
pub mod quota;
pub mod scope;
pub mod secret;
pub mod sqlite;
pub mod store;
mod store_error;
pub mod subscription;
pub mod table_store;
pub mod tables;

mod base62;

#[cfg(test)]
mod contract;
