//! Tests of the `catalogue` command: in process, one module per command, and the built binary over
//! real sockets. There is one test binary, to link only once.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

/// The path of a file or folder of the fixtures.
macro_rules! fixture {
    ($path:literal) => {
        concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/", $path)
    };
}

mod admin;
mod client;
mod edited;
mod folded;
mod harness;
mod page;
mod pipe;
mod process;
mod sample;
mod wait;

mod address_space;
mod addresses;
mod completions;
mod cors;
mod damage;
mod data_damage;
mod demo;
mod diff;
mod doctor;
mod explain;
mod export;
mod files;
mod foreign;
mod generated;
mod guards;
mod help;
mod hints;
mod images;
mod import;
mod interrupted;
mod json_shapes;
mod key_store;
mod keys;
mod keys_log;
mod keys_shown;
mod keys_used;
mod keys_wait;
mod log;
mod manual;
mod manufacturers;
mod mapped;
mod mapping;
mod mapping_check;
mod mapping_init;
mod mapping_memory;
mod open_files;
mod openapi;
mod output;
mod plausibility;
mod prune;
mod rate_limit_draft;
mod refusals;
mod rejects;
mod releases;
mod releases_log;
mod remote;
mod rows;
mod s3;
mod schema;
mod secrets;
mod served;
mod service;
mod services;
mod settings;
mod several_servers;
mod signals;
mod store;
mod subscriptions;
mod temp_files;
mod terminal;
mod usage;
mod validate;
mod web_server;
mod written_files;
