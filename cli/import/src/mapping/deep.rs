//! Threads with a stack large enough for deeply nested values.

use std::panic;
use std::thread;

use super::bounds::MEMORY_MAX;

/// The stack of a thread. It is so large that endlessly nested values exceed a record's memory
/// limit before they reach its end.
const STACK_BYTES: usize = 2 * MEMORY_MAX;

/// Runs something that may recurse as deep as a mapping is long, and waits for it.
pub(super) fn deep<T: Send>(act: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
    thread::scope(|scope| {
        let done = builder().spawn_scoped(scope, act)?.join();
        Ok(done.unwrap_or_else(|panicked| panic::resume_unwind(panicked)))
    })
}

/// A thread with a stack large enough for deeply nested values. Where the system does not give
/// that much, it has the usual one.
pub(super) fn builder() -> thread::Builder {
    deep_builder().unwrap_or_else(named)
}

/// The same; none where the system does not give that much.
pub(super) fn deep_builder() -> Option<thread::Builder> {
    let probe = named().stack_size(STACK_BYTES).spawn(|| {}).ok()?;
    // Only then is there room for another one.
    _ = probe.join();
    Some(named().stack_size(STACK_BYTES))
}

pub(super) fn named() -> thread::Builder {
    thread::Builder::new().name("mapping".to_owned())
}
