//! Finds the list of records in a JSON document, from the beginning of the document.

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::path::Path;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::mapping::in_path;
use crate::source::{self, Export, Incoming, Plan, ReadContext};

/// How much of a document is looked at, in bytes.
const HEAD_BYTES: u64 = 256 * 1024;
/// How many levels deep lists are looked for.
const DEPTH_MAX: usize = 6;
/// Words in names of lists that probably contain boats.
const BOATS: [&str; 6] = ["boat", "yacht", "vessel", "model", "product", "item"];

/// The paths of the lists in the first document, as mappings write them, the likeliest first. Empty
/// if the whole document is a list.
pub(super) fn find(exports: &[Export], temp_dir: &Path) -> anyhow::Result<Vec<String>> {
    let plan = Plan::beginnings(HEAD_BYTES);
    let context = ReadContext {
        temp_dir,
        progress: &(),
    };
    let mut paths = Vec::new();
    source::read(exports, &mut io::empty(), context, &plan, &mut |incoming| {
        if let Incoming::Head(_, head) = incoming
            && paths.is_empty()
        {
            paths = lists(head);
        }
        Ok(())
    })?;
    Ok(paths)
}

fn lists(head: &[u8]) -> Vec<String> {
    let found = RefCell::new(Vec::new());
    let seed = Search {
        path: Vec::new(),
        is_member: false,
        found: &found,
    };
    let mut document = serde_json::Deserializer::from_slice(head);
    // A document longer than [`HEAD_BYTES`] is cut, so reading it ends in an error.
    _ = seed.deserialize(&mut document);
    let mut found: Vec<String> = found.into_inner();
    let is_likely = |path: &String| BOATS.iter().any(|word| path.to_lowercase().contains(word));
    found.sort_by_key(|path| !is_likely(path));
    found
}

/// Looks for lists of objects in a value.
struct Search<'f> {
    path: Vec<String>,
    /// Whether the value is the first member of the list that the path leads to.
    is_member: bool,
    found: &'f RefCell<Vec<String>>,
}

impl<'de> DeserializeSeed<'de> for Search<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Search<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        if self.is_member && !self.path.is_empty() {
            self.found.borrow_mut().push(self.path.join("."));
        }
        while let Some(key) = map.next_key::<String>()? {
            if self.is_member || DEPTH_MAX <= self.path.len() {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let mut path = self.path.clone();
            path.push(in_path(&key).into_owned());
            map.next_value_seed(Search {
                path,
                is_member: false,
                found: self.found,
            })?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        list.next_element_seed(Search {
            is_member: true,
            ..self
        })?;
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}
