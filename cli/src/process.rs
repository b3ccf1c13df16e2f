//! The process and its environment: clock, streams, randomness, signals, the machine, and the files
//! that a command writes.
//!
//! The only room that asks the operating system. Commands receive the results in a
//! [`Context`](context::Context), which tests replace.

pub mod address_space;
pub mod context;
pub mod core_dump;
pub mod interrupts;
pub mod machine;
pub mod memory;
pub mod operator;
pub mod output;
pub mod output_file;
pub mod runtime;
pub mod service_manager;
pub mod stop;
