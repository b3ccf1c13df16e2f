//! The vocabulary tables of a mapping file, and the words in them that a person has yet to decide.

use std::collections::HashMap;

use serde_json::Value;
use toml::de::DeValue;

use crate::finding::{cut, others};
use crate::mapping::definition::{Table, UNDECIDED, UNREAD_STATUS};
use crate::mapping::file_keys::Takes;
use crate::mapping::mistake::Mistake;
use crate::mapping::read::{Read, Reader, Section, Toml};

/// How many undecided words of a table a mistake names.
const UNDECIDED_NAMED_MAX: usize = 20;

/// All vocabulary tables, by name.
#[derive(Debug, Default)]
pub(super) struct Vocabularies(pub(super) HashMap<String, Table>);

impl Read for Vocabularies {
    const TAKES: Takes = Takes::Vocabularies;

    fn read(value: &Toml<'_>, reader: &mut Reader) -> Option<Self> {
        let mut tables = HashMap::new();
        for (name, value) in Section::of("", value, reader)?.entries() {
            let Some(words) = value.get_ref().as_table() else {
                reader.mistake(value.span(), "a vocabulary table has a text for each word");
                continue;
            };
            let section = Section::new(name.get_ref(), words, value.span());
            reader.mistakes.extend(undecided_words(&section));
            let words = section.entries().filter_map(|(word, value)| {
                let value = Value::read(value, reader)?;
                Some((word.get_ref().to_string(), value))
            });
            let table = Table {
                words: words.collect(),
                span: name.span(),
                place: String::new(),
            };
            tables.insert(section.name(), table);
        }
        reader.tables = tables.keys().cloned().collect();
        Some(Self(tables))
    }
}

/// Words that `mapping init` leaves to a person. One mistake names those of a table.
fn undecided_words(table: &Section<'_>) -> Option<Mistake> {
    let name = table.name();
    let is_open = |value: &DeValue<'_>| match name.as_str() {
        // Nothing else changes what is public, so nothing else may look as if it did.
        UNREAD_STATUS => value.as_bool() != Some(true),
        _ => value.as_str() == Some(UNDECIDED),
    };
    let open = table
        .entries()
        .filter(|(_, value)| is_open(value.get_ref()));
    let open: Vec<_> = open.collect();
    let (_, first) = open.first()?;
    let named = open.iter().take(UNDECIDED_NAMED_MAX);
    let words: Vec<String> = named
        .map(|(word, _)| Value::from(cut(word.get_ref())).to_string())
        .collect();
    let rest = match open.len() - words.len() {
        0 => String::new(),
        count => format!(" and {}", others(count)),
    };
    let words = words.join(", ");
    let (message, hint) = match name.as_str() {
        UNREAD_STATUS => (
            format!("nothing reads {words}{rest}, which may say that a record is not public"),
            "name the key in `published` or `where`, then write true; only write true if it does \
             not say so",
        ),
        name => (
            format!("[tables.{name}] does not say yet what {words}{rest} stands for"),
            if name.starts_with("status") {
                "write true in place of \"?\" if consumers may see records with the word, and \
                 false if not"
            } else {
                "write it in place of \"?\""
            },
        ),
    };
    Some(Mistake::new(first.span(), message).hint(Some(hint.to_owned())))
}
