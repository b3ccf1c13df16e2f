//! What expressions can ask about the export and the mapping while a record is mapped.
//!
//! References lead to published records only: what an expression gets may be published.

use std::sync::Arc;

use super::Mapper;
use crate::finding::nearest;
use crate::mapping::expression::{
    IMAGE_SIZE, Jq, Knowledge, Referred, Site, SiteNumber, from_json,
};
use crate::mapping::image_files::ImageFile;
use crate::mapping::keys::KeyId;

impl Mapper {
    /// Whether a vocabulary table has a word.
    pub(super) fn is_listed(&self, table: &str, word: &str) -> bool {
        let table = self.definition.tables.get(table);
        table.is_some_and(|entries| entries.contains_key(word))
    }

    /// The place of the record that a key leads to.
    fn follow(&self, key: KeyId) -> Referred<usize> {
        let Some(place) = self.index.documents.place_of(key) else {
            return Referred::Nowhere;
        };
        if self.index.documents.at(place).is_published {
            return Referred::Published(place);
        }
        self.followed.borrow_mut().refuse(place);
        Referred::Unpublished
    }

    fn follow_text(&self, key: &str) -> Referred<usize> {
        let key = self.index.keys.find(key);
        key.map_or(Referred::Nowhere, |key| self.follow(key))
    }

    /// The key of the record that is being mapped; none while records are only identified.
    fn current_key(&self) -> Option<KeyId> {
        let place = self.followed.borrow().from()?;
        Some(self.index.documents.at(place).key)
    }

    /// Fails where a function is called while there may be more to read.
    pub(super) fn expect_all_read(&self, function: &str) -> Result<(), String> {
        match self.followed.borrow().from() {
            Some(_) => Ok(()),
            None => Err(format!(
                "`{function}` knows nothing until all is read: it has no place in [envelope], [[sources]], [links] and [joins]"
            )),
        }
    }

    /// The contents of the record at a place, for another one.
    fn contents(&self, place: usize, number: SiteNumber) -> Result<Jq, String> {
        let document = self.index.documents.at(place);
        if let Some(led_to) = self.led_to.borrow_mut().as_mut() {
            let expression = self.position.expression();
            let site = Site { expression, number };
            led_to.insert((site, Arc::clone(&document.record_type)));
        }
        if document.is_changed {
            self.followed.borrow_mut().changed.insert(place);
        }
        self.held.borrow_mut().read(&self.index.documents, place)
    }
}

impl Knowledge for Mapper {
    fn record(&self, key: &str, site: SiteNumber) -> Result<Referred<Jq>, String> {
        self.expect_all_read("deref")?;
        let found = self.follow_text(key);
        found.try_map(|place| self.contents(place, site))
    }

    fn public_id(&self, key: &str) -> Referred<String> {
        self.follow_text(key)
            .map(|place| self.index.id_of(self.index.documents.at(place)).to_owned())
    }

    fn linked(&self, from: Option<&str>, field: &str) -> Vec<String> {
        let from = match from {
            Some(key) => self.index.keys.find(key),
            None => self.current_key(),
        };
        let Some(from) = from else { return Vec::new() };
        let linked = self.index.links.of(from, field, &self.index.keys);
        let linked = linked.filter(|to| !matches!(self.follow(*to), Referred::Unpublished));
        linked
            .map(|to| self.index.keys.text(to).to_owned())
            .collect()
    }

    fn note_markdown(&self) {
        self.followed.borrow_mut().note_markdown();
    }

    fn joined(&self, join: &str, key: &str, site: SiteNumber) -> Result<Vec<Jq>, String> {
        let places = self.joined_places(join, key)?.into_iter();
        places.map(|place| self.contents(place, site)).collect()
    }

    fn image(&self, path: &str) -> Result<Option<ImageFile>, String> {
        self.expect_all_read(IMAGE_SIZE)?;
        self.index.images.find(path)
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
            crate::finding::cut(word)
        ))
    }
}
