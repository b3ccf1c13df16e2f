//! What every other room stands on: records and their identity, numbers, units, text, time, and
//! files that survive a crash.
//!
//! Each file is one idea and knows no room but this one.

pub mod clock;
pub mod data_dir;
pub mod durable;
pub mod error_chain;
pub mod etag;
pub mod field_path;
pub mod file_lock;
pub mod fold;
pub mod hash;
pub mod hint;
pub mod ids;
pub mod loopback;
pub mod model;
pub mod name;
pub mod number;
pub mod operator;
pub mod regular_file;
pub mod render;
#[cfg(test)]
pub(crate) mod services;
pub mod shortened;
pub mod source_files;
pub mod threads;
pub mod timestamp;
pub mod units;
pub mod writing_thread;
