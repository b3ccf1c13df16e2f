//! The `catalogue` command: hands the process's arguments, clock, randomness and terminal to the
//! library and exits with its status. Everything else lives in the library, where tests reach it.

use std::process::ExitCode;

use cli::Context;
use cli::process::core_dump;
use mimalloc::MiMalloc;

/// The system's allocator has a slow path for everything over a kilobyte, and each request makes
/// several such allocations.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    // If the system refuses this, nothing can be done about it, and it is no reason to stop.
    let _forbidden = core_dump::forbid();
    let mut context = Context::of_process();
    cli::run(std::env::args_os(), &mut context).into()
}
