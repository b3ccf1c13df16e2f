//! The log of releases in S3: an object for each entry, whose name begins with the time.
//!
//! Entries are read in the order in which S3 dates them, since the clocks of operators differ.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

use super::bucket::{Bucket, Listed};
use crate::base::timestamp::Timestamp;
use crate::release::ReleaseError;
use crate::release::log::{Entry, LINE_MAX, LogPart, LogQuery, NoEntry};

/// The folder of entries.
const LOG: &str = "log/";
/// Most entries that are read, one request each.
const READ_MAX: usize = 1000;

/// The log, as all machines see it.
pub(super) struct SharedLog {
    bucket: Arc<Bucket>,
    /// Unique to this process.
    who: String,
    /// How many entries this process has written.
    written: AtomicU64,
}

impl SharedLog {
    /// The log in `bucket`. `who` is unique to this process.
    pub(super) fn new(bucket: Arc<Bucket>, who: String) -> Self {
        Self {
            bucket,
            who,
            written: AtomicU64::new(0),
        }
    }

    /// Adds an entry, and returns the name of its object.
    pub(super) fn append(&self, entry: &Entry) -> Result<String, ReleaseError> {
        let at = Timestamp::from_unix_seconds(entry.attempt.at).to_string();
        let at = at.replace(['-', ':'], "");
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let name = format!("{LOG}{at}-{}-{number}", self.who);
        // Where there is one of that name, an answer was lost and this is what was just written.
        self.bucket.create(&name, Bytes::from(entry.to_line()))?;
        Ok(name)
    }

    /// What is asked for of it.
    pub(super) fn read(&self, query: LogQuery<'_>) -> Result<LogPart, ReleaseError> {
        let mut listed = self.listed()?;
        let unread = listed.len().saturating_sub(READ_MAX);
        let mut part = LogPart::after_unread(unread != 0);
        for object in listed.drain(unread..) {
            if let Some(entry) = self.entry(&object)? {
                part.push(entry, &object.name, query);
            }
        }
        Ok(part)
    }

    /// The latest entry that is wanted. Later ones are asked about first, and no earlier one is
    /// fetched.
    pub(super) fn latest(
        &self,
        is_wanted: &mut dyn FnMut(&Entry) -> bool,
    ) -> Result<Option<Entry>, ReleaseError> {
        for object in self.listed()?.iter().rev().take(READ_MAX) {
            if let Some(Ok(entry)) = self.entry(object)?
                && is_wanted(&entry)
            {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// All entries, the earliest first.
    fn listed(&self) -> Result<Vec<Listed>, ReleaseError> {
        let mut listed = self.bucket.list(LOG)?;
        listed.sort_by(|a, b| key(a).cmp(&key(b)));
        Ok(listed)
    }

    /// One entry; `None` if it was taken back since.
    fn entry(&self, object: &Listed) -> Result<Option<Result<Entry, NoEntry>>, ReleaseError> {
        Ok(match self.bucket.get(&object.name, LINE_MAX as u64) {
            Ok(contents) => contents.map(|contents| {
                let line = contents.bytes.strip_suffix(b"\n");
                Entry::parse(line.unwrap_or(&contents.bytes))
            }),
            Err(ReleaseError::Damaged { .. }) => Some(Err(NoEntry::Damaged)),
            Err(error) => return Err(error),
        })
    }
}

fn key(object: &Listed) -> (i64, &str) {
    (object.modified_seconds, &object.name)
}
