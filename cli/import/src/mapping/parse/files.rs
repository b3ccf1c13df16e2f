//! The keys of a mapping file that say which files are read, and how.

use std::ops::Range;

use globset::{Glob, GlobBuilder, GlobSetBuilder};
use toml::Spanned;

use crate::mapping::file_keys::Takes;
use crate::mapping::read::{FromText, Read, Reader, Toml, Word, table};
use crate::source::readers::RecordsPath;
use crate::source::{Encoding, FileGroup, FileNames, Format, Layout, Rows, SheetName, TableLayout};

table! {
    /// Files, and how they are written.
    pub(super) struct Files {
        /// Patterns of paths within the export.
        required "files" patterns: Vec<Spanned<Pattern>>,
        /// How the files are written.
        required "reader" format: Option<Format>,
        /// How csv, json and ndjson are encoded, such as windows-1252; UTF-8 where it is absent.
        optional "encoding" encoding: Option<Spanned<Encoding>>,
        /// Where in a file the records are.
        optional "records" records: Vec<Spanned<RecordsPath>>,
        /// Elements of XML that are lists even where there is one.
        optional "lists" lists: Vec<Spanned<String>>,
        /// Lists of JSON in these files that are known and not wanted: paths as in `records`.
        optional "ignore" unwanted: Vec<String>,
        /// The sheet of a workbook with the records: its name, or its number from 1.
        optional "sheet" sheet: Option<Spanned<SheetName>>,
        /// The row of csv or of a sheet that names the columns: the first where it is absent.
        optional "header" header: Option<Spanned<u64>>,
        /// The names of all columns of csv or of a sheet that has no header.
        optional "columns" columns: Vec<Spanned<String>>,
    }
}

impl Files {
    /// The files, if their keys fit together.
    pub(super) fn group(self, reader: &mut Reader) -> FileGroup {
        self.check_encoding(reader);
        self.check_records(reader);
        if self.format.is_some_and(|format| format != Format::Xml) {
            for name in &self.lists {
                let message =
                    "only in XML may a list of one look like no list; `many` makes one of anything";
                reader.mistake(name.span(), message);
            }
        }
        let table = self.table(reader);
        FileGroup {
            names: file_names(&self.patterns, reader),
            layout: Layout {
                format: self.format.unwrap_or(Format::Json),
                encoding: self.encoding.map(Spanned::into_inner),
                records: self.records.into_iter().map(Spanned::into_inner).collect(),
                lists: self.lists.into_iter().map(Spanned::into_inner).collect(),
                unwanted: self.unwanted,
                table,
            },
        }
    }

    fn table(&self, reader: &mut Reader) -> TableLayout {
        let is_workbook = self.format == Some(Format::Workbook);
        if let Some(sheet) = self.sheet.as_ref().filter(|_| !is_workbook) {
            reader.mistake(sheet.span(), "only a workbook has sheets");
        }
        let header = self
            .header
            .as_ref()
            .map(|header| (header.span(), Rows::Below(*header.get_ref())));
        let columns = self.columns.first().map(|first| {
            let columns = self.columns.iter().map(|name| name.get_ref().clone());
            (first.span(), Rows::Without(columns.collect()))
        });
        let mut rows = [header, columns].into_iter().flatten();
        let first = rows.next();
        if let Some((span, _)) = rows.next() {
            reader.mistake(span, "a table with `columns` has no header");
        }
        let is_table = is_workbook || self.format == Some(Format::Csv);
        if let Some((span, _)) = first
            .as_ref()
            .filter(|_| !is_table && self.format.is_some())
        {
            reader.mistake(span.clone(), "only csv and a workbook have a header");
        }
        TableLayout {
            sheet: self.sheet.clone().map(Spanned::into_inner),
            rows: first.map(|(_, rows)| rows).unwrap_or_default(),
        }
    }

    fn check_encoding(&self, reader: &mut Reader) {
        let has_its_own = match self.format {
            Some(Format::Parquet) => "Parquet is always UTF-8",
            Some(Format::Workbook) => "a workbook names its encoding itself",
            Some(Format::Xml) => "an XML file names its encoding itself",
            _ => return,
        };
        if let Some(encoding) = &self.encoding {
            reader.mistake(encoding.span(), has_its_own);
        }
    }

    fn check_records(&self, reader: &mut Reader) {
        for (number, path) in self.records.iter().enumerate() {
            let (path, span) = (path.get_ref(), path.span());
            if self.format == Some(Format::Xml) && !path.is_of_names() {
                let message =
                    "every element with a name is meant, so paths in XML have no brackets";
                reader.mistake(span, message);
                continue;
            }
            let mut others = self.records[..number].iter().map(Spanned::get_ref);
            if let Some(other) = others.find(|other| other.may_hold(path) || path.may_hold(other)) {
                let message = format!(
                    "one of `{other}` and `{path}` lies in the records of the other; read it there, by `each` in an [[emit]]"
                );
                reader.mistake(span, message);
            }
        }
    }
}

/// The files that these patterns name.
pub(super) fn file_names(patterns: &[Spanned<Pattern>], reader: &mut Reader) -> FileNames {
    let mut globs = GlobSetBuilder::new();
    for pattern in patterns {
        globs.add(pattern.get_ref().0.clone());
    }
    let globs = globs.build().unwrap_or_else(|error| {
        let first = patterns.first().map(Spanned::span);
        let message = format!("these patterns cannot be used together: {}", error.kind());
        reader.mistake(first.unwrap_or_default(), message);
        globset::GlobSet::empty()
    });
    let patterns = patterns.iter();
    let patterns = patterns.map(|pattern| pattern.get_ref().0.glob().to_owned());
    FileNames::Globs(globs, patterns.collect())
}

/// A pattern of paths.
#[derive(Debug)]
pub(super) struct Pattern(Glob);

impl FromText for Pattern {
    fn from_text(text: &str, span: Range<usize>, reader: &mut Reader) -> Option<Self> {
        let glob = GlobBuilder::new(text).literal_separator(true).build();
        glob.map_err(|error| {
            let message = format!("this is not a pattern of file names: {}", error.kind());
            reader.mistake(span, message);
        })
        .map(Self)
        .ok()
    }
}

impl Word for Format {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("ndjson", Self::NDJSON),
        ("json", Self::Json),
        ("csv", Self::Csv),
        ("workbook", Self::Workbook),
        ("parquet", Self::Parquet),
        ("xml", Self::Xml),
    ];
}

impl Read for Spanned<SheetName> {
    const TAKES: Takes = Takes::TextOrCount;

    fn read(value: &Toml<'_>, reader: &mut Reader) -> Option<Self> {
        let sheet = match value.get_ref().as_str() {
            Some(name) => SheetName::Name(name.to_owned()),
            None => SheetName::Number(Spanned::<u64>::read(value, reader)?.into_inner()),
        };
        Some(Self::new(value.span(), sheet))
    }
}

impl FromText for Encoding {
    fn from_text(label: &str, span: Range<usize>, reader: &mut Reader) -> Option<Self> {
        Self::parse(label)
            .map_err(|unknown| reader.mistake(span, unknown.to_string()))
            .ok()
    }
}

impl FromText for RecordsPath {
    fn from_text(text: &str, span: Range<usize>, reader: &mut Reader) -> Option<Self> {
        Self::parse(text)
            .map_err(|message| reader.mistake(span, message))
            .ok()
    }
}
