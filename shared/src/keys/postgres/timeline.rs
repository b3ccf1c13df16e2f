//! On which timeline of its history a database is, so that nobody goes back to an older one.
//!
//! A standby that takes over begins a timeline of its own. The primary that it took over from may
//! come back and be writable on the old one: it does not know which keys were revoked since, and
//! what is written to it is lost. Whoever has seen a timeline therefore accepts no older one of the
//! same database cluster. What was seen is kept in a file where one is named, so that it also holds
//! for the next command and after a restart.
//!
//! The number is that of the log that is written, not that of the last checkpoint, which follows a
//! promotion by minutes.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tokio_postgres::error::SqlState;
use tokio_postgres::{Error, SimpleQueryMessage, SimpleQueryRow};

use crate::base::durable;
use crate::base::regular_file;
use crate::base::threads::lock;
use crate::keys::postgres::failure::Failure;

/// Most bytes of the file with what was seen: two numbers.
const BYTES_MAX: u64 = 64;

/// The columns that [`Timeline::of`] reads; none has a value on a standby.
pub(super) const COLUMNS: &str = "
    (SELECT system_identifier FROM pg_catalog.pg_control_system()) AS system,
    CASE WHEN NOT pg_catalog.pg_is_in_recovery() THEN pg_catalog.substr(
        pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8) END AS timeline";

/// Whether the error of a query with [`COLUMNS`] means that this database never has them: not every
/// one of a kind tells its timeline, nor tells it to everyone.
pub(super) fn is_never_told(error: &Error) -> bool {
    let never = [
        SqlState::UNDEFINED_FUNCTION,
        SqlState::INSUFFICIENT_PRIVILEGE,
        SqlState::FEATURE_NOT_SUPPORTED,
    ];
    error.code().is_some_and(|code| never.contains(code))
}

/// A database cluster, and the timeline that it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Timeline {
    system: i64,
    number: u32,
}

/// The latest one that was seen; clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Timelines(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    seen: Mutex<Option<Timeline>>,
    /// Where it is kept.
    file: Option<PathBuf>,
}

impl Timeline {
    /// What a simple query with [`COLUMNS`] says.
    pub(super) fn of(answers: &[SimpleQueryMessage]) -> Option<Self> {
        let mut rows = answers.iter().filter_map(|answer| match answer {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        rows.find_map(Self::of_row)
    }

    fn of_row(row: &SimpleQueryRow) -> Option<Self> {
        Some(Self {
            system: row.try_get("system").ok()??.parse().ok()?,
            number: u32::from_str_radix(row.try_get("timeline").ok()??, 16).ok()?,
        })
    }

    /// One by its name in the setting `catalogue.timeline`, in which [`guard`](Timelines::guard)
    /// gives it to the functions of the schema.
    pub(super) fn named(name: &str) -> Option<Self> {
        let (system, number) = name.split_once('/')?;
        Some(Self {
            system: system.parse().ok()?,
            number: u32::from_str_radix(number, 16).ok()?,
        })
    }

    /// Which one of its cluster it is.
    pub(super) fn number(self) -> u32 {
        self.number
    }

    /// The same database after another takes over.
    #[cfg(test)]
    pub(super) fn successor(self) -> Self {
        let number = self.number + 1;
        Self { number, ..self }
    }

    /// The database that this one took over from.
    #[cfg(test)]
    pub(super) fn predecessor(self) -> Self {
        let number = self.number - 1;
        Self { number, ..self }
    }

    /// Its name in the setting `catalogue.timeline`.
    #[cfg(test)]
    pub(super) fn name(self) -> String {
        format!("{}/{:08X}", self.system, self.number)
    }

    /// Whether `other` took over from it, or from one that did.
    pub(super) fn is_before(self, other: Self) -> bool {
        self.system == other.system && self.number < other.number
    }
}

impl Timelines {
    /// What was last seen according to the file there, which need not exist.
    pub(super) fn kept_in(file: PathBuf) -> Self {
        Self(Arc::new(Shared {
            seen: Mutex::new(kept(&file)),
            file: Some(file),
        }))
    }

    /// What was seen.
    pub(super) fn seen(&self) -> Option<Timeline> {
        *lock(&self.0.seen)
    }

    /// What the statement that begins a transaction also asks for: [`COLUMNS`], that the functions
    /// of the schema know the timeline, and that nothing can be changed on an older one than
    /// was seen. Nothing as long as none was.
    pub(super) fn guard(&self) -> String {
        let Some(Timeline { system, number }) = self.seen() else {
            return String::new();
        };
        format!(
            ", system, timeline,
                set_config('catalogue.timeline', system || '/' || timeline, true),
                set_config('transaction_read_only',
                CASE WHEN system = {system} AND timeline < '{number:08X}' THEN 'on'
                    ELSE current_setting('transaction_read_only') END, true)
            FROM (SELECT {COLUMNS}) AS here"
        )
    }

    /// Forgets it: the database that is there now does not tell.
    pub(super) fn forget(&self) {
        *lock(&self.0.seen) = None;
    }

    /// Notes what was found: refused if it is older than what was seen, here or by another process
    /// that keeps it in the same file. A database that does not tell is neither old nor new.
    pub(super) fn note(&self, found: Option<Timeline>) -> Result<(), Failure> {
        let Some(found) = found else {
            return Ok(());
        };
        let mut seen = lock(&self.0.seen);
        if *seen == Some(found) {
            return Ok(());
        }
        let is_later = |other: &Timeline| found.is_before(*other);
        let kept = || kept(self.0.file.as_ref()?);
        if let Some(later) = seen.filter(is_later).or_else(|| kept().filter(is_later)) {
            *seen = Some(later);
            return Err(Failure::Superseded {
                found: found.number,
                seen: later.number,
            });
        }
        *seen = Some(found);
        self.keep(found);
        Ok(())
    }

    /// Keeps it where there is a directory for it. If that fails, it is known until this process
    /// ends.
    fn keep(&self, seen: Timeline) {
        if let Some(file) = &self.0.file {
            let text = format!("{} {}\n", seen.system, seen.number);
            _ = durable::replace(file, text.as_bytes());
        }
    }
}

/// What was last seen according to the file there, if it says so.
fn kept(file: &Path) -> Option<Timeline> {
    let mut text = String::new();
    let file = regular_file::open(file).ok()?;
    file.take(BYTES_MAX + 1).read_to_string(&mut text).ok()?;
    if BYTES_MAX < text.len() as u64 {
        return None;
    }
    let (system, number) = text.trim_end().split_once(' ')?;
    Some(Timeline {
        system: system.parse().ok()?,
        number: number.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const SEEN: Timeline = Timeline {
        system: 7,
        number: 0x1F,
    };

    #[test]
    fn no_older_timeline_of_the_same_cluster_is_accepted() {
        let timelines = Timelines::default();
        assert_eq!(timelines.guard(), "");
        timelines.note(None).unwrap();
        timelines.note(Some(SEEN)).unwrap();
        timelines.note(Some(SEEN)).unwrap();
        assert!(
            timelines
                .guard()
                .contains("system = 7 AND timeline < '0000001F'")
        );
        timelines.note(Some(SEEN.successor())).unwrap();
        let refused = timelines.note(Some(SEEN)).unwrap_err();
        let text = "it is on timeline 31, from which timeline 32 has taken over";
        assert_eq!(refused.text(), text);
        timelines.note(None).unwrap();
        // Another cluster counts its timelines anew.
        let other = Timeline {
            system: 8,
            number: 1,
        };
        timelines.note(Some(other)).unwrap();
        timelines.forget();
        timelines.note(Some(SEEN)).unwrap();
    }

    #[test]
    fn what_was_seen_is_kept_and_a_file_that_cannot_be_read_is_as_none() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("timeline");
        assert_eq!(Timelines::kept_in(file.clone()).seen(), None);
        Timelines::kept_in(file.clone()).note(Some(SEEN)).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "7 31\n");
        assert_eq!(Timelines::kept_in(file.clone()).seen(), Some(SEEN));
        let long = format!("7 {:0100}\n", 31);
        for text in ["", "7", "7 x\n", "7 99999999999\n", &long] {
            durable::replace(&file, text.as_bytes()).unwrap();
            assert_eq!(Timelines::kept_in(file.clone()).seen(), None, "{text}");
        }
        let nowhere = Timelines::kept_in(directory.path().join("missing/timeline"));
        nowhere.note(Some(SEEN)).unwrap();
        assert_eq!(nowhere.seen(), Some(SEEN));
    }

    #[test]
    fn what_another_process_saw_meanwhile_is_neither_accepted_over_nor_written_over() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("timeline");
        let (command, server) = (
            Timelines::kept_in(file.clone()),
            Timelines::kept_in(file.clone()),
        );
        command.note(Some(SEEN.successor())).unwrap();
        server.note(Some(SEEN)).unwrap_err();
        assert_eq!(server.seen(), Some(SEEN.successor()));
        assert_eq!(fs::read_to_string(&file).unwrap(), "7 32\n");
    }
}
