//! What people see at a terminal: tables, wrapped lines, styles, instants, progress; and text from
//! outside made safe to be shown.
//!
//! Pure functions of text and of what the terminal can show. Nothing here knows a command, an
//! export or a server.

pub mod escape;
pub(crate) mod excerpt;
pub mod progress;
pub mod redact;
pub mod relative_time;
pub mod shell;
pub mod style;
pub mod table;
pub mod wrap;
