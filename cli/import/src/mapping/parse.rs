//! Parses the text of a mapping file into its definition, or reports all mistakes in it.

mod syntax;

use std::collections::HashMap;
use std::ops::Range;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::definition::{
    Constant, Definition, EDIT_ID, Envelope, Expression, ExpressionId, FORMAT, FORMATS, Field,
    Join, Links, Rest, Rule, Source, Table, UNDECIDED, UNREAD_STATUS, WhereVariable,
};
use super::expression::IMAGE_SIZE;
use super::file_keys::{
    self, ENVELOPE, JOIN, LINKS, LIST, LIST_OF_OBJECTS, ROOT, RULE, SOURCE, VALUE,
};
use super::image_files::HEAD_MAX;
use super::section::{Section, json, text};
use crate::finding::{Kind, cut, nearest, others};
use crate::mapping::mistake::Mistake;
use crate::source::readers::RecordsPath;
use crate::source::{Encoding, FileGroup, FileNames, Format, Heads, HeadsOf, Layout, Plan};

/// Maximum length of the template for the URLs of records, in bytes.
const EDIT_URL_MAX: usize = 2_000;

/// How many undecided words of a table a mistake names.
const UNDECIDED_NAMED_MAX: usize = 20;

/// Reads the text of a mapping file.
pub(super) fn parse(text: &str) -> Result<Definition, Vec<Mistake>> {
    let document = DeTable::parse(text).map_err(|error| vec![syntax::mistake(&error, text)])?;
    let mut parser = Parser::default();
    let definition = parser.document(document.get_ref(), document.span());
    match definition {
        Some(definition) if parser.mistakes.is_empty() => Ok(definition),
        _ => Err(parser.mistakes),
    }
}

/// The expressions of an envelope that are given.
#[derive(Clone, Copy, Default)]
struct EnvelopeParts {
    key: Option<ExpressionId>,
    id: Option<ExpressionId>,
    record_type: Option<ExpressionId>,
    published: Option<ExpressionId>,
    updated_at: Option<ExpressionId>,
    changed: Option<ExpressionId>,
}

/// Reads the sections of a mapping file and collects the mistakes in them.
#[derive(Default)]
struct Parser {
    mistakes: Vec<Mistake>,
    expressions: Vec<Expression>,
    tables: Vec<String>,
    ignored: Vec<String>,
}

impl Parser {
    fn document(&mut self, table: &DeTable<'_>, span: Range<usize>) -> Option<Definition> {
        let mut root = Section::new(table, span, &ROOT);
        self.check_format(&mut root);
        let variables = self.variables(&mut root);
        let prelude = root.text("definitions", &mut self.mistakes);
        let prelude = prelude.map(|(code, span)| Expression {
            code: code.to_owned(),
            span,
            place: String::new(),
        });
        let edit_url = self.edit_url(&mut root);
        let tables = self.vocabulary_tables(&mut root);
        let common = match root.take("envelope") {
            Some(value) => self.envelope_section(value),
            None => EnvelopeParts::default(),
        };
        let sources = self.sources(&mut root, common);
        let links = root.take("links").map(|value| self.links(value));
        let joins = self.joins(&mut root);
        let records = self.constants(&mut root);
        let rules = self.rules(&mut root);
        root.finish(&mut self.mistakes);
        let whereabouts = self.whereabouts(&variables, prelude.as_ref());
        let (mut groups, sources): (Vec<_>, Vec<_>) = sources?.into_iter().unzip();
        let links = match links {
            Some(links) => {
                let (group, links) = links?;
                groups.push(group);
                Some(links)
            }
            None => None,
        };
        let reads_images = self.mention(IMAGE_SIZE, prelude.as_ref());
        Some(Definition {
            whereabouts,
            plan: Plan {
                groups,
                heads: reads_images.then_some(Heads {
                    of: HeadsOf::Images,
                    length: HEAD_MAX,
                }),
                descends: true,
            },
            variables,
            prelude,
            sources,
            links,
            joins,
            tables,
            records,
            ignored: std::mem::take(&mut self.ignored),
            edit_url,
            rules: rules?,
            expressions: std::mem::take(&mut self.expressions),
        })
    }

    fn check_format(&mut self, root: &mut Section<'_>) {
        let Some(value) = root.required("mapping", &mut self.mistakes) else {
            return;
        };
        if value.get_ref().as_str() != Some(FORMAT) {
            let message = format!("the language of a mapping file is \"{FORMAT}\"");
            self.mistakes.push(Mistake::new(value.span(), message));
        }
    }

    /// The template for URLs, which pages show as links.
    fn edit_url(&mut self, root: &mut Section<'_>) -> Option<String> {
        let (url, span) = root.text("edit_url", &mut self.mistakes)?;
        let is_web = url.starts_with("https://") || url.starts_with("http://");
        if !is_web || !url.contains(EDIT_ID) || EDIT_URL_MAX < url.len() {
            let message = format!(
                "this must be an address of http or https with `{EDIT_ID}` in place of the id, of \
                 at most {EDIT_URL_MAX} bytes"
            );
            self.mistakes.push(Mistake::new(span.clone(), message));
        }
        for unknown in unknown_placeholders(url) {
            let message = format!(
                "`{unknown}` is not a placeholder of an address; the only one is `{EDIT_ID}`"
            );
            self.mistakes.push(Mistake::new(span.clone(), message));
        }
        Some(url.to_owned())
    }

    fn variables(&mut self, root: &mut Section<'_>) -> Vec<(String, Value)> {
        let Some((table, _)) = self.optional_table(root, "variables") else {
            return Vec::new();
        };
        let mut variables = Vec::new();
        for (name, value) in table {
            let text = name.get_ref().as_ref();
            if !is_word(text) || text == "record" {
                let message =
                    "a variable is called by letters, digits and underscores, and not `record`";
                self.mistakes.push(Mistake::new(name.span(), message));
            }
            let value = json(value, &mut self.mistakes);
            variables.extend(value.map(|value| (text.to_owned(), value)));
        }
        variables
    }

    /// The variables for a record's place in the export that expressions may use. A mapping's own
    /// variable hides one with the same name.
    fn whereabouts(
        &self,
        variables: &[(String, Value)],
        prelude: Option<&Expression>,
    ) -> Vec<WhereVariable> {
        let is_own = |name: &str| variables.iter().any(|(own, _)| own == name);
        let is_used = |name: &str| self.mention(&format!("${name}"), prelude);
        let all = WhereVariable::ALL.into_iter();
        all.filter(|variable| !is_own(variable.name()) && is_used(variable.name()))
            .collect()
    }

    /// Whether any expression contains these characters, as a name or by chance.
    fn mention(&self, name: &str, prelude: Option<&Expression>) -> bool {
        let mut expressions = self.expressions.iter().chain(prelude);
        expressions.any(|expression| expression.code.contains(name))
    }

    fn vocabulary_tables(&mut self, root: &mut Section<'_>) -> HashMap<String, Table> {
        let Some((tables, _)) = self.optional_table(root, "tables") else {
            return HashMap::new();
        };
        let mut read = HashMap::new();
        for (name, value) in tables {
            let Some(entries) = value.get_ref().as_table() else {
                let message = "a vocabulary table has a text for each word";
                self.mistakes.push(Mistake::new(value.span(), message));
                continue;
            };
            self.undecided_words(name.get_ref(), entries);
            let entries = entries.iter().filter_map(|(word, value)| {
                let value = json(value, &mut self.mistakes)?;
                Some((word.get_ref().to_string(), value))
            });
            let table = Table {
                words: entries.collect(),
                span: name.span(),
                place: String::new(),
            };
            read.insert(name.get_ref().to_string(), table);
        }
        self.tables = read.keys().cloned().collect();
        read
    }

    /// Words that `mapping init` leaves to a person. One mistake names those of a table.
    fn undecided_words(&mut self, name: &str, table: &DeTable<'_>) {
        let is_open = |value: &DeValue<'_>| match name {
            // Nothing else changes what is public, so nothing else may look as if it did.
            UNREAD_STATUS => value.as_bool() != Some(true),
            _ => value.as_str() == Some(UNDECIDED),
        };
        let open = table.iter().filter(|(_, value)| is_open(value.get_ref()));
        let open: Vec<_> = open.collect();
        let Some((_, first)) = open.first() else {
            return;
        };
        let named = open.iter().take(UNDECIDED_NAMED_MAX);
        let words: Vec<String> = named
            .map(|(word, _)| Value::from(cut(word.get_ref())).to_string())
            .collect();
        let rest = match open.len() - words.len() {
            0 => String::new(),
            count => format!(" and {}", others(count)),
        };
        let words = words.join(", ");
        let (message, hint) = match name {
            UNREAD_STATUS => (
                format!("nothing reads {words}{rest}, which may say that a record is not public"),
                "name the key in `published` or `where`, then write true; only write true if it \
                 does not say so",
            ),
            _ => (
                format!("[tables.{name}] does not say yet what {words}{rest} stands for"),
                if name.starts_with("status") {
                    "write true in place of \"?\" if consumers may see records with the word, and \
                     false if not"
                } else {
                    "write it in place of \"?\""
                },
            ),
        };
        let mistake = Mistake::new(first.span(), message);
        self.mistakes.push(mistake.hint(Some(hint.to_owned())));
    }

    /// Reads an expression and gives it a number.
    fn expression(&mut self, section: &mut Section<'_>, key: &'static str) -> Option<ExpressionId> {
        let (code, span) = section.text(key, &mut self.mistakes)?;
        Some(self.number(code, span))
    }

    fn number(&mut self, code: &str, span: Range<usize>) -> ExpressionId {
        self.expressions.push(Expression {
            code: code.to_owned(),
            span,
            place: String::new(),
        });
        ExpressionId(self.expressions.len() - 1)
    }

    /// The texts of an optional key.
    fn names(&mut self, section: &mut Section<'_>, key: &'static str) -> Vec<String> {
        let texts = section.texts(key, &mut self.mistakes).unwrap_or_default();
        texts.into_iter().map(|(text, _)| text.to_owned()).collect()
    }

    /// The name of an existing vocabulary table.
    fn table_name(&mut self, section: &mut Section<'_>) -> Option<String> {
        let (name, span) = section.text("table", &mut self.mistakes)?;
        if !self.tables.iter().any(|table| table == name) {
            let names: Vec<&str> = self.tables.iter().map(String::as_str).collect();
            let hint = nearest(name, &names).map(|near| format!("did you mean `{near}`?"));
            let message = format!("there is no vocabulary table [tables.{name}]");
            self.mistakes.push(Mistake::new(span, message).hint(hint));
        }
        Some(name.to_owned())
    }

    fn word<T: Copy>(
        &mut self,
        value: &Spanned<DeValue<'_>>,
        words: &[(&'static str, T)],
    ) -> Option<T> {
        let (given, span) = text(value, &mut self.mistakes)?;
        let found = words.iter().find(|(word, _)| *word == given);
        if found.is_none() {
            let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let message = format!("this must be one of {}", names.join(", "));
            let hint = nearest(given, &names).map(|near| format!("did you mean `{near}`?"));
            self.mistakes.push(Mistake::new(span, message).hint(hint));
        }
        found.map(|(_, value)| *value)
    }

    fn flag(&mut self, value: &Spanned<DeValue<'_>>) -> bool {
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.mistakes
                .push(Mistake::new(value.span(), "this must be true or false"));
        }
        flag.unwrap_or_default()
    }

    fn optional_table<'t>(
        &mut self,
        root: &mut Section<'t>,
        key: &'static str,
    ) -> Option<(&'t DeTable<'t>, Range<usize>)> {
        let value = root.take(key)?;
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.mistakes
                .push(Mistake::new(value.span(), "this must be a table"));
        }
        Some((table?, value.span()))
    }

    fn list_of_tables<'t>(
        &mut self,
        root: &mut Section<'t>,
        key: &'static str,
        language: &'static file_keys::Table,
    ) -> Option<Vec<Section<'t>>> {
        let value = root.required(key, &mut self.mistakes)?;
        let Some(list) = value.get_ref().as_array() else {
            let message = format!("this is written as [[{key}]]");
            self.mistakes.push(Mistake::new(value.span(), message));
            return None;
        };
        list.iter()
            .map(|member| Section::of(member, language, &mut self.mistakes))
            .collect()
    }
}

/// Sources, their envelopes, and links.
impl Parser {
    fn envelope_section<'t>(&mut self, value: &'t Spanned<DeValue<'t>>) -> EnvelopeParts {
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

    fn sources(
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
        let patterns = patterns?;
        let globs = self.globs(&patterns)?;
        let patterns = patterns.into_iter().map(|(text, _)| text.to_owned());
        Some(FileGroup {
            names: FileNames::Globs(globs, patterns.collect()),
            layout: Layout {
                format: format?,
                encoding,
                records,
                lists,
            },
        })
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

    fn links<'t>(&mut self, value: &'t Spanned<DeValue<'t>>) -> Option<(FileGroup, Links)> {
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

/// Rules for records, and native records in the file itself.
impl Parser {
    fn joins(&mut self, root: &mut Section<'_>) -> Vec<Join> {
        let Some((joins, _)) = self.optional_table(root, "joins") else {
            return Vec::new();
        };
        let joins = joins.iter();
        joins
            .filter_map(|(name, value)| self.join(name.get_ref(), value))
            .collect()
    }

    fn join<'t>(&mut self, name: &str, value: &'t Spanned<DeValue<'t>>) -> Option<Join> {
        let mut section = Section::of(value, &JOIN, &mut self.mistakes)?;
        section.required("type", &mut self.mistakes);
        let types = section.texts("type", &mut self.mistakes);
        section.required("to", &mut self.mistakes);
        let to = self.expression(&mut section, "to");
        let order = self.expression(&mut section, "order");
        let span = section.span();
        section.finish(&mut self.mistakes);
        let names = |texts: Vec<(&str, Range<usize>)>| {
            texts.into_iter().map(|(text, _)| text.to_owned()).collect()
        };
        Some(Join {
            name: name.to_owned(),
            types: names(types?),
            to: to?,
            order,
            span,
        })
    }

    fn constants(&mut self, root: &mut Section<'_>) -> Vec<Constant> {
        let Some(value) = root.take("records") else {
            return Vec::new();
        };
        let before = self.mistakes.len();
        let read = json(value, &mut self.mistakes);
        let Some(Value::Array(records)) = read else {
            // Mistakes inside were already reported.
            if before < self.mistakes.len() {
                return Vec::new();
            }
            let message = "native records are written as [[records]]";
            self.mistakes.push(Mistake::new(value.span(), message));
            return Vec::new();
        };
        let spans = value.get_ref().as_array();
        let spans = spans.into_iter().flatten().map(Spanned::span);
        let mut constants = Vec::new();
        for (record, span) in records.into_iter().zip(spans) {
            if let Value::Object(record) = record {
                constants.push(Constant { record, span });
            } else {
                let message = "a native record is a table";
                self.mistakes.push(Mistake::new(span, message));
            }
        }
        constants
    }

    fn rules(&mut self, root: &mut Section<'_>) -> Option<Vec<Rule>> {
        let sections = self.list_of_tables(root, "emit", &RULE)?;
        let rules: Vec<Option<Rule>> = sections
            .into_iter()
            .map(|section| self.rule(section))
            .collect();
        rules.into_iter().collect()
    }

    fn rule(&mut self, mut section: Section<'_>) -> Option<Rule> {
        let kinds = Kind::COUNTED.map(|kind| (kind.as_str(), kind));
        let kind = section.required("kind", &mut self.mistakes);
        let kind = kind.and_then(|value| self.word(value, &kinds));
        section.required("type", &mut self.mistakes);
        let types = section.texts("type", &mut self.mistakes);
        let condition = self.expression(&mut section, "where");
        let each = self.expression(&mut section, "each");
        let distinct = section.take("distinct");
        let is_distinct = distinct.is_some_and(|value| self.flag(value));
        let ignored = self.names(&mut section, "ignore");
        let fields = section.required("fields", &mut self.mistakes);
        let fields = fields.and_then(|value| self.fields(value));
        let span = section.span();
        section.finish(&mut self.mistakes);
        let fields = fields?;
        if each.is_some() && !fields.iter().any(|(name, _)| name == "id") {
            let message =
                "`each` makes several records of one, so `fields` must say what their `id` is";
            self.mistakes.push(Mistake::new(span.clone(), message));
        }
        let names = |texts: Vec<(&str, Range<usize>)>| {
            texts.into_iter().map(|(text, _)| text.to_owned()).collect()
        };
        Some(Rule {
            kind: kind?,
            types: names(types?),
            condition,
            each,
            is_distinct,
            ignored,
            span,
            fields,
        })
    }

    /// The fields of an object in the file's order.
    fn fields<'t>(&mut self, value: &'t Spanned<DeValue<'t>>) -> Option<Vec<(String, Field)>> {
        let Some(table) = value.get_ref().as_table() else {
            let message = "fields are a table: the name of each, and where its value comes from";
            self.mistakes.push(Mistake::new(value.span(), message));
            return None;
        };
        let fields = table.iter().map(|(name, value)| {
            let field = self.field(value)?;
            Some((name.get_ref().to_string(), field))
        });
        let fields: Vec<Option<_>> = fields.collect();
        fields.into_iter().collect()
    }

    fn field<'t>(&mut self, value: &'t Spanned<DeValue<'t>>) -> Option<Field> {
        if let Some(code) = value.get_ref().as_str() {
            return Some(Field::Value {
                from: self.number(code, value.span()),
                rest: Rest::default(),
            });
        }
        let Some(table) = value.get_ref().as_table() else {
            let message = "a field is an expression, or a table with `from` or `each`";
            self.mistakes.push(Mistake::new(value.span(), message));
            return None;
        };
        if table.contains_key("from") {
            self.value(value)
        } else if table.contains_key("each") {
            self.list(value)
        } else {
            self.fields(value).map(Field::Object)
        }
    }

    fn value<'t>(&mut self, value: &'t Spanned<DeValue<'t>>) -> Option<Field> {
        let mut section = Section::of(value, &VALUE, &mut self.mistakes)?;
        let from = self.expression(&mut section, "from");
        let rest = self.rest(&mut section);
        section.finish(&mut self.mistakes);
        Some(Field::Value { from: from?, rest })
    }

    fn list<'t>(&mut self, value: &'t Spanned<DeValue<'t>>) -> Option<Field> {
        let table = value.get_ref().as_table();
        let has_fields = table.is_some_and(|table| table.contains_key("fields"));
        let language = if has_fields { &LIST_OF_OBJECTS } else { &LIST };
        let mut section = Section::of(value, language, &mut self.mistakes)?;
        let each = self.expression(&mut section, "each");
        let member = if let Some(fields) = section.take("fields") {
            self.fields(fields).map(Field::Object)
        } else {
            let given = self.expression(&mut section, "value");
            let from = given.unwrap_or_else(|| self.number(".", value.span()));
            let rest = self.rest(&mut section);
            Some(Field::Value { from, rest })
        };
        section.finish(&mut self.mistakes);
        Some(Field::List {
            each: each?,
            member: Box::new(member?),
        })
    }

    fn rest(&mut self, section: &mut Section<'_>) -> Rest {
        let default = section.take("default");
        let unlisted = section.take("unlisted");
        let table = self.table_name(section);
        if let (Some(unlisted), None) = (unlisted, &table) {
            let message = "`unlisted` stands for words that a table does not have, and no `table` is named here";
            self.mistakes.push(Mistake::new(unlisted.span(), message));
        }
        Rest {
            table,
            unlisted: unlisted.and_then(|value| json(value, &mut self.mistakes)),
            default: default.and_then(|value| json(value, &mut self.mistakes)),
        }
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

/// Whether a text can be the name of a variable.
fn is_word(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.chars().all(is_letter) && text.starts_with(|c: char| !c.is_ascii_digit())
}
