//! The threads that requests need, and the runtime that has them.
//!
//! The essential ones exist before the server says that it listens. Background work starts its own
//! threads: quotas, clock, keyring, key uses, follow, mark, prefetch, imports, and one that writes
//! the log.

use std::io;
use std::thread::available_parallelism;

use shared::base::threads::{self, Blocking};
use tokio::runtime::Runtime;

use crate::catalogue::{OpenSettings, READS_AT_ONCE, WHOLE_READS_AT_ONCE};
use crate::comparisons::{COMPARED_AT_ONCE, LOOKS_AT_ONCE};
use crate::limits::LEDGER_CALLS_MAX;

/// Blocking threads that exist from the start beside those of lists and compression, for whatever
/// blocks first: calls to the ledger, reads from disk, name lookups.
const OTHERS: usize = 4;

/// A runtime for a server with these settings. On two cores it has 10 threads: one worker a core,
/// and blocking ones: one for each concurrent list query (2), one a core for compression (2), and 4
/// more. With the nine above and the main thread that makes 20.
///
/// Under load there may be about a hundred more blocking threads: most for calls to the ledger, and
/// the others for reads from disk and comparisons of releases. Each kind of work bounds itself to
/// its number, so none waits for another kind, unless the system allows fewer threads or a release
/// was just replaced, whose last requests come on top.
pub fn runtime(settings: OpenSettings) -> io::Result<Runtime> {
    let cores = available_parallelism().map_or(1, usize::from);
    let lists = settings.connections + cores;
    let blocking = Blocking {
        made: lists + OTHERS,
        at_most: lists
            + OTHERS
            + READS_AT_ONCE
            + WHOLE_READS_AT_ONCE
            + COMPARED_AT_ONCE
            + LOOKS_AT_ONCE
            + LEDGER_CALLS_MAX,
    };
    threads::runtime("server", cores, blocking)
}
