//! Suggests a mapping for an export that has none yet: a draft that says what is certain and what a
//! person has to decide.
//!
//! For an export of a content system, the draft is the shipped mapping, fitted to the types and
//! keys of the export. For a list of boats, it has a line for each field that has a likely source.
//! A suggestion is checked like any other mapping. Imports use nothing of this.

mod choose;
mod decision;
mod kinds;
mod list;
mod list_path;
mod named;
mod names;
mod nested;
mod one_each;
mod photos;
mod status;
mod survey;
mod system;
mod table;
mod text;
mod values;

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use globset::{GlobBuilder, GlobSet};
use shared::base::timestamp::Timestamp;

use crate::finding::{Code, CountAndFirst, Nth, listed};
use crate::mapping::status::words::is_of_withheld;
use crate::mapping::{Form, Mapping, Recognised, recognise};
use crate::run::{self, Discard, Outcome, Settings};
use crate::source::readers::RecordsPath;
use crate::source::{
    Encoding, Export, FileNames, Format, Layout, Plan, Rows, TableLayout, UnreadFormat,
};

use self::choose::choose;
pub use self::decision::Decision;
use self::kinds::Kind;
use self::list::{List, Place};
use self::status::Publication;
use self::survey::{FILES_MAX, Survey, Surveyed, survey};
use self::table::Table;
use self::text::{clean, plain_name, stem};

/// A mapping that probably fits an export.
#[derive(Debug)]
pub struct Suggestion {
    /// What the export looks like.
    pub recognised: Recognised,
    /// The text of the mapping file.
    pub text: String,
    /// What the file may be called, without an ending.
    pub name: String,
    /// How many keys the records have, and how many of them are read; `None` for a content system.
    pub keys: Option<(usize, usize)>,
    /// How many errors the export has with the mapping. A list with an open one is not tried.
    pub errors: u64,
    /// Whether nothing is imported with it before something open in it is decided.
    pub is_open: bool,
    /// What a person has to decide.
    pub decisions: Vec<Decision>,
    /// Paths of files of the same kind that the mapping does not read, within the export.
    pub other_files: Vec<String>,
}

/// Why no mapping is suggested.
#[derive(Debug, thiserror::Error)]
pub enum NoSuggestion {
    /// The export is native, or not recognised.
    #[error("the export looks native, or like nothing that a mapping could read")]
    Unknown,
    /// It is XML in which no elements look like records; this is how it begins.
    #[error("the export looks like XML ({0}), in which no elements look like records")]
    Xml(String),
    /// A file of it has a format that is not read.
    #[error("{0} is {name}, which is not read", name = .1.name)]
    Unread(String, &'static UnreadFormat),
    /// No record with keys could be read from it, for this reason if one is known.
    #[error("no list of records could be read: {0}")]
    NoRecords(String),
}

/// Suggests a mapping for an export; `now` stands in for times that the export lacks. If no mapping
/// can be suggested, the error is a [`NoSuggestion`].
pub fn suggest(exports: &[Export], temp_dir: &Path, now: Timestamp) -> anyhow::Result<Suggestion> {
    let Some(recognised) = recognise(exports, temp_dir)? else {
        let empty = exports.iter().find(|export| export.bytes() == Some(0));
        let empty =
            empty.map(|export| NoSuggestion::NoRecords(format!("{} is empty", export.name())));
        return Err(empty.unwrap_or(NoSuggestion::Unknown).into());
    };
    let layout = match recognised.form {
        Form::System(shipped) => {
            let suggestion = system::suggest(shipped, recognised, exports, temp_dir, &now)?;
            return Ok(suggestion.with_head());
        }
        Form::Unread(format) => {
            return Err(NoSuggestion::Unread(recognised.file, format).into());
        }
        Form::Csv => ("csv", Format::Csv),
        Form::Workbook => ("workbook", Format::Workbook),
        Form::Json => ("json", Format::Json),
        Form::Ndjson => ("ndjson", Format::NDJSON),
        Form::Parquet => ("parquet", Format::Parquet),
        Form::Xml => ("xml", Format::Xml),
    };
    let suggestion = from_list(recognised, layout, exports, temp_dir, now)?;
    Ok(suggestion.with_head())
}

impl Suggestion {
    /// The same, with the comment that it begins with.
    fn with_head(mut self) -> Self {
        let mut head = format!(
            "# A draft for {}, which looks like {}.\n# Read it before it is used.\n",
            clean(&self.recognised.path, 60),
            self.recognised.form
        );
        if !self.decisions.is_empty() {
            head.push_str("#\n# Look at these:\n");
        }
        for Decision { field, why } in &self.decisions {
            // Writing into a string never fails.
            _ = writeln!(head, "#   {field}: {why}");
        }
        head.push_str("#\n");
        self.text.insert_str(0, &head);
        self
    }
}

/// Runs a mapping on the exports, with the checks of a mapping.
pub(crate) fn check(
    text: &str,
    exports: &[Export],
    temp_dir: &Path,
    now: &Timestamp,
) -> anyhow::Result<Outcome> {
    let mapping = Mapping::parse("suggested.toml".to_owned(), text.to_owned())?;
    let settings = Settings {
        exports,
        mapping: Some(&mapping),
        is_mapping_checked: true,
        temp_dir,
        listed_max: 0,
        skip_invalid: false,
        now,
        measurer: None,
        progress: &(),
    };
    run::run(&settings, &mut io::empty(), &mut io::sink(), &mut Discard)
}

fn from_list(
    recognised: Recognised,
    (reader, format): (&str, Format),
    exports: &[Export],
    temp_dir: &Path,
    now: Timestamp,
) -> anyhow::Result<Suggestion> {
    let Found {
        surveyed,
        plan,
        encoding,
        lists,
        table,
        one_each,
    } = Found::of(&recognised, format, exports, temp_dir)?;
    let files = &surveyed.files;
    let all = boats(files).ok_or_else(|| no_records(&surveyed))?;
    let kind = Kind::of(all);
    let of_kind = match &kind {
        Some(kind) => {
            let takes = |record: &mut _| kind.takes(record);
            survey(exports, &plan, &takes, one_each.is_some(), temp_dir)?.files
        }
        None => Vec::new(),
    };
    let file = of_kind.iter().find(|of| of.name == all.name).unwrap_or(all);
    let pattern = match &one_each {
        Some((pattern, _)) => pattern.clone(),
        None => pattern(file, files),
    };
    let mut publication = Publication::of(file, kind.as_ref().map(|_| all));
    publication.within(around(lists.first(), &table).chain(&file.withheld_by));
    let mut list = List {
        has_unique_names: true,
        has_unsized_images: false,
        place: Place {
            files: &pattern,
            reader,
            encoding,
            records: lists.first().map(String::as_str),
            table: &table.layout,
        },
        file,
        choices: choose(file, &publication),
        publication,
        kind: kind.as_ref(),
        now,
    };
    let (text, errors) = written(&mut list, exports, temp_dir)?;
    let noted = table
        .decisions
        .into_iter()
        .chain(remarks(&surveyed))
        .chain(kind.as_ref().map(Kind::decision))
        .chain(unread_lists(lists.get(1..).unwrap_or_default()))
        .chain(surveyed.is_cut.then(unread_files));
    let others = files.iter().filter(|other| other.name != file.name);
    Ok(Suggestion {
        text,
        name: stem(plain_name(&file.path)).to_owned(),
        keys: Some((file.keys.len(), file.keys.len() - list.unread().len())),
        errors,
        is_open: list.is_open(),
        decisions: list.decisions().into_iter().chain(noted).collect(),
        other_files: others.map(|other| other.path.clone()).collect(),
        recognised: Recognised {
            file: one_each.map_or_else(|| file.name.clone(), |(_, name)| name),
            path: file.path.clone(),
            ..recognised
        },
    })
}

/// The names of the list and the sheet of records that say that none is public. A hidden sheet does.
fn around<'n>(list: Option<&'n String>, table: &'n Table) -> impl Iterator<Item = &'n String> {
    let list = list.filter(|name| is_of_withheld(name));
    let sheet = table.sheet.as_ref();
    let sheet = sheet.filter(|name| table.is_hidden || is_of_withheld(name));
    list.into_iter().chain(sheet)
}

/// What the records of an export look like, and where they are.
struct Found {
    surveyed: Survey,
    /// How they were read.
    plan: Plan,
    encoding: Option<Encoding>,
    /// The paths of lists in JSON or XML, that of the records first; empty if files are lists or
    /// records.
    lists: Vec<String>,
    table: Table,
    /// The pattern of files of one record each or of one list, and what messages call them.
    one_each: Option<(String, String)>,
}

impl Found {
    fn of(
        recognised: &Recognised,
        format: Format,
        exports: &[Export],
        temp_dir: &Path,
    ) -> anyhow::Result<Self> {
        let mut lists = list_path::find(format, exports, temp_dir)?;
        if format == Format::Xml && lists.is_empty() {
            return Err(NoSuggestion::Xml(recognised.sign.clone()).into());
        }
        let table = table_of(recognised, format, exports, temp_dir)?;
        let layout = |encoding, list: Option<&String>| Layout {
            table: table.layout.clone(),
            records: list
                .and_then(|path| RecordsPath::parse(path).ok())
                .into_iter()
                .collect(),
            encoding,
            ..Layout::of(format)
        };
        let read = |encoding| layout(encoding, lists.first());
        let (mut surveyed, encoding) = surveyed(recognised, &read, exports, temp_dir)?;
        let mut plan = plan_like(&recognised.path, read(encoding));
        let mut one_each = None;
        let each = layout(encoding, None);
        if format == Format::Json
            && let held = lists.first().map(|_list| &surveyed)
            && let Some(found) = one_each::find(recognised, each, held, exports, temp_dir)?
        {
            (surveyed, plan) = (found.survey, found.plan);
            one_each = Some((found.pattern, found.name));
            lists.clear();
        } else if format == Format::Json
            && let pages = layout(encoding, lists.first())
            && let Some(found) = one_each::pages(&surveyed, pages, exports, temp_dir)?
        {
            (surveyed, plan) = (found.survey, found.plan);
            one_each = Some((found.pattern, found.name));
        }
        Ok(Self {
            surveyed,
            plan,
            encoding,
            lists,
            table,
            one_each,
        })
    }
}

/// Where the table is in the files that look like the recognised one; as usual in other formats.
fn table_of(
    recognised: &Recognised,
    format: Format,
    exports: &[Export],
    temp_dir: &Path,
) -> anyhow::Result<Table> {
    if !matches!(format, Format::Csv | Format::Workbook) {
        return Ok(Table::default());
    }
    let layout = Layout {
        table: TableLayout {
            sheet: None,
            rows: Rows::Preview,
        },
        encoding: recognised.encoding.filter(|_| format == Format::Csv),
        ..Layout::of(format)
    };
    let table = table::find(exports, &plan_like(&recognised.path, layout), temp_dir)?;
    match table.none {
        Some(why) => Err(NoSuggestion::NoRecords(why).into()),
        None => Ok(table),
    }
}

/// The note about rows that do not fit the header.
fn bad_rows(rows: &CountAndFirst<String>) -> Option<Decision> {
    let (first, rows) = rows.told("1 row is", |count| format!("{count} rows are"))?;
    Some(Decision::new(
        "rows",
        format!("{rows} no record; the first: {first}"),
    ))
}

/// The note about rows that are perhaps titles of sections, or totals.
fn sparse_rows(rows: &CountAndFirst<Nth>) -> Option<Decision> {
    let several = |count| format!("the first of {count} rows with hardly any value");
    let (first, words) = rows.told("a row with hardly any value", several)?;
    let why = format!("{first} is {words}: a title or a total is no boat");
    Some(Decision::new("rows", why))
}

/// Why there is no list of records.
fn no_records(survey: &Survey) -> NoSuggestion {
    let damage = survey.remarks.values().next();
    let damage = damage.and_then(|remark| remark.told("", so_often));
    let why = damage.map(|(first, others)| format!("{first}{others}"));
    let why = why.or_else(|| survey.unread.clone());
    NoSuggestion::NoRecords(why.unwrap_or_else(|| "there is none with keys".to_owned()))
}

/// The notes about files that are damaged, about rows, and about cells of a workbook.
fn remarks(survey: &Survey) -> impl Iterator<Item = Decision> {
    use Code::{FileCorrupt, FileTruncated, HiddenRows, SpreadsheetError};
    let of = |code: Code, field| {
        let remark = survey.remarks.get(&code)?;
        let (first, others) = remark.told("", so_often)?;
        Some(Decision::new(field, format!("{first}{others}")))
    };
    let damage = [FileTruncated, FileCorrupt].map(|code| of(code, "files"));
    let rows = [SpreadsheetError, HiddenRows].map(|code| of(code, "rows"));
    let unfit = [bad_rows(&survey.bad_rows), sparse_rows(&survey.sparse)];
    unfit.into_iter().chain(damage).chain(rows).flatten()
}

/// The end of a sentence about the first of several files.
fn so_often(files: u64) -> String {
    format!("; the first of {files} files")
}

/// The file that probably holds the boats: the one with most of their fields.
fn boats(files: &[Surveyed]) -> Option<&Surveyed> {
    // The first of equals, since `max_by_key` returns the last and the order is reversed.
    let boats = files.iter().rev();
    let is_withheld = |file: &Surveyed| !file.withheld_by.is_empty();
    let boats = boats.max_by_key(|file| {
        let fields = fields_of(file);
        (2 < fields && !is_withheld(file), fields, file.records)
    });
    boats.filter(|file| !file.keys.is_empty())
}

/// How many fields of boats have a likely source in a file.
fn fields_of(file: &Surveyed) -> usize {
    choose(file, &Publication::of(file, None)).made.len()
}

/// Surveys the files that look like the recognised one, in the encoding that they seem to have.
fn surveyed(
    recognised: &Recognised,
    layout: &impl Fn(Option<Encoding>) -> Layout,
    exports: &[Export],
    temp_dir: &Path,
) -> anyhow::Result<(Survey, Option<Encoding>)> {
    let read = |encoding| {
        let plan = plan_like(&recognised.path, layout(encoding));
        survey(exports, &plan, &|_| true, false, temp_dir)
    };
    let is_text = !matches!(
        layout(None).format,
        Format::Parquet | Format::Workbook | Format::Xml
    );
    let encoding = recognised.encoding.filter(|_| is_text);
    let surveyed = read(encoding)?;
    if surveyed.is_not_utf8 && is_text && encoding.is_none() {
        let encoding = Some(Encoding::WINDOWS_1252);
        return Ok((read(encoding)?, encoding));
    }
    Ok((surveyed, encoding))
}

/// The draft of a list, and how many errors the export has with it; none are known while it is open.
fn written(
    list: &mut List<'_>,
    exports: &[Export],
    temp_dir: &Path,
) -> anyhow::Result<(String, u64)> {
    let trial = list.trial();
    let tried = check(&trial, exports, temp_dir, &list.now)?.findings;
    list.has_unique_names = !tried.counts().contains_key(&Code::DuplicateSlug);
    list.has_unsized_images = tried.counts().contains_key(&Code::ImageWithoutSize);
    let text = list.text();
    let errors = if list.is_open() {
        0
    } else if text == trial {
        tried.errors()
    } else {
        check(&text, exports, temp_dir, &list.now)?
            .findings
            .errors()
    };
    Ok((text, errors))
}

/// A plan for the files named like `path`, each of which has its own path to a list of records.
fn plan_like(path: &str, layout: Layout) -> Plan {
    Plan::of(names_like(path), layout)
}

/// The pattern for a file: its name, or its whole path if another file has the same name.
fn pattern(file: &Surveyed, files: &[Surveyed]) -> String {
    let name = plain_name(&file.path);
    let is_called_so = |other: &&Surveyed| plain_name(&other.path) == name;
    if files.iter().filter(is_called_so).count() == 1 {
        return format!("**/{}", globset::escape(name));
    }
    let path = file.path.trim_start_matches("./");
    let folder = path.strip_suffix(path.rsplit('/').next().unwrap_or(path));
    globset::escape(&format!("{}{name}", folder.unwrap_or_default()))
}

/// How many lists that are not read are named.
const LISTS_MAX: usize = 5;
/// The list of a JSON:API document with what its records refer to.
const INCLUDED: &str = "included";
/// What is to be written to read it.
const INCLUDED_WHY: &str = r#"; `included` has what records refer to: add it to `records`, with `key = '"\(.type)-\(.id)"'`, `type = ".type"` and the type of the boats in each [[emit]], and read the name of a maker by `.relationships.maker.data | "\(.type)-\(.id)" | deref | .attributes.name`"#;

/// The note about lists that are not read.
fn unread_lists(lists: &[String]) -> Option<Decision> {
    let named = listed(lists.iter().map(|path| clean(path, 40)), LISTS_MAX);
    let mut why = format!("the lists {named} are not read");
    if lists.iter().any(|path| path == INCLUDED) {
        why.push_str(INCLUDED_WHY);
    }
    (!lists.is_empty()).then(|| Decision::new("records", why))
}

/// The note about files that were not looked at.
fn unread_files() -> Decision {
    let why = format!("only the first {FILES_MAX} were looked at");
    Decision::new("files", why)
}

/// Matches files with the same ending as this one.
fn names_like(path: &str) -> FileNames {
    let name = plain_name(path);
    names_of(match name.rsplit_once('.') {
        Some((_, ending)) => format!("**/*.{}", globset::escape(ending)),
        None => format!("**/{}", globset::escape(name)),
    })
}

/// Matches files by a pattern.
fn names_of(pattern: String) -> FileNames {
    let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
    let globs = glob.and_then(|glob| GlobSet::builder().add(glob).build());
    // An escaped name is always a valid pattern.
    FileNames::Globs(globs.unwrap_or_default(), vec![pattern])
}

#[cfg(test)]
mod tests;
