//! Mappings: a file says how records of any content model become native records, so a content model
//! can change and nothing else has to.
//!
//! Nothing here knows a content system: what is special about one is in its mapping file, and some
//! of these are shipped. A mapping makes lines of the native format; validation judges them.

mod bounds;
mod check;
mod deep;
mod definition;
mod documents;
mod expression;
mod functions;
mod image_files;
mod index;
mod keys;
pub(crate) mod language;
mod links;
mod mapper;
mod mistake;
mod native;
mod origin;
mod parse;
mod pipeline;
mod recognise;
mod record;
mod section;
mod shipped;
mod watch;
mod worker;

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use shared::base::source_files::SourceFile;

pub use self::check::{CheckReport, FieldReport, LinkedReport, MissingKey, RuleReport, UnreadKey};
pub use self::mistake::{InvalidMapping, Mistake};
pub use self::recognise::{Form, Recognised, recognise};
pub use self::shipped::Shipped;

pub(crate) use self::expression::in_path;
pub(crate) use self::functions::slugify::slugify;
pub(crate) use self::pipeline::Pipeline;
pub(crate) use self::section::text_of;

use self::definition::Definition;
use crate::finding::Findings;
use crate::source::Plan;

/// Longest mapping file, in bytes.
const FILE_MAX: u64 = 1024 * 1024;

/// A mapping file that was read and whose expressions compile.
#[derive(Debug)]
pub struct Mapping {
    /// Its path, for people.
    name: String,
    text: String,
    definition: Arc<Definition>,
}

impl Mapping {
    /// Reads a mapping file; mistakes in it are wrong usage.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let text = read_text(path).with_context(|| format!("could not read the mapping {name}"))?;
        Self::parse(name, text)
    }

    /// Reads the text of a mapping file called `name`.
    pub fn parse(name: String, text: String) -> anyhow::Result<Self> {
        let checked = deep::deep(|| {
            parse::parse(&text).and_then(|mut definition| {
                mapper::compile(&definition)?;
                check::note_published_keys(&mut definition);
                definition.locate(|offset| format!("{name}:{}", line_of(&text, offset)));
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
        Ok(Self {
            name,
            text,
            definition: Arc::new(definition),
        })
    }

    /// The page of a record in its content system, if the mapping says where that is.
    pub fn edit_url(&self, id: &str) -> Option<String> {
        let template = self.definition.edit_url.as_deref()?;
        let id: String = url::form_urlencoded::byte_serialize(id.as_bytes()).collect();
        // A path has no `+` for a space.
        Some(template.replace(definition::EDIT_ID, &id.replace('+', "%20")))
    }

    /// The mapping, or its mistakes: `findings` about its [`Self::blank_records`].
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

    /// A native record for each rule, with all its fields and no values: validating it shows
    /// whether the native format has these fields.
    pub(crate) fn blank_records(&self) -> String {
        native::blank_records(&self.definition)
    }

    /// The file that it was read from.
    pub fn file(&self) -> SourceFile {
        SourceFile::new(self.name.clone(), self.text.as_bytes())
    }

    /// Which files of an export it reads, and how.
    pub(crate) fn plan(&self) -> &Plan {
        &self.definition.plan
    }
}

/// The line of a place in a text, from 1.
fn line_of(text: &str, offset: usize) -> u64 {
    let before = &text.as_bytes()[..offset.min(text.len())];
    1 + memchr::memchr_iter(b'\n', before).count() as u64
}

/// The result of reading with a mapping.
#[derive(Default)]
pub(crate) struct Mapped {
    /// Records that were read, valid or not.
    pub(crate) records: u64,
    /// The report on the mapping, if it is being checked.
    pub(crate) report: Option<CheckReport>,
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
