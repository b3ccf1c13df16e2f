//! The API tested in process: no sockets, a clock that only tests move, and consecutive request
//! ids.
//!
//! It is one binary, because linking DuckDB takes longer than running the tests. Some files mirror
//! `http/`; the others cut across endpoints. Snapshots show whole responses.

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
mod changes;
mod compression;
mod conditional;
mod connections;
mod cors;
mod details;
mod disk;
mod docs;
mod errors;
mod exchanges;
mod explain;
mod facets;
mod follow;
mod formats;
mod headers;
mod keys;
mod limits;
mod log;
mod manufacturers;
mod metrics;
mod openapi;
mod oracle;
mod order_of_checks;
mod own_key;
mod prune;
mod queries;
mod quotas;
mod raw;
mod records;
mod routes;
mod serve;
mod service;
mod whole;
mod windows;
mod wire;
