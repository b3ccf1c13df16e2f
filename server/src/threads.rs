//! The threads that requests need: how many, and the runtime that has them.
//!
//! Those that they cannot do without are there before the server says that it listens. What has a
//! thread of its own beside requests makes it where it begins: seven are called quotas, clock,
//! keyring, key uses, follow, mark and prefetch, and one more writes the log.

use std::io;
use std::thread::available_parallelism;

use shared::base::threads::{self, Blocking};
use tokio::runtime::Runtime;

use crate::catalogue::{OpenSettings, READS_AT_ONCE};

/// Conversations with the ledger of monthly quotas at once, of as many subscriptions, for which
/// there are threads in any case, and all else that blocks, such as names that are looked up.
const CONVERSATIONS: usize = 4;
/// For how many there may be: a ledger that hangs shall not keep lists from their threads.
const CONVERSATIONS_MAX: usize = 64;

/// A runtime for a server that opens releases so. On two cores it has 10 threads: one a core that
/// never blocks; and that may block, one a list query at once (2), one a core for compression (2),
/// and 4. Together with the eight above that makes 19 with the one that started them. Under load
/// there may be as many as 100 that block: reads from disk have up to 32, and conversations 64.
pub fn runtime(settings: OpenSettings) -> io::Result<Runtime> {
    let cores = available_parallelism().map_or(1, usize::from);
    let lists = settings.connections + cores;
    let blocking = Blocking {
        made: lists + CONVERSATIONS,
        at_most: lists + READS_AT_ONCE + CONVERSATIONS_MAX,
    };
    threads::runtime("server", cores, blocking)
}
