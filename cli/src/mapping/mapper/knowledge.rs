//! What expressions can ask about the export and the mapping while a record is mapped.

use super::Mapper;
use crate::mapping::expression::{Jq, Knowledge, from_json};
use crate::validate::nearest;

impl Knowledge for Mapper {
    fn record(&self, key: &str) -> Result<Option<Jq>, String> {
        let Some(key) = self.keys.find(key) else {
            return Ok(None);
        };
        if let Some(led_to) = self.led_to.borrow_mut().as_mut() {
            led_to.insert(key);
        }
        self.documents.read_by_key(key)
    }

    fn public_id(&self, key: &str) -> Option<String> {
        let document = self.documents.find(self.keys.find(key)?)?;
        Some(document.id.as_deref().unwrap_or(key).to_owned())
    }

    fn linked(&self, field: &str) -> Vec<String> {
        let current = self.current.get();
        current.map_or_else(Vec::new, |key| self.links.of(key, field, &self.keys))
    }

    fn lookup(&self, table: &str, word: &str) -> Result<Jq, String> {
        let Some(entries) = self.definition.tables.get(table) else {
            return Err(format!("there is no vocabulary table [tables.{table}]"));
        };
        if let Some(value) = entries.get(word) {
            return Ok(from_json(value));
        }
        let words: Vec<&str> = entries.keys().map(String::as_str).collect();
        let near = nearest(word, &words)
            .map_or_else(String::new, |near| format!(" (did you mean \"{near}\"?)"));
        Err(format!(
            "[tables.{table}] does not have \"{}\"{near}",
            crate::findings::cut(word)
        ))
    }
}
