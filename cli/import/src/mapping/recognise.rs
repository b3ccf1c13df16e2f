//! Guesses which content system wrote an export that is not native, or at least its format.
//!
//! The guess is only shown to people. It is based on the first bytes of files from which nothing
//! could be read, and no record is read because of it. A native export, however damaged, is never
//! recognised as something else.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::Path;

use quick_xml::events::Event;
use serde_json::{Map, Value};

use super::Shipped;
use crate::finding::Kind;
use crate::source::readers::csv;
use crate::source::readers::table::Previewed;
use crate::source::readers::workbook::book;
use crate::source::{
    self, Encoding, Export, Incoming, Plan, ReadContext, Rows, TableLayout, UnreadFormat, unread,
    without_compression,
};

/// The most files of an export that are examined.
const FILES_MAX: usize = 256;
/// How much of each file is read, in bytes.
const HEAD_BYTES: u64 = 64 * 1024;

/// What an export looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognised {
    /// The name of the file that the guess is based on.
    pub file: String,
    /// Its path within its folder or archive.
    pub path: String,
    /// What it looks like.
    pub form: Form,
    /// The encoding that it seems to have; `None` if that is UTF-8.
    pub encoding: Option<Encoding>,
    /// The evidence, as the end of a sentence that begins with the file.
    pub sign: String,
}

/// A system or a format of exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A content system that a shipped mapping is for.
    System(Shipped),
    /// A table with a header line.
    Csv,
    /// A workbook of a spreadsheet program.
    Workbook,
    /// One JSON document.
    Json,
    /// A JSON object in each line.
    Ndjson,
    /// An XML document.
    Xml,
    /// A Parquet file.
    Parquet,
    /// A file of a format that is not read.
    Unread(&'static UnreadFormat),
}

impl Form {
    /// How much it takes precedence over others.
    const fn rank(self) -> u8 {
        match self {
            Self::System(_) => 3,
            Self::Csv | Self::Json | Self::Ndjson | Self::Parquet | Self::Workbook => 2,
            Self::Xml => 1,
            Self::Unread(_) => 0,
        }
    }

    const fn is_system(self) -> bool {
        matches!(self, Self::System(_))
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::System(Shipped::Sanity) => "an export of Sanity",
            Self::System(Shipped::Contentful) => "an export of Contentful",
            Self::System(Shipped::Strapi) => "an export of Strapi",
            Self::System(Shipped::Shopify) => "a list of products from Shopify",
            Self::System(Shipped::Wordpress) => "an export of WordPress",
            Self::System(Shipped::Directus) => "a collection of Directus",
            Self::System(Shipped::Csv | Shipped::Minimal) => "a spreadsheet",
            Self::Csv => "CSV",
            Self::Workbook => "a workbook",
            Self::Json => "a JSON document",
            Self::Ndjson => "JSON in lines",
            Self::Xml => "XML",
            Self::Parquet => "Parquet",
            Self::Unread(format) => format.name,
        })
    }
}

/// Examines the first files of an export. Returns `None` if it looks native or like nothing known.
/// Standard input is not examined, because it has already been read.
pub fn recognise(exports: &[Export], temp_dir: &Path) -> anyhow::Result<Option<Recognised>> {
    if exports.iter().any(Export::is_standard_input) {
        return Ok(None);
    }
    let plan = Plan::beginnings(HEAD_BYTES);
    let context = ReadContext {
        temp_dir,
        progress: &(),
    };
    let mut search = Search::default();
    let read = source::read(exports, &mut io::empty(), context, &plan, &mut |incoming| {
        if let Incoming::Head(file, head) = incoming {
            search.look(&file.name, &file.path, head)?;
        }
        Ok(())
    });
    match read {
        Err(error) if !error.is::<Enough>() => Err(error),
        _ => Ok(search.found()),
    }
}

/// Ends reading once enough files were examined.
#[derive(Debug, thiserror::Error)]
#[error("enough files were looked at")]
struct Enough;

/// The result of the files examined so far.
#[derive(Default)]
struct Search {
    files: usize,
    best: Option<Recognised>,
    is_native: bool,
}

impl Search {
    /// Examines a file. A system takes precedence over a format, a format over one that
    /// is not read, and earlier files over later ones.
    fn look(&mut self, name: &str, path: &str, head: &[u8]) -> Result<(), Enough> {
        self.files += 1;
        let head = Head::new(path, head);
        self.is_native |= head.is_native();
        if let Some((form, sign)) = head.form() {
            let best = self.best.as_ref();
            if best.is_none_or(|best| best.form.rank() < form.rank()) {
                self.best = Some(Recognised {
                    file: name.to_owned(),
                    path: path.to_owned(),
                    form,
                    encoding: head.encoding,
                    sign,
                });
            }
        }
        let is_known =
            self.is_native || self.best.as_ref().is_some_and(|best| best.form.is_system());
        if is_known || FILES_MAX <= self.files {
            return Err(Enough);
        }
        Ok(())
    }

    fn found(self) -> Option<Recognised> {
        self.best.filter(|_| !self.is_native)
    }
}

/// The beginning of a file.
struct Head<'h> {
    path: &'h str,
    bytes: &'h [u8],
    /// `None` if it is UTF-8.
    encoding: Option<Encoding>,
    text: Cow<'h, str>,
    /// The first line, if it is a JSON object.
    record: Option<Map<String, Value>>,
}

impl<'h> Head<'h> {
    fn new(path: &'h str, bytes: &'h [u8]) -> Self {
        let encoding = Encoding::guess(bytes);
        let text = match encoding {
            Some(encoding) => Cow::Owned(encoding.decode_head(bytes)),
            None => String::from_utf8_lossy(bytes),
        };
        let first = text.trim_start_matches('\u{feff}').lines().next();
        let record = first.and_then(|line| serde_json::from_str(line).ok());
        Self {
            path,
            bytes,
            encoding,
            text,
            record,
        }
    }

    /// Whether its first line has the kind of a native record.
    fn is_native(&self) -> bool {
        let kind = self.record.as_ref().and_then(|record| record.get("kind"));
        kind.is_some_and(|kind| Kind::ALL.iter().any(|known| kind == known.as_str()))
    }

    /// What it looks like, and the evidence.
    fn form(&self) -> Option<(Form, String)> {
        let of_system = |system, sign: &str| Some((Form::System(system), sign.to_owned()));
        let text = self.text.trim_start_matches('\u{feff}').trim_start();
        let has = |keys: &[&str]| keys.iter().all(|key| text.contains(&format!("\"{key}\"")));
        if book::is_one(self.path, self.bytes) {
            return Some((Form::Workbook, "it has the parts of a workbook".to_owned()));
        }
        if let Some(format) = unread::of(self.bytes) {
            return Some((Form::Unread(format), format.advice.to_owned()));
        }
        if self.bytes.starts_with(b"PAR1") {
            return Some((Form::Parquet, "it begins with `PAR1`".to_owned()));
        }
        if let Some(record) = self.record.as_ref().filter(|_| !self.is_one_document()) {
            return self.form_of_lines(record);
        }
        if text.starts_with(['{', '[']) {
            if has(&["sys", "contentTypes"]) || has(&["sys", "entries"]) {
                return of_system(
                    Shipped::Contentful,
                    "it has `sys` and `entries` or `contentTypes`",
                );
            }
            if has(&["user_created", "date_created"]) {
                let sign = "its records have `user_created` and `date_created`";
                return of_system(Shipped::Directus, sign);
            }
            // A line that begins with a brace may also be a damaged record, so it takes further
            // signs.
            let list = text.strip_prefix('[');
            let is_list = list.is_some_and(|list| list.trim_start().starts_with('{'));
            let is_called_so = self.is_called(".json") && !has(&["kind"]);
            let is_document = is_list || is_called_so || text.lines().next() == Some("{");
            let sign = "it is one JSON value";
            return is_document.then(|| (Form::Json, sign.to_owned()));
        }
        if text.starts_with('<') {
            if text.contains("http://wordpress.org/export/") {
                let sign = "it names `http://wordpress.org/export/`";
                return of_system(Shipped::Wordpress, sign);
            }
            let sign = root(text).map(|root| format!("its root element is `{root}`"));
            return Some((
                Form::Xml,
                sign.unwrap_or_else(|| "it begins with `<`".to_owned()),
            ));
        }
        if text.starts_with("Handle,Title,") {
            let sign = "its first line begins with `Handle,Title`";
            return of_system(Shipped::Shopify, sign);
        }
        let is_called_so = self.is_called(".csv") || self.is_called(".tsv");
        let so_called = || (Form::Csv, "it is called so".to_owned());
        table(text, HEAD_BYTES <= self.bytes.len() as u64)
            .or_else(|| (is_called_so && !text.is_empty()).then(so_called))
    }

    fn is_called(&self, ending: &str) -> bool {
        let name = self.path.to_ascii_lowercase();
        without_compression(&name).ends_with(ending)
    }

    /// Whether it is a document without line breaks rather than the first of many lines.
    fn is_one_document(&self) -> bool {
        self.is_called(".json")
            && self.text.trim_end().lines().nth(1).is_none()
            && !self.is_native()
    }

    /// The form of a file with a JSON object in its first line.
    fn form_of_lines(&self, record: &Map<String, Value>) -> Option<(Form, String)> {
        let of_system = |system, sign: &str| Some((Form::System(system), sign.to_owned()));
        if record.contains_key("_id") && record.contains_key("_type") {
            return of_system(Shipped::Sanity, "its first record has `_id` and `_type`");
        }
        let kind = record.get("type").and_then(Value::as_str);
        if kind.is_some_and(|kind| kind.starts_with("api::") || kind.starts_with("plugin::")) {
            return of_system(
                Shipped::Strapi,
                "its first record has a type such as `api::boat.boat`",
            );
        }
        // A native record that lacks its kind has these keys, and the findings about it are more
        // helpful.
        let is_nearly_native = record.contains_key("kind") || record.contains_key("lengthOverall");
        let sign = "its first line is a JSON object without `kind`";
        (!is_nearly_native && !self.path.is_empty()).then(|| (Form::Ndjson, sign.to_owned()))
    }
}

/// The name of the root element of XML.
fn root(text: &str) -> Option<String> {
    let mut reader = quick_xml::Reader::from_str(text);
    loop {
        match reader.read_event().ok()? {
            Event::Start(root) | Event::Empty(root) => {
                return Some(root.name().as_ref().to_owned());
            }
            Event::Eof => return None,
            _ => {}
        }
    }
}

/// Recognises a table by rows with about as many cells as each other. If the text `is_cut`, the file
/// continues after it.
fn table(text: &str, is_cut: bool) -> Option<(Form, String)> {
    let layout = TableLayout {
        sheet: None,
        rows: Rows::Preview,
    };
    let (mut rows, mut first_line) = (Vec::new(), 0);
    // The text may end within quotes.
    _ = csv::read(text.as_bytes(), &layout, &mut |_| Ok(()), &mut |row| {
        if let Ok(row) = row {
            let (_, cells): Previewed = serde_json::from_str(row.text)?;
            if rows.is_empty() {
                first_line = row.start.line;
            }
            rows.push(cells);
        }
        Ok(())
    });
    let text_of = |cell: &Value| cell.as_str().map_or(0, |text| text.trim().len());
    let are_short = |cells: &[Value]| cells.iter().all(|cell| text_of(cell) < 100);
    let are_names = |cells: &[Value]| cells.iter().all(|cell| 0 < text_of(cell));
    let first = rows.first()?;
    // The text may be cut off within the first line, even within a name.
    if rows.len() == 1 && is_cut && !text.contains('\n') {
        let (_, names) = first.split_last()?;
        let sign = format!("its first line names more than {} columns", names.len());
        let is_table = 2 <= names.len() && are_names(names) && are_short(first);
        return is_table.then_some((Form::Csv, sign));
    }
    let mut widths: Vec<usize> = rows.iter().map(Vec::len).collect();
    widths.retain(|width| 2 <= *width);
    widths.sort_unstable();
    let usual = *widths.get(widths.len() / 2)?;
    // A delimiter that is not quoted, or one that is missing, may be in any line.
    let most = usize::from(4 <= usual);
    let fits = |row: &&Vec<Value>| row.len().abs_diff(usual) <= most;
    let fitting = rows.iter().filter(fits).count();
    let is_table = 2 <= fitting
        && rows.len() <= 2 * fitting
        && rows.iter().find(fits).is_some_and(|row| are_short(row));
    let sign = if first_line == 1 && first.len() == usual && are_names(first) {
        format!("its first line names {usual} columns")
    } else {
        format!("most of its lines have {usual} cells")
    };
    is_table.then_some((Form::Csv, sign))
}
