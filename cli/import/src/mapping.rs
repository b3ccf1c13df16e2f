//! Mappings turn the export of any content model into native records. A mapping file says how, so a
//! content model can change without a change of code.
//!
//! Nothing here knows a content system: whatever is particular to one belongs in its mapping file.
//! Some mapping files are shipped. A mapping makes lines of the native format; validation decides
//! whether they are right.

mod big_stack;
mod bounds;
mod check;
mod definition;
mod documents;
mod expression;
pub(crate) mod file_keys;
pub(crate) mod folded;
mod functions;
mod image_files;
mod index;
mod key_interner;
mod links;
mod mapper;
mod mistake;
mod native;
mod origin;
mod parse;
mod pipeline;
mod read;
mod recognise;
mod record;
mod shipped;
pub(crate) mod status;
mod watch;
mod worker;

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use shared::base::source_files::SourceFile;

pub use self::check::{
    CheckReport, FieldReport, LinkedReport, MissingKey, NumberRange, RuleReport, UnreadKey,
};
pub use self::mistake::{InvalidMapping, Mistake};
pub use self::recognise::{Form, Recognised, recognise};
pub use self::shipped::Shipped;

pub(crate) use self::expression::in_path;
pub(crate) use self::functions::money::codes_of;
pub(crate) use self::parse::tables;
pub(crate) use self::pipeline::Pipeline;

use self::definition::Definition;
pub(crate) use self::definition::{UNDECIDED, UNREAD_STATUS, list_of_objects};
use crate::image::ImageTally;
use crate::source::Plan;

/// Maximum length of a mapping file, in bytes.
const FILE_MAX: u64 = 1024 * 1024;

/// A mapping file that was read and whose expressions compile.
#[derive(Debug)]
pub struct Mapping {
    /// The file's path, as messages show it.
    name: String,
    text: String,
    definition: Arc<Definition>,
}

impl Mapping {
    /// Reads a mapping file. Mistakes in it are returned as an [`InvalidMapping`].
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let text = read_text(path).with_context(|| format!("could not read the mapping {name}"))?;
        Ok(Self::parse(name, text)?.checked()?)
    }

    /// Reads the text of a mapping file called `name`.
    pub fn parse(name: String, text: String) -> anyhow::Result<Self> {
        let checked = big_stack::deep(|| {
            parse::parse(&text).and_then(|mut definition| {
                mapper::compile(&definition, false)?;
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

    /// The URL of a record's page in its content system, if the mapping has a template for it.
    pub fn edit_url(&self, id: &str) -> Option<String> {
        let template = self.definition.edit_url.as_deref()?;
        let id: String = url::form_urlencoded::byte_serialize(id.as_bytes()).collect();
        // In a path, `+` does not mean a space.
        Some(template.replace(definition::EDIT_ID, &id.replace('+', "%20")))
    }

    /// The mapping, or its mistakes if it makes fields that the native format does not have.
    pub(crate) fn checked(self) -> Result<Self, InvalidMapping> {
        let mistakes = native::unknown_fields(&self.definition);
        if mistakes.is_empty() {
            return Ok(self);
        }
        Err(InvalidMapping {
            name: self.name,
            text: self.text,
            mistakes,
        })
    }

    /// The file it was read from.
    pub fn file(&self) -> SourceFile {
        SourceFile::new(self.name.clone(), self.text.as_bytes())
    }

    /// Whether it asks for the time of the import, so that one export may become another catalogue
    /// as time passes.
    pub fn asks_time(&self) -> bool {
        let Definition {
            expressions,
            prelude,
            ..
        } = &*self.definition;
        let shared = prelude.as_ref().map_or("", |prelude| &prelude.code);
        let mut expressions = expressions.iter();
        expressions.any(|expression| expression::asks_time(&expression.code, shared))
    }

    /// Whether images without a size are to be measured by their addresses.
    pub fn measures_images(&self) -> bool {
        self.definition.measures_images
    }

    /// Which files of an export it reads, and how.
    pub(crate) fn plan(&self) -> &Plan {
        &self.definition.plan
    }
}

/// The line number of an offset in a text, starting at 1.
fn line_of(text: &str, offset: usize) -> u64 {
    let before = &text.as_bytes()[..offset.min(text.len())];
    1 + memchr::memchr_iter(b'\n', before).count() as u64
}

/// The result of reading an export with a mapping.
#[derive(Default)]
pub(crate) struct Mapped {
    /// The number of records read, whether or not they were imported.
    pub(crate) records: u64,
    /// The number of records that had no key or no type, and are not among these.
    pub(crate) unidentified: u64,
    /// How many images the records have.
    pub(crate) images: ImageTally,
    /// What the check of the mapping found, if a check was requested.
    pub(crate) report: Option<CheckReport>,
}

fn read_text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    let read = fs::File::open(path)?
        .take(FILE_MAX + 1)
        .read_to_end(&mut bytes)?;
    if FILE_MAX < read as u64 {
        return Err(io::Error::other(format!(
            "it has more than {FILE_MAX} bytes"
        )));
    }
    let is_utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let found = if is_utf16 {
        "is UTF-16"
    } else {
        "is not UTF-8"
    };
    String::from_utf8(bytes)
        .map_err(|_not_utf8| io::Error::other(format!("it {found}: save the file as UTF-8")))
}

#[cfg(test)]
mod tests;
