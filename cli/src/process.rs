//! The process and what is around it: clock, streams, randomness, signals, the machine, and the
//! files that a command leaves.
//!
//! The only room that asks the operating system. Commands receive what it found in a
//! [`Context`](context::Context), so that a test gives them something else.

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
