//! The servers of a data directory: one at a time for each environment, and which state of the
//! keys each of them acts on.
//!
//! A running server holds a lock, which ends with its process. Beside the lock it records the
//! revision of the keys it acts on, so that a command can wait until a change holds everywhere.
//! Nothing here knows what a server does, or reads the keys.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::data_dir::DataDir;
use crate::base::file_lock::FileLock;
use crate::base::regular_file;
use crate::keys::environment::Environment;
use crate::keys::store::{Cause, KeySnapshot, KeySource, KeyStoreError, Location, Revision};

/// The right to serve an environment of a data directory, until it is dropped: minute windows are
/// not shared between servers.
#[derive(Debug)]
pub struct ServerLock {
    data: DataDir,
    environment: Environment,
    lock: FileLock,
}

/// Why an environment cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServerLockError {
    /// Another server does already.
    #[error("a server of the environment {environment} already runs on {}", data.display())]
    Running {
        /// What it serves.
        environment: Environment,
        /// From where.
        data: PathBuf,
    },
    /// The lock could not be had for another reason.
    #[error("could not lock {}", path.display())]
    Failed {
        /// The lock.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
}

/// Which state of the keys a server acts on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerStatus {
    /// There is no server.
    Stopped,
    /// It acts on the keys as they were at that revision.
    At(Revision),
    /// It runs and does not know any keys yet.
    Silent,
}

impl ServerLock {
    /// Takes the lock of an environment. What an earlier server recorded no longer counts.
    pub fn take(data: &DataDir, environment: Environment) -> Result<Self, ServerLockError> {
        let path = data.server_lock(environment.as_str());
        let failed = |path| |source| ServerLockError::Failed { path, source };
        let opened = regular_file::open_to_write(&path);
        let file = opened.map_err(failed(path.clone()))?;
        let Some(lock) = FileLock::take(file).map_err(failed(path))? else {
            return Err(ServerLockError::Running {
                environment,
                data: data.path().to_owned(),
            });
        };
        let lock = Self {
            data: data.clone(),
            environment,
            lock,
        };
        let seen = lock.data.server_seen(environment.as_str());
        remove(&seen).map_err(failed(seen))?;
        Ok(lock)
    }

    /// The data directory that may be served from.
    pub fn data(&self) -> &DataDir {
        &self.data
    }

    /// What may be served.
    pub fn environment(&self) -> Environment {
        self.environment
    }

    /// Records that this server acts on the keys as they are at `revision`.
    pub fn confirm(&self, revision: &Revision) -> io::Result<()> {
        let seen = self.data.server_seen(self.environment.as_str());
        overwrite(&seen, revision.0.as_bytes())
    }

    /// Whether the lock still keeps others from serving: another file may have been put in its
    /// place, or none.
    pub fn holds(&self) -> io::Result<bool> {
        let held = self.lock.file().metadata()?;
        let there = match fs::metadata(self.data.server_lock(self.environment.as_str())) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            there => there?,
        };
        Ok((held.dev(), held.ino()) == (there.dev(), there.ino()))
    }
}

impl Drop for ServerLock {
    fn drop(&mut self) {
        // What is left counts for nothing without the lock, and the next server removes it.
        let _removed = remove(&self.data.server_seen(self.environment.as_str()));
    }
}

/// Follows keys as long as a lock holds: without it another server may count the same minute
/// limits, and no command hears what this one confirms.
pub struct WhileLocked {
    lock: Arc<ServerLock>,
    source: Box<dyn KeySource>,
}

impl WhileLocked {
    /// Follows what `source` does.
    pub fn new(lock: Arc<ServerLock>, source: Box<dyn KeySource>) -> Self {
        Self { lock, source }
    }
}

impl KeySource for WhileLocked {
    fn poll(&mut self) -> Result<Option<KeySnapshot>, KeyStoreError> {
        let location = || Location::File(self.lock.data.path().display().to_string());
        let failed = |cause: Cause| KeyStoreError::Failed {
            attempt: "serve from",
            location: location(),
            source: cause,
        };
        match self.lock.holds() {
            Ok(true) => self.source.poll(),
            Ok(false) => Err(failed("the server's lock was removed; restart it".into())),
            Err(error) => Err(failed(error.to_string().into())),
        }
    }

    fn revision(&self) -> Option<Revision> {
        self.source.revision()
    }
}

/// The status of the server of `environment`.
pub fn server_status(data: &DataDir, environment: Environment) -> io::Result<ServerStatus> {
    let file = match regular_file::open(&data.server_lock(environment.as_str())) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(ServerStatus::Stopped),
        opened => opened?,
    };
    if FileLock::share_free(file)?.is_some() {
        return Ok(ServerStatus::Stopped);
    }
    let seen = match read_seen(data, environment) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(ServerStatus::Silent),
        read => read?,
    };
    Ok(ServerStatus::At(Revision(seen)))
}

fn read_seen(data: &DataDir, environment: Environment) -> io::Result<String> {
    let file = regular_file::open(&data.server_seen(environment.as_str()))?;
    io::read_to_string(file)
}

/// Puts `contents` into the place of others that are about as long, if there are any, which needs
/// nothing of a disk that may be full. A process that reads meanwhile may read something of both: half a
/// revision is none that a command waits for.
fn overwrite(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut file = regular_file::open_to_write(path)?;
    file.write_all(contents)?;
    file.set_len(contents.len() as u64)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::base::durable;

    const LIVE: Environment = Environment::Live;

    fn data() -> (tempfile::TempDir, DataDir) {
        let directory = tempfile::tempdir().unwrap();
        let data = DataDir::new(directory.path());
        (directory, data)
    }

    #[test]
    fn a_server_stands_where_it_last_confirmed_while_it_runs() {
        let (_directory, data) = data();
        let stands = || server_status(&data, LIVE).unwrap();
        assert_eq!(stands(), ServerStatus::Stopped);
        let lock = ServerLock::take(&data, LIVE).unwrap();
        assert_eq!(stands(), ServerStatus::Silent);
        for revision in ["7-ab", "12-cd", "7-ef"].map(|name| Revision(name.to_owned())) {
            lock.confirm(&revision).unwrap();
            assert_eq!(stands(), ServerStatus::At(revision));
        }
        assert_eq!(
            server_status(&data, Environment::Test).unwrap(),
            ServerStatus::Stopped
        );
        drop(lock);
        assert_eq!(stands(), ServerStatus::Stopped);
    }

    #[test]
    fn what_a_killed_server_confirmed_says_nothing_of_the_next() {
        let (_directory, data) = data();
        let seen = data.server_seen(LIVE.as_str());
        durable::replace(&seen, b"7-ab").unwrap();
        assert_eq!(server_status(&data, LIVE).unwrap(), ServerStatus::Stopped);
        let _lock = ServerLock::take(&data, LIVE).unwrap();
        assert_eq!(server_status(&data, LIVE).unwrap(), ServerStatus::Silent);
    }

    #[test]
    fn an_environment_has_one_server_at_a_time() {
        let (_directory, data) = data();
        let lock = ServerLock::take(&data, LIVE).unwrap();
        let refused = ServerLock::take(&data, LIVE).unwrap_err();
        assert!(
            matches!(refused, ServerLockError::Running { .. }),
            "{refused}"
        );
        ServerLock::take(&data, Environment::Test).unwrap();
        drop(lock);
        ServerLock::take(&data, LIVE).unwrap();
    }

    #[test]
    fn a_lock_that_was_removed_or_replaced_holds_nobody_off() {
        let (_directory, data) = data();
        let lock = ServerLock::take(&data, LIVE).unwrap();
        assert!(lock.holds().unwrap());
        let path = data.server_lock(LIVE.as_str());
        fs::remove_file(&path).unwrap();
        assert!(!lock.holds().unwrap());
        durable::create_new(&path).unwrap();
        assert!(!lock.holds().unwrap());
    }

    #[test]
    fn a_planted_link_is_not_followed() {
        let (directory, data) = data();
        let target = directory.path().join("of others");
        durable::replace(&target, b"theirs").unwrap();
        let lock = ServerLock::take(&data, LIVE).unwrap();
        symlink(&target, data.server_seen(LIVE.as_str())).unwrap();
        assert!(lock.confirm(&Revision("7-ab".to_owned())).is_err());
        drop(lock);
        let path = data.server_lock(LIVE.as_str());
        fs::remove_file(&path).unwrap();
        symlink(&target, &path).unwrap();
        assert!(ServerLock::take(&data, LIVE).is_err());
        assert_eq!(fs::read(&target).unwrap(), b"theirs");
    }

    #[test]
    fn a_look_for_a_server_keeps_none_from_starting() {
        let (_directory, data) = data();
        drop(ServerLock::take(&data, LIVE).unwrap());
        let file = fs::File::open(data.server_lock(LIVE.as_str())).unwrap();
        let looking = FileLock::share_free(file).unwrap().unwrap();
        let starting = std::thread::spawn(move || ServerLock::take(&data, LIVE).map(drop));
        drop(looking);
        starting.join().unwrap().unwrap();
    }
}
