//! Threads with a stack large enough for deeply nested values.

use std::panic;
use std::thread;

use super::bounds::MEMORY_MAX;

/// The stack size of a thread. It counts as memory of the record being mapped, so endlessly nested
/// values exceed the memory limit before they overflow the stack.
const STACK_BYTES: usize = 2 * MEMORY_MAX;

/// Runs a function whose recursion may be as deep as the mapping is long, and waits for it.
pub(super) fn deep<T: Send>(act: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
    thread::scope(|scope| {
        let done = builder().spawn_scoped(scope, act)?.join();
        Ok(done.unwrap_or_else(|panicked| panic::resume_unwind(panicked)))
    })
}

/// A thread with a stack large enough for deeply nested values, or with the default stack if the
/// system does not allow that much.
pub(super) fn builder() -> thread::Builder {
    deep_builder().unwrap_or_else(named)
}

/// Like [`builder`], but `None` if the system does not allow a stack that large.
pub(super) fn deep_builder() -> Option<thread::Builder> {
    let probe = named().stack_size(STACK_BYTES).spawn(|| {}).ok()?;
    // Wait for the probe to end, so its stack is free again.
    _ = probe.join();
    Some(named().stack_size(STACK_BYTES))
}

pub(super) fn named() -> thread::Builder {
    thread::Builder::new().name("mapping".to_owned())
}
