//! Redis as the server's sources reach it: by an address that leads to a model.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redis::Script;

use crate::turns::{Process, ThreadId};

/// Who calls: the process and the thread of a server.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// The server.
    pub process: Process,
    /// Where it waits.
    pub thread: Option<ThreadId>,
}

/// The connection broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken;

/// What a Redis says of itself: `INFO`, and its settings.
pub type Report = (String, BTreeMap<String, String>);

/// A Redis as a model. Its functions take their time on the thread that calls them.
pub trait RedisEngine: Send + Sync {
    /// Connects; the number of the connection.
    fn connect(&self, caller: Caller) -> Result<u64, Broken>;

    /// What it says of itself.
    fn report(&self, caller: Caller, connection: u64) -> Result<Report, Broken>;

    /// Runs the script of that hash.
    fn run(
        &self,
        caller: Caller,
        connection: u64,
        call: (String, Vec<String>, Vec<String>),
    ) -> Result<[i64; 6], Broken>;
}

/// The text of one of the server's scripts, in two parts.
pub type Text = [&'static str; 2];

/// All of them.
pub const TEXTS: [Text; 3] = [
    [
        include_str!("../../src/limits/redis/scripts/common.lua"),
        include_str!("../../src/limits/redis/scripts/count.lua"),
    ],
    [
        include_str!("../../src/limits/redis/scripts/common.lua"),
        include_str!("../../src/limits/redis/scripts/begin.lua"),
    ],
    [
        include_str!("../../src/limits/redis/scripts/common.lua"),
        include_str!("../../src/limits/redis/scripts/trial.lua"),
    ],
];

/// By what a script is called.
pub fn hash_of(text: Text) -> String {
    Script::new(&text.concat()).get_hash().to_owned()
}

static ENGINES: Mutex<BTreeMap<String, Arc<dyn RedisEngine>>> = Mutex::new(BTreeMap::new());

/// Makes a host lead to a model.
pub fn put(host: &str, engine: Arc<dyn RedisEngine>) {
    engines().insert(host.to_owned(), engine);
}

/// Makes it lead nowhere again.
pub fn remove(host: &str) {
    engines().remove(host);
}

/// The model at a host.
pub(crate) fn named(host: &str) -> Option<Arc<dyn RedisEngine>> {
    engines().get(host).cloned()
}

fn engines() -> MutexGuard<'static, BTreeMap<String, Arc<dyn RedisEngine>>> {
    ENGINES.lock().unwrap_or_else(PoisonError::into_inner)
}
