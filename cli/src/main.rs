//! The `catalogue` command: hands the process's arguments, clock, randomness and terminal to the
//! library and exits with its status. Everything else lives in the library, where tests reach it.

use std::process::ExitCode;

use cli::Context;

fn main() -> ExitCode {
    let mut context = Context::of_process();
    cli::run(std::env::args_os(), &mut context).into()
}
