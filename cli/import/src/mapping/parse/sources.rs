//! The sources of a mapping file: which files hold records and links, and what identifies a record.

use std::ops::Range;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use toml::Spanned;
use toml::de::DeValue;

use super::Parser;
use crate::mapping::definition::{Envelope, ExpressionId, FORMATS, Links, Source};
use crate::mapping::file_keys::{ENVELOPE, LINKS, SOURCE};
use crate::mapping::mistake::Mistake;
use crate::mapping::section::Section;
use crate::source::readers::RecordsPath;
use crate::source::{Encoding, FileGroup, FileNames, Format, Layout};

/// The expressions of an envelope that are given.
#[derive(Clone, Copy, Default)]
pub(super) struct EnvelopeParts {
    key: Option<ExpressionId>,
    id: Option<ExpressionId>,
    record_type: Option<ExpressionId>,
    published: Option<ExpressionId>,
    updated_at: Option<ExpressionId>,
    changed: Option<ExpressionId>,
}

impl Parser {
    pub(super) fn envelope_section<'t>(
        &mut self,
        value: &'t Spanned<DeValue<'t>>,
    ) -> EnvelopeParts {
        let Some(mut section) = Section::of(value, &ENVELOPE, &mut self.mistakes) else {
            return EnvelopeParts::default();
        };
        let parts = self.envelope(&mut section);
        self.ignored = self.names(&mut section, "ignore");
        section.finish(&mut self.mistakes);
        parts
    }

    fn envelope(&mut self, section: &mut Section<'_>) -> EnvelopeParts {
        EnvelopeParts {
            key: self.expression(section, "key"),
            id: self.expression(section, "id"),
            record_type: self.expression(section, "type"),
            published: self.expression(section, "published"),
            updated_at: self.expression(section, "updatedAt"),
            changed: self.expression(section, "changed"),
        }
    }

    pub(super) fn sources(
        &mut self,
        root: &mut Section<'_>,
        common: EnvelopeParts,
    ) -> Option<Vec<(FileGroup, Source)>> {
        let values = self.list_of_tables(root, "sources", &SOURCE)?;
        let sources: Vec<Option<(FileGroup, Source)>> = values
            .into_iter()
            .map(|mut section| {
                let own = self.envelope(&mut section);
                let group = self.file_group(&mut section);
                let span = section.span();
                section.finish(&mut self.mistakes);
                let envelope = self.whole_envelope(own, common, span.clone());
                let source = Source {
                    section: span,
                    envelope: envelope?,
                };
                Some((group?, source))
            })
            .collect();
        sources.into_iter().collect()
    }

    fn whole_envelope(
        &mut self,
        own: EnvelopeParts,
        common: EnvelopeParts,
        span: Range<usize>,
    ) -> Option<Envelope> {
        let (key, record_type) = (
            own.key.or(common.key),
            own.record_type.or(common.record_type),
        );
        for (name, part) in [("key", key), ("type", record_type)] {
            if part.is_none() {
                let message = format!(
                    "neither this source nor [envelope] says what the `{name}` of a record is"
                );
                self.mistakes.push(Mistake::new(span.clone(), message));
            }
        }
        Some(Envelope {
            key: key?,
            id: own.id.or(common.id),
            record_type: record_type?,
            published: own.published.or(common.published),
            updated_at: own.updated_at.or(common.updated_at),
            changed: own.changed.or(common.changed),
        })
    }

    fn file_group(&mut self, section: &mut Section<'_>) -> Option<FileGroup> {
        let patterns = section.texts("files", &mut self.mistakes);
        if patterns.is_none() && section.take("files").is_none() {
            section.required("files", &mut self.mistakes);
        }
        let format = section.required("reader", &mut self.mistakes);
        let format = format.and_then(|value| self.word(value, &FORMATS));
        let encoding = self.encoding(section, format);
        let records = self.records(section, format);
        let lists = self.lists(section, format);
        let unwanted = self.names(section, "ignore");
        Some(FileGroup {
            names: self.file_names(patterns?)?,
            layout: Layout {
                format: format?,
                encoding,
                records,
                lists,
                unwanted,
            },
        })
    }

    /// The files of the export that no section reads and that are not wanted.
    pub(super) fn unwanted_files(&mut self, root: &mut Section<'_>) -> Option<FileNames> {
        let patterns = root.texts("ignore", &mut self.mistakes);
        self.file_names(patterns.unwrap_or_default())
    }

    fn file_names(&mut self, patterns: Vec<(&str, Range<usize>)>) -> Option<FileNames> {
        let globs = self.globs(&patterns)?;
        let patterns = patterns.into_iter().map(|(text, _)| text.to_owned());
        Some(FileNames::Globs(globs, patterns.collect()))
    }

    fn encoding(&mut self, section: &mut Section<'_>, format: Option<Format>) -> Option<Encoding> {
        let (label, span) = section.text("encoding", &mut self.mistakes)?;
        let has_its_own = match format {
            Some(Format::Parquet) => Some("Parquet is always UTF-8"),
            Some(Format::Xml) => Some("an XML file names its encoding itself"),
            _ => None,
        };
        let encoding = match has_its_own {
            Some(message) => Err(message.to_owned()),
            None => Encoding::parse(label).map_err(|unknown| unknown.to_string()),
        };
        encoding
            .map_err(|message| self.mistakes.push(Mistake::new(span, message)))
            .ok()
    }

    fn records(&mut self, section: &mut Section<'_>, format: Option<Format>) -> Vec<RecordsPath> {
        let texts = section.texts("records", &mut self.mistakes);
        let mut records: Vec<RecordsPath> = Vec::new();
        for (text, span) in texts.unwrap_or_default() {
            match RecordsPath::parse(text) {
                Ok(path) if format == Some(Format::Xml) && !path.is_of_names() => {
                    let message =
                        "every element with a name is meant, so paths in XML have no brackets";
                    self.mistakes.push(Mistake::new(span, message));
                }
                Ok(path) => {
                    let mut others = records.iter();
                    if let Some(other) =
                        others.find(|other| other.may_hold(&path) || path.may_hold(other))
                    {
                        let message = format!(
                            "one of `{other}` and `{path}` lies in the records of the other; read it there, by `each` in an [[emit]]"
                        );
                        self.mistakes.push(Mistake::new(span, message));
                    }
                    records.push(path);
                }
                Err(message) => self.mistakes.push(Mistake::new(span, message)),
            }
        }
        records
    }

    fn lists(&mut self, section: &mut Section<'_>, format: Option<Format>) -> Vec<String> {
        let texts = section.texts("lists", &mut self.mistakes);
        let texts = texts.unwrap_or_default().into_iter();
        let mut lists = Vec::new();
        for (name, span) in texts {
            if format.is_some_and(|format| format != Format::Xml) {
                let message =
                    "only in XML may a list of one look like no list; `many` makes one of anything";
                self.mistakes.push(Mistake::new(span, message));
            }
            lists.push(name.to_owned());
        }
        lists
    }

    fn globs(&mut self, patterns: &[(&str, Range<usize>)]) -> Option<GlobSet> {
        let mut globs = GlobSetBuilder::new();
        for (pattern, span) in patterns {
            match GlobBuilder::new(pattern).literal_separator(true).build() {
                Ok(glob) => _ = globs.add(glob),
                Err(error) => {
                    let message = format!("this is not a pattern of file names: {}", error.kind());
                    self.mistakes.push(Mistake::new(span.clone(), message));
                }
            }
        }
        globs.build().ok()
    }

    pub(super) fn links<'t>(
        &mut self,
        value: &'t Spanned<DeValue<'t>>,
    ) -> Option<(FileGroup, Links)> {
        let mut section = Section::of(value, &LINKS, &mut self.mistakes)?;
        let group = self.file_group(&mut section);
        section.required("each", &mut self.mistakes);
        let each = self.expression(&mut section, "each");
        let span = section.span();
        section.finish(&mut self.mistakes);
        let links = Links {
            section: span,
            each: each?,
        };
        Some((group?, links))
    }
}
