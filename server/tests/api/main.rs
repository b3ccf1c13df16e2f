//! The API over requests in process: no sockets, a clock that stands still, counted request ids.
//!
//! One binary for all of it, because linking DuckDB takes longer than running the tests. Files
//! mirror `http/`; the others cut across endpoints. A snapshot is a whole answer.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "in tests a panic is the report"
)]

mod admin;
mod answer;
mod answers;
mod app;
mod auth;
mod boats;
mod compression;
mod conditional;
mod connections;
mod corruption;
mod cors;
mod credentials;
mod details;
mod disk;
mod docs;
mod errors;
mod exchanges;
mod explain;
mod follow;
mod formats;
mod headers;
mod key_mutations;
mod keys;
mod limits;
mod log;
mod manufacturers;
mod metrics;
mod openapi;
mod oracle;
mod order_of_checks;
mod prune;
mod queries;
mod quotas;
mod raw;
mod records;
mod routes;
mod serve;
mod service;
mod windows;
mod wire;
