//! The log of releases: who changed, or tried to change, which release is served, when, and from
//! what.
//!
//! An entry is one line: its JSON, a blank, and the SHA-256 of that JSON, so that a line proves
//! itself as the pointer does. Entries are only added. In a directory they are lines of one file;
//! in S3, where nothing can be appended, each is an object of its own.
//!
//! The entry of an activation is durable before the pointer names the release. A command killed
//! between the two leaves an entry of what did not happen, never a change without an entry, and the
//! next entry shows it by naming what was active before. Texts and lists are cut, so that an entry
//! is small whatever the names of an export.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::ReleaseId;
use crate::base::hash::sha256_hex;
use crate::base::operator::Operator;
use crate::base::source_files::{SourceFile, SourceFiles};

/// Longest line of an entry, in bytes. Real ones are far shorter.
pub const LINE_MAX: usize = 1 << 17;
/// Most objections in an entry.
const OBJECTIONS_MAX: usize = 20;
/// Most unreadable lines that are named.
pub const UNREADABLE_MAX: usize = 5;
/// Most releases in an entry.
pub const RELEASES_MAX: usize = 200;
/// Longest text of an entry, in characters.
const TEXT_MAX: usize = 400;

/// A command that changes releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// `import`
    #[serde(rename = "import")]
    Import,
    /// `demo`
    #[serde(rename = "demo")]
    Demo,
    /// `releases activate`
    #[serde(rename = "releases activate")]
    Activate,
    /// `releases rollback`
    #[serde(rename = "releases rollback")]
    Rollback,
    /// `releases prune`
    #[serde(rename = "releases prune")]
    Prune,
}

impl Command {
    /// As typed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Demo => "demo",
            Self::Activate => "releases activate",
            Self::Rollback => "releases rollback",
            Self::Prune => "releases prune",
        }
    }
}

/// What a release was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Source {
    /// The export.
    pub files: SourceFiles,
    /// The mapping, if there was one.
    pub mapping: Option<SourceFile>,
    /// How many records were left out because they have errors.
    pub left_out: u64,
    /// How many images were left out that another import may measure.
    #[serde(skip_serializing_if = "is_zero")]
    pub unmeasured: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A reason not to activate a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Objection {
    /// What would happen.
    pub message: String,
    /// The option that allows it.
    pub allowed_by: String,
    /// Whether that option was given.
    #[serde(rename = "allowed")]
    pub is_allowed: bool,
}

/// A command that is about to change releases: who runs it, when, and on what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// When, in Unix seconds.
    pub at: i64,
    /// Who.
    pub author: Operator,
    /// With which command.
    pub command: Command,
    /// From what, for an import.
    #[serde(default)]
    pub source: Option<Source>,
    /// What the guards said of it.
    #[serde(default)]
    pub objections: Vec<Objection>,
}

/// What a command did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "camelCase")]
pub enum Outcome {
    /// It made this release the active one.
    Activated {
        /// The release.
        release: ReleaseId,
        /// What was active until then, where there was any and it is known.
        before: Option<ReleaseId>,
    },
    /// It made this release, and was told not to activate it.
    Made {
        /// The release.
        release: ReleaseId,
    },
    /// There was nothing to do: this release is active already, or, without a source in the entry,
    /// it was made from the same exports, which were not read again.
    Unchanged {
        /// The release.
        release: ReleaseId,
    },
    /// It made this release, which the guards refused to activate.
    Refused {
        /// The release.
        release: ReleaseId,
    },
    /// It did not activate this release, because another process had changed the active one.
    Overtaken {
        /// The release.
        release: ReleaseId,
    },
    /// It made nothing, because the export has errors.
    Invalid {
        /// Their number.
        errors: u64,
    },
    /// It removes releases.
    Removed {
        /// How many.
        count: u64,
        /// Their bytes, including leftovers of killed commands.
        bytes: u64,
        /// The first of them, at most [`RELEASES_MAX`].
        first: Vec<ReleaseId>,
    },
    /// It failed to remove some releases.
    NotRemoved {
        /// How many.
        count: u64,
        /// The first of them, at most [`RELEASES_MAX`].
        first: Vec<ReleaseId>,
    },
}

/// One entry of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Who tried what.
    #[serde(flatten)]
    pub attempt: Attempt,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Why a line is not an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoEntry {
    /// It does not prove itself.
    #[error("is damaged")]
    Damaged,
    /// It has no end: the machine or its disk failed while it was being written.
    #[error("was cut off while it was written")]
    Torn,
    /// It is whole, but this program does not understand it.
    #[error("is of another version of this program")]
    Unknown,
}

impl Attempt {
    /// A command that an author runs at this time, in Unix seconds.
    pub const fn new(command: Command, author: Operator, at: i64) -> Self {
        Self {
            at,
            author,
            command,
            source: None,
            objections: Vec::new(),
        }
    }

    /// The entry of what came of it.
    #[must_use]
    pub fn entry(&self, outcome: Outcome) -> Entry {
        Entry {
            attempt: self.clone(),
            outcome,
        }
    }

    /// The same, with what the guards said.
    #[must_use]
    pub fn with_objections(self, objections: impl IntoIterator<Item = Objection>) -> Self {
        let cut = |objection: Objection| Objection {
            message: cut(&objection.message),
            ..objection
        };
        let objections = objections.into_iter().take(OBJECTIONS_MAX).map(cut);
        Self {
            objections: objections.collect(),
            ..self
        }
    }
}

impl Source {
    /// The export `files`, read with `mapping`, except `left_out` records.
    pub fn new(files: SourceFiles, mapping: Option<SourceFile>, left_out: u64) -> Self {
        // Half an ETag would name another state: without one, contents are compared by their hash.
        let is_short = |etag: &String| etag.len() <= TEXT_MAX;
        let cut = |file: SourceFile| SourceFile {
            name: cut(&file.name),
            etag: file.etag.filter(is_short),
            ..file
        };
        let first = files.first.into_iter().map(cut).collect();
        Self {
            files: SourceFiles { first, ..files },
            mapping: mapping.map(cut),
            left_out,
            unmeasured: 0,
        }
    }
}

impl Outcome {
    /// This release replaces what was active `before`.
    pub(super) fn activated(release: &ReleaseId, before: Option<&ReleaseId>) -> Self {
        Self::Activated {
            release: release.clone(),
            before: before.cloned(),
        }
    }

    /// These releases are removed, `bytes` in all.
    pub fn removed(releases: &[&ReleaseId], bytes: u64) -> Self {
        Self::Removed {
            count: releases.len() as u64,
            bytes,
            first: first(releases),
        }
    }

    /// These releases should have been removed, but are still there.
    pub fn not_removed(releases: &[&ReleaseId]) -> Self {
        Self::NotRemoved {
            count: releases.len() as u64,
            first: first(releases),
        }
    }
}

impl Entry {
    /// Whether it is about an import, whatever became of it.
    pub const fn is_import(&self) -> bool {
        matches!(self.attempt.command, Command::Import | Command::Demo)
    }

    /// The release of an import that no guard and no error stopped.
    pub const fn imported(&self) -> Option<&ReleaseId> {
        match &self.outcome {
            Outcome::Activated { release, .. }
            | Outcome::Made { release }
            | Outcome::Unchanged { release }
                if self.is_import() =>
            {
                Some(release)
            }
            _ => None,
        }
    }

    /// Whether imports that were refused before no longer matter: one was not, or someone decided
    /// which release is active.
    pub const fn settles_refusals(&self) -> bool {
        matches!(self.outcome, Outcome::Activated { .. }) || self.imported().is_some()
    }

    /// Whether it is about a release that `is_meant`.
    pub fn is_about(&self, is_meant: impl Fn(&ReleaseId) -> bool) -> bool {
        match &self.outcome {
            Outcome::Activated { release, before } => {
                is_meant(release) || before.as_ref().is_some_and(is_meant)
            }
            Outcome::Made { release }
            | Outcome::Unchanged { release }
            | Outcome::Refused { release }
            | Outcome::Overtaken { release } => is_meant(release),
            Outcome::Invalid { .. } => false,
            Outcome::Removed { first, .. } | Outcome::NotRemoved { first, .. } => {
                first.iter().any(is_meant)
            }
        }
    }

    /// The line of the entry, with its line break.
    pub(super) fn to_line(&self) -> String {
        let json = serde_json::to_string(self)
            .unwrap_or_else(|error| unreachable!("an entry did not serialise: {error}"));
        let checksum = sha256_hex(json.as_bytes());
        format!("{json} {checksum}\n")
    }

    /// Reads a line, which has no line break.
    pub(super) fn parse(line: &[u8]) -> Result<Self, NoEntry> {
        let line = std::str::from_utf8(line).map_err(|_other| NoEntry::Damaged)?;
        let (json, checksum) = line.rsplit_once(' ').ok_or(NoEntry::Damaged)?;
        if sha256_hex(json.as_bytes()) != checksum {
            return Err(NoEntry::Damaged);
        }
        serde_json::from_str(json).map_err(|_unknown| NoEntry::Unknown)
    }
}

/// Which entries to return.
#[derive(Clone, Copy)]
pub struct LogQuery<'a> {
    /// Most entries to return: the latest.
    pub last: usize,
    /// Whether an entry is wanted.
    pub is_wanted: &'a dyn Fn(&Entry) -> bool,
}

/// An entry in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// The entry.
    pub entry: Entry,
    /// Whether the release active before differs from that of the previous logged activation.
    pub is_after_gap: bool,
}

/// The part of the log that was queried.
#[derive(Debug, Default)]
pub struct LogPart {
    /// The wanted entries, the earliest first.
    pub entries: VecDeque<Logged>,
    /// Whether there are earlier ones.
    pub has_earlier: bool,
    /// The release that was activated last, by all entries.
    pub activated: Option<ReleaseId>,
    /// How many lines cannot be read.
    pub unreadable: u64,
    /// Which, and why: the last of them, at most [`UNREADABLE_MAX`].
    pub unreadable_last: VecDeque<String>,
}

impl LogPart {
    /// Nothing yet; `has_earlier` if earlier lines are not read.
    pub(super) fn after_unread(has_earlier: bool) -> Self {
        Self {
            has_earlier,
            ..Self::default()
        }
    }

    /// Adds the next line, which is called `name`.
    pub(super) fn push(&mut self, line: Result<Entry, NoEntry>, name: &str, query: LogQuery<'_>) {
        let entry = match line {
            Ok(entry) => entry,
            Err(reason) => return self.skip(format!("{name} {reason}")),
        };
        let is_after_gap = self.follow(&entry.outcome);
        if !(query.is_wanted)(&entry) {
            return;
        }
        self.entries.push_back(Logged {
            entry,
            is_after_gap,
        });
        if query.last < self.entries.len() {
            self.entries.pop_front();
            self.has_earlier = true;
        }
    }

    /// Records an unreadable line.
    fn skip(&mut self, line: String) {
        self.unreadable += 1;
        self.unreadable_last.push_back(line);
        if UNREADABLE_MAX < self.unreadable_last.len() {
            self.unreadable_last.pop_front();
        }
    }

    /// Records what was activated. Whether, by the entries so far, something else had been active
    /// before.
    fn follow(&mut self, outcome: &Outcome) -> bool {
        let Outcome::Activated { release, before } = outcome else {
            return false;
        };
        let known = self.activated.replace(release.clone());
        matches!((known, before), (Some(known), Some(before)) if known != *before)
    }
}

fn first(releases: &[&ReleaseId]) -> Vec<ReleaseId> {
    let first = releases.iter().take(RELEASES_MAX);
    first.map(|release| (*release).clone()).collect()
}

/// A text of an entry, cut to the longest allowed.
fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
