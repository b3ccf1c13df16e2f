//! The threads that requests need, and the runtime that has them.
//!
//! The essential ones exist before the server says that it listens. Background work starts its own
//! threads: quotas, clock, keyring, key uses, follow, mark, prefetch, and one that writes the log.

use std::io;
use std::thread::available_parallelism;

use shared::base::threads::{self, Blocking};
use tokio::runtime::Runtime;

use crate::catalogue::{OpenSettings, READS_AT_ONCE};

/// Concurrent calls to the ledger that always have threads, shared with everything else that
/// blocks, such as name lookups.
const CONVERSATIONS: usize = 4;
/// Most concurrent calls: a hanging ledger must not take the threads of lists.
const CONVERSATIONS_MAX: usize = 64;

/// A runtime for a server with these settings. On two cores it has 10 threads: one worker a core,
/// and blocking ones: one for each concurrent list query (2), one a core for compression (2), and 4
/// more. With the eight above and the main thread that makes 19. Under load there may be up to 100
/// blocking threads: up to 32 for reads from disk, and 64 for calls to the ledger.
pub fn runtime(settings: OpenSettings) -> io::Result<Runtime> {
    let cores = available_parallelism().map_or(1, usize::from);
    let lists = settings.connections + cores;
    let blocking = Blocking {
        made: lists + CONVERSATIONS,
        at_most: lists + READS_AT_ONCE + CONVERSATIONS_MAX,
    };
    threads::runtime("server", cores, blocking)
}
