//! Parses the text of a mapping file into its definition, or reports all mistakes in it.
//!
//! Here is what all sections share, and those that stand alone.

mod rules;
mod sources;
mod syntax;

use std::collections::HashMap;
use std::ops::Range;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use self::sources::EnvelopeParts;
use super::definition::{
    Definition, EDIT_ID, Expression, ExpressionId, FORMAT, Table, UNDECIDED, UNREAD_STATUS,
    WhereVariable,
};
use super::expression::IMAGE_SIZE;
use super::file_keys::{self, BLOCK, RICH_TEXT, ROOT};
use super::functions::plain::{Block, Kind as NodeKind, RichText};
use super::image_files::HEAD_MAX;
use super::mistake::Mistake;
use super::section::{Section, json, text};
use crate::finding::{cut, nearest, others};
use crate::source::{Heads, HeadsOf, Plan};

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
        let unwanted = self.unwanted_files(&mut root);
        let edit_url = self.edit_url(&mut root);
        let tables = self.vocabulary_tables(&mut root);
        let common = match root.take("envelope") {
            Some(value) => self.envelope_section(value),
            None => EnvelopeParts::default(),
        };
        let sources = self.sources(&mut root, common);
        let links = root.take("links").map(|value| self.links(value));
        let joins = self.joins(&mut root);
        let rich_text = root.take("rich_text").map(|value| self.rich_text(value));
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
                unwanted: Some(unwanted?),
            },
            variables,
            prelude,
            sources,
            links,
            joins,
            tables,
            rich_text: rich_text.flatten().unwrap_or_default(),
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

    fn rich_text(&mut self, value: &Spanned<DeValue<'_>>) -> Option<RichText> {
        let mut section = Section::of(value, &RICH_TEXT, &mut self.mistakes)?;
        let shortcodes = section.take("shortcodes");
        let has_shortcodes = shortcodes.is_some_and(|value| self.flag(value));
        let blocks = self.optional_table(&mut section, "blocks");
        let blocks = blocks.into_iter().flat_map(|(blocks, _)| blocks);
        let blocks = blocks
            .filter_map(|(name, value)| Some((name.get_ref().to_string(), self.block(value)?)));
        let blocks = blocks.collect();
        section.finish(&mut self.mistakes);
        Some(RichText {
            has_shortcodes,
            blocks,
        })
    }

    fn block(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Block> {
        let mut section = Section::of(value, &BLOCK, &mut self.mistakes)?;
        let kind = section.required("as", &mut self.mistakes);
        let kind = kind.and_then(|kind| self.word(kind, &NodeKind::WORDS));
        let from = self.names(&mut section, "from");
        section.finish(&mut self.mistakes);
        Some(Block { kind: kind?, from })
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
