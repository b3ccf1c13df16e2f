//! Parses the text of a mapping file into its definition, or reports all mistakes in it.
//!
//! Here are the sections of the file, and what of one depends on another.

mod files;
mod vocabularies;

use std::ops::Range;

use serde_json::Value;
use toml::Spanned;
use toml::de::DeTable;

use self::files::{Files, Pattern, file_names};
use self::vocabularies::Vocabularies;
use super::definition::{
    Constant, Definition, EDIT_ID, Envelope, Expression, ExpressionId, Join, Links, List, OneValue,
    Rule, Source, WhereVariable,
};
use super::expression::IMAGE_SIZE;
use super::file_keys::{Table, Takes};
use super::functions::plain::{Block, Kind as NodeKind, RichText};
use super::mistake::Mistake;
use super::read::{FromText, Keys, Named, Read, Reader, Section, Toml, Word, table};
use crate::finding::nearest;
use crate::image::HEAD_MAX;
use crate::source::{FileGroup, Plan};

/// The version of the mapping language, which every mapping file must name.
const FORMAT: &str = "boat-catalogue-mapping/1";

/// Maximum length of the template for the URLs of records, in bytes.
const EDIT_URL_MAX: usize = 2_000;

table! {
    /// How an export becomes native records.
    struct MappingFile = "the file" {
        /// The language of this file.
        required "mapping" language: Language,
        /// Values that expressions see as `$name`.
        optional "variables" variables: Variables,
        /// Functions in jq, for all expressions.
        optional "definitions" prelude: Option<Expression>,
        /// Files that are known and not wanted: patterns of paths within the export.
        optional "ignore" unwanted: Vec<Spanned<Pattern>>,
        /// The page of a record in its content system, with {id} for its id.
        optional "edit_url" edit_url: Option<EditUrl>,
        /// What is done for images without a width, a height or a format: `measure` reads these from
        /// the image at its address.
        optional "images" images: Option<OfImages>,
        /// Words of the export, and what they become.
        optional "tables" tables: Vocabularies,
        /// What identifies a record, for all sources.
        optional "envelope" envelope: CommonEnvelope,
        /// Files that hold records.
        required "sources" sources: Vec<SourceTable>,
        /// Files that hold links between records.
        optional "links" links: Option<LinksTable>,
        /// Records that are found by what they refer to.
        optional "joins" joins: Named<Join>,
        /// What rich text has that `plain` does not know.
        optional "rich_text" rich_text: RichTextTable,
        /// Native records that are the same whatever the export has.
        optional "records" records: Vec<Constant>,
        /// What is made of the records.
        required "emit" rules: Vec<Rule>,
    }
}

table! {
    /// What identifies a record.
    struct CommonEnvelope = "[envelope]" {
        group parts: Envelope,
        /// Keys of all records that are known and not wanted.
        optional "ignore" ignored: Vec<String>,
    }
}

table! {
    /// Files that hold records. `key` and `type` stand here or in [envelope].
    struct SourceTable = "[[sources]]" {
        group envelope: Envelope,
        group files: Files,
    }
    with { span: Range<usize> }
}

table! {
    /// Files that hold links between records.
    struct LinksTable = "[links]" {
        group files: Files,
        /// Links of a row: `{from, field, to, position}` each.
        required "each" each: ExpressionId,
    }
    with { span: Range<usize> }
}

table! {
    /// What rich text has that `plain` does not know.
    struct RichTextTable = "[rich_text]" {
        /// Whether texts have shortcodes of WordPress, which `plain` removes then.
        optional "shortcodes" has_shortcodes: bool,
        /// What nodes of a kind are, by its name.
        optional "blocks" blocks: Named<BlockTable>,
    }
}

table! {
    /// What nodes of a kind are in a text.
    struct BlockTable = "[rich_text.blocks.KIND]" {
        /// What such a node is; `text` is part of a line.
        required "as" kind: Option<NodeKind>,
        /// Keys of such a node that hold its text or its parts, in their order: `text` or `attrs.label`.
        optional "from" from: Vec<String>,
    }
    with { name: String }
}

/// All tables, except one whose keys another table has as well.
pub(crate) fn tables() -> [Table; 10] {
    [
        MappingFile::table(),
        CommonEnvelope::table(),
        SourceTable::table(),
        LinksTable::table(),
        Join::table(),
        RichTextTable::table(),
        BlockTable::table(),
        Rule::table(),
        OneValue::table(),
        List::table(),
    ]
}

/// Reads the text of a mapping file.
pub(super) fn parse(text: &str) -> Result<Definition, Vec<Mistake>> {
    let document = DeTable::parse(text).map_err(|error| {
        let message = format!("this is not TOML: {}", error.message());
        // Most often an expression has no quotes, or has them around only a part of it.
        let hint = "a text or an expression must be in quotes, all of it: '.name | slugify'";
        let is_of_value = error.message().contains("value") || error.message().contains("string");
        let mistake = Mistake::new(error.span().unwrap_or_default(), message);
        vec![mistake.hint(is_of_value.then(|| hint.to_owned()))]
    })?;
    let mut reader = Reader::default();
    let file = Section::new("", document.get_ref(), document.span());
    let file: MappingFile = file.whole(&mut reader);
    let definition = file.definition(document.get_ref(), &mut reader);
    let mut mistakes = reader.mistakes;
    if mistakes.is_empty() {
        return Ok(definition);
    }
    mistakes.sort_by_key(|mistake| mistake.span.start);
    Err(mistakes)
}

impl MappingFile {
    fn definition(self, document: &DeTable<'_>, reader: &mut Reader) -> Definition {
        let Self {
            language: Language,
            variables: Variables(variables),
            prelude,
            envelope,
            ..
        } = self;
        let sources = self.sources.into_iter();
        let sources = sources.map(|source| source.with(&envelope.parts, document, reader));
        let (mut groups, sources): (Vec<_>, Vec<_>) = sources.unzip();
        let links = self.links.map(|links| {
            groups.push(links.files.group(reader));
            Links {
                section: links.span,
                each: links.each,
            }
        });
        let expressions = std::mem::take(&mut reader.expressions);
        let mention = |name: &str| {
            let mut all = expressions.iter().chain(&prelude);
            all.any(|expression| expression.code.contains(name))
        };
        let heads = mention(IMAGE_SIZE).then_some(HEAD_MAX as u64);
        // A mapping's own variable hides one with the same name.
        let is_own = |name: &str| variables.iter().any(|(own, _)| own == name);
        let whereabouts = WhereVariable::ALL.into_iter().filter(|variable| {
            !is_own(variable.name()) && mention(&format!("${}", variable.name()))
        });
        Definition {
            whereabouts: whereabouts.collect(),
            plan: Plan {
                groups,
                heads,
                descends: true,
                unwanted: Some(file_names(&self.unwanted, reader)),
            },
            sources,
            links,
            joins: self.joins.0,
            tables: self.tables.0,
            rich_text: self.rich_text.into(),
            records: self.records,
            ignored: envelope.ignored,
            edit_url: self.edit_url.map(|EditUrl(url)| url),
            measures_images: self.images.is_some(),
            rules: self.rules,
            variables,
            prelude,
            expressions,
        }
    }
}

impl SourceTable {
    /// The source, with the common parts of an envelope where it has none of its own.
    fn with(
        self,
        common: &Envelope,
        document: &DeTable<'_>,
        reader: &mut Reader,
    ) -> (FileGroup, Source) {
        let envelope = self.envelope.or(common);
        for (name, part) in [("key", envelope.key), ("type", envelope.record_type)] {
            if part.is_none() && !is_faulty(name, document) {
                let message = format!(
                    "neither this source nor [envelope] says what the `{name}` of a record is"
                );
                reader.mistake(self.span.clone(), message);
            }
        }
        let source = Source {
            section: self.span,
            envelope,
        };
        (self.files.group(reader), source)
    }
}

/// Whether a part of an envelope may be written, and another mistake be the reason why it is not known:
/// it is no text, or the name of its table is misspelt.
fn is_faulty(part: &str, file: &DeTable<'_>) -> bool {
    const ENVELOPE: &str = "envelope";
    let sources = file
        .get("sources")
        .and_then(|sources| sources.get_ref().as_array());
    let tables = sources.into_iter().flatten().chain(file.get(ENVELOPE));
    let mut parts = tables.filter_map(|table| table.get_ref().as_table()?.get(part));
    let mut names = file.iter().map(|(name, _)| name.get_ref());
    parts.any(|part| part.get_ref().as_str().is_none())
        || names.any(|name| name != ENVELOPE && nearest(name, &[ENVELOPE]).is_some())
}

impl From<RichTextTable> for RichText {
    fn from(table: RichTextTable) -> Self {
        let blocks = table.blocks.0.into_iter().filter_map(|block| {
            let BlockTable { name, kind, from } = block;
            Some((name, Block { kind: kind?, from }))
        });
        Self {
            has_shortcodes: table.has_shortcodes,
            blocks: blocks.collect(),
        }
    }
}

impl Word for NodeKind {
    const WORDS: &'static [(&'static str, Self)] = &Self::NAMED;
}

/// The version of the language that a file names.
#[derive(Debug, Default)]
struct Language;

impl Read for Language {
    const TAKES: Takes = Takes::Word(|| vec![FORMAT]);

    fn read(value: &Toml<'_>, reader: &mut Reader) -> Option<Self> {
        if value.get_ref().as_str() != Some(FORMAT) {
            let message = format!("the language of a mapping file is \"{FORMAT}\"");
            reader.mistake(value.span(), message);
        }
        Some(Self)
    }
}

/// What is done for images without a size.
#[derive(Clone, Copy, Debug)]
enum OfImages {
    /// They are measured by their addresses.
    Measure,
}

impl Word for OfImages {
    const WORDS: &'static [(&'static str, Self)] = &[("measure", Self::Measure)];
}

/// The template for URLs, which pages show as links.
#[derive(Debug)]
struct EditUrl(String);

impl FromText for EditUrl {
    fn from_text(url: &str, span: Range<usize>, reader: &mut Reader) -> Option<Self> {
        let is_web = url.starts_with("https://") || url.starts_with("http://");
        if !is_web || !url.contains(EDIT_ID) || EDIT_URL_MAX < url.len() {
            let message = format!(
                "this must be an address of http or https with `{EDIT_ID}` in place of the id, of \
                 at most {EDIT_URL_MAX} bytes"
            );
            reader.mistake(span.clone(), message);
        }
        for unknown in unknown_placeholders(url) {
            let message = format!(
                "`{unknown}` is not a placeholder of an address; the only one is `{EDIT_ID}`"
            );
            reader.mistake(span.clone(), message);
        }
        Some(Self(url.to_owned()))
    }
}

/// The words in braces that stand for nothing. Other braces are text.
fn unknown_placeholders(url: &str) -> impl Iterator<Item = &str> {
    url.match_indices('{').filter_map(|(start, _)| {
        let end = start + url[start..].find('}')?;
        let (name, whole) = (&url[start + 1..end], &url[start..=end]);
        let is_name = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        let is_placeholder = !name.trim().is_empty() && name.trim().chars().all(is_name);
        (is_placeholder && whole != EDIT_ID).then_some(whole)
    })
}

/// The operator's settings, by name.
#[derive(Debug, Default)]
struct Variables(Vec<(String, Value)>);

impl Read for Variables {
    const TAKES: Takes = Takes::Variables;

    fn read(value: &Toml<'_>, reader: &mut Reader) -> Option<Self> {
        let mut variables = Vec::new();
        for (name, value) in Section::of("", value, reader)?.entries() {
            let text = name.get_ref().as_ref();
            if !is_word(text) || text == "record" {
                let message =
                    "a variable is called by letters, digits and underscores, and not `record`";
                reader.mistake(name.span(), message);
            }
            let value = Value::read(value, reader);
            variables.extend(value.map(|value| (text.to_owned(), value)));
        }
        Some(Self(variables))
    }
}

/// Whether a text can be the name of a variable.
fn is_word(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.chars().all(is_letter) && text.starts_with(|c: char| !c.is_ascii_digit())
}
