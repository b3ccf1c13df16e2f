//! Serves a release over HTTP: authentication, limits, lists, and bodies that the import made.
//!
//! The server never builds a record's JSON; it picks bytes of a release. Reading order follows a
//! request: [`http`] receives it, [`keyring`] knows its key, [`limits`] count it, [`params`] read
//! what it asks for, [`catalogue`] answers, [`cache`] remembers answered lists, [`compressed`] their
//! compressed forms. [`contract`] has the tables that all of them keep to. [`app`] holds all of them together, and [`follow`] swaps the catalogue when
//! another release is activated; `metrics` and `readiness` tell operators how all of it does.
//!
//! Nothing outside [`http`] knows a status code, a header or the HTTP library.

pub mod app;
mod bounded;
pub mod cache;
pub mod catalogue;
mod clock_watch;
pub mod compressed;
pub mod contract;
mod error_chain;
pub mod follow;
pub mod http;
pub mod keyring;
pub mod limits;
mod metrics;
mod pace;
pub mod params;
mod primitives;
mod readiness;
pub mod repeating;
pub mod request_id;
mod seldom;
pub mod tend;
pub mod threads;
