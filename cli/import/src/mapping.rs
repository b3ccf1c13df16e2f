//! Mappings: a content model's export, whatever it looks like, becomes native records by what a
//! file says, so that a content model can change without anything else changing.
//!
//! No content system is known here: what is particular to one stands in a mapping file, of which
//! some are shipped. A mapping makes lines of the native format; whether those are right is for
//! validation to say.

mod check;
mod definition;
mod documents;
mod expression;
mod functions;
mod image_files;
mod index;
mod keys;
mod links;
mod mapper;
mod native;
mod origin;
mod parse;
mod pipeline;
mod section;
mod shipped;
mod worker;

use std::fs;
use std::io::{self, Read};
use std::num::NonZero;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;

pub use self::check::{CheckReport, FieldReport, LinkedReport, RuleReport, UnreadKey};
pub use self::mapper::Failed;
pub use self::shipped::Shipped;

use self::definition::Definition;
use self::index::Index;
use self::pipeline::Pipeline;
use self::worker::Workers;
use crate::finding::Kind;
use crate::finding::{Finding, Findings};
use crate::source::ProgressListener;
use crate::source::{self, Surroundings, Visit};

/// Longest mapping file, in bytes.
const FILE_MAX: u64 = 1024 * 1024;
/// Deepest nesting of a record that is read; the outermost object is at depth 1.
const DEPTH_MAX: usize = 128;
/// Bytes of memory that mapping one record may take: enough for every record that can be read.
const MEMORY_MAX: usize = 1 << 30;

/// A mapping file that was read and whose expressions compile.
#[derive(Debug)]
pub struct Mapping {
    /// Its path, for people.
    name: String,
    text: String,
    definition: Arc<Definition>,
    /// The files it reads, for people.
    wanted: String,
}

/// Something wrong with a mapping file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Bytes of the file.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead, where that is known.
    pub hint: Option<String>,
}

impl Mistake {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}

/// A mapping file with mistakes.
#[derive(Debug, thiserror::Error)]
#[error("the mapping {name} cannot be used")]
pub struct InvalidMapping {
    /// Its path, for people.
    pub name: String,
    /// Its text.
    pub text: String,
    /// All that is wrong with it.
    pub mistakes: Vec<Mistake>,
}

impl InvalidMapping {
    /// What to do next.
    pub const HINT: &str = "mend the mapping; `catalogue mapping init` writes one that works";
}

/// Receives what a mapping makes of an export.
pub trait Receive: Visit {
    /// A record that could not be mapped.
    fn failed(&mut self, failed: Failed) -> anyhow::Result<()>;
    /// So many records were read, whatever becomes of them.
    fn read(&mut self, records: u64);
    /// Something about a record that was mapped all the same.
    fn finding(&mut self, finding: Finding);
    /// A record that is not published.
    fn unpublished(&mut self, kind: Kind, id: &str);
}

impl Mapping {
    /// Reads a mapping file; one with mistakes is wrong usage.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let text = read_text(path).with_context(|| format!("could not read the mapping {name}"))?;
        Self::parse(name, text)
    }

    /// Reads the text of a mapping file called `name`.
    pub fn parse(name: String, text: String) -> anyhow::Result<Self> {
        let checked = worker::deep(|| {
            parse::parse(&text).and_then(|mut definition| {
                mapper::compile(&definition)?;
                check::note_published_keys(&mut definition);
                Ok(definition)
            })
        })?;
        let definition = match checked {
            Ok(definition) => definition,
            Err(mistakes) => {
                return Err(InvalidMapping {
                    name,
                    text,
                    mistakes,
                }
                .into());
            }
        };
        let sources = definition.sources.iter().map(|source| &source.files);
        let links = definition.links.iter().map(|links| &links.files);
        let patterns = sources.chain(links).flat_map(|files| &files.patterns);
        let wanted: Vec<&str> = patterns.map(String::as_str).collect();
        Ok(Self {
            wanted: wanted.join(" or "),
            name,
            text,
            definition: Arc::new(definition),
        })
    }

    /// The mapping, or the mistakes in it that `findings` about its [`Self::blank_records`] tell.
    pub(crate) fn checked(self, findings: &Findings) -> Result<Self, InvalidMapping> {
        let mistakes = native::unknown_fields(&self.definition, findings);
        if mistakes.is_empty() {
            return Ok(self);
        }
        Err(InvalidMapping {
            name: self.name,
            text: self.text,
            mistakes,
        })
    }

    /// A native record for each rule, with all its fields and no value: to see whether the native
    /// format knows these.
    pub(crate) fn blank_records(&self) -> String {
        native::blank_records(&self.definition)
    }

    /// The line of a place in the file.
    fn line_of(&self, offset: usize) -> u64 {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        1 + memchr::memchr_iter(b'\n', before).count() as u64
    }
}

/// What to read with a mapping, and how.
pub struct Run<'a> {
    /// What makes native records.
    pub mapping: &'a Mapping,
    /// What is read.
    pub exports: &'a [PathBuf],
    /// Where reading leaves its traces.
    pub surroundings: Surroundings<'a>,
    /// Shows how far mapping is.
    pub progress: &'a dyn ProgressListener,
    /// How many records may be mapped at once.
    pub processors: NonZero<usize>,
    /// Whether to report what the mapping finds.
    pub is_checked: bool,
}

/// Hands what a mapping makes of an export to `receive`; gives a report if it is to be checked.
pub fn read(
    run: &Run<'_>,
    input: &mut dyn Read,
    receive: &mut dyn Receive,
) -> anyhow::Result<Option<CheckReport>> {
    let Run {
        mapping,
        exports,
        surroundings,
        progress,
        processors,
        is_checked,
    } = *run;
    let none_yet = Arc::new(Index::create(surroundings.temp_dir)?);
    let definition = &mapping.definition;
    let workers = Workers::start(definition, processors, &none_yet, worker::resident_bytes)?;
    let may_wait = exports.iter().any(|path| !path.is_file() && !path.is_dir());
    let temp_dir = surroundings.temp_dir;
    let mut pipeline = Pipeline::new(mapping, workers, temp_dir, may_wait, receive)?;
    source::files::read(exports, input, surroundings, mapping, &mut pipeline)?;
    pipeline.finish(is_checked, progress)
}

fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let read = fs::File::open(path)?
        .take(FILE_MAX + 1)
        .read_to_string(&mut text)?;
    if FILE_MAX < read as u64 {
        return Err(io::Error::other(format!(
            "it has more than {FILE_MAX} bytes"
        )));
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
