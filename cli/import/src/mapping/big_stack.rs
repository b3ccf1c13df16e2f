//! Threads with a stack large enough for deeply nested values.

use std::panic;
use std::thread;

/// The stack size of a thread: enough for what an expression can nest in the time that it has. Only
/// what is used takes memory.
const STACK_BYTES: usize = 2 << 30;

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
