//! Which keys of records nothing reads.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::KEYS_MAX;
use super::report::UnreadKey;
use crate::findings::cut;
use crate::mapping::expression::{Jq, text};

/// Characters of a value that are shown.
const SAMPLE_MAX: usize = 40;

/// Looks for keys that nothing reads, in records of one kind.
pub(super) struct Scan {
    pub(super) names: Arc<Names>,
    pub(super) records: u64,
    found: BTreeMap<String, (u64, String)>,
}

/// The names of keys that are read, or need not be.
pub(super) struct Names {
    /// Keys that expressions name.
    pub(super) known: HashSet<String>,
    /// Keys that are not wanted, whatever is in them.
    pub(super) ignored: HashSet<String>,
    /// Keys that the fields name: what is within a key is looked at for their sake.
    pub(super) of_fields: HashSet<String>,
}

impl Scan {
    /// Nothing looked at yet.
    pub(super) fn new(
        known: HashSet<String>,
        ignored: HashSet<String>,
        of_fields: HashSet<String>,
    ) -> Self {
        Self {
            names: Arc::new(Names {
                known,
                ignored,
                of_fields,
            }),
            records: 0,
            found: BTreeMap::new(),
        }
    }

    /// Nothing looked at yet, for the same keys.
    pub(super) fn anew(&self) -> Self {
        Self {
            names: Arc::clone(&self.names),
            records: 0,
            found: BTreeMap::new(),
        }
    }

    /// Adds what was found in records that come after these.
    pub(super) fn merge(&mut self, later: Self) {
        self.records += later.records;
        for (key, (count, sample)) in later.found {
            self.note_many(key, count, sample);
        }
    }

    /// Looks at a record.
    pub(super) fn record(&mut self, record: &Jq) {
        self.records += 1;
        let mut found = HashMap::new();
        self.find(record, "", &mut found);
        for (key, sample) in found {
            self.note(key, sample);
        }
    }

    /// Notes a key that a record has and nothing reads.
    pub(super) fn note(&mut self, key: String, sample: String) {
        self.note_many(key, 1, sample);
    }

    fn note_many(&mut self, key: String, records: u64, sample: String) {
        if self.found.len() < KEYS_MAX || self.found.contains_key(&key) {
            let (count, _) = self.found.entry(key).or_insert((0, sample));
            *count += records;
        }
    }

    /// What was found, by the names of the keys.
    pub(super) fn take(&mut self) -> Vec<UnreadKey> {
        let found = std::mem::take(&mut self.found).into_iter();
        let key = |(key, (records, sample))| UnreadKey {
            key,
            records,
            sample,
        };
        found.map(key).collect()
    }

    /// Finds the keys that are not known. What is within a key that is known is looked at only
    /// where a field names some key beside it: otherwise the value is read as a whole.
    fn find(&self, value: &Jq, path: &str, found: &mut HashMap<String, String>) {
        match value {
            Jq::Arr(items) => {
                let path = format!("{path}[]");
                items.iter().for_each(|item| self.find(item, &path, found));
            }
            Jq::Obj(members) => {
                let is_in = |names: &HashSet<String>, key: &Jq| {
                    text(key).is_some_and(|key| names.contains(key))
                };
                if !path.is_empty() && !members.keys().any(|key| is_in(&self.names.of_fields, key))
                {
                    return;
                }
                for (key, value) in members.iter() {
                    if is_in(&self.names.ignored, key) {
                        continue;
                    }
                    let name = text(key).unwrap_or_default();
                    let separator = if path.is_empty() { "" } else { "." };
                    let path = format!("{path}{separator}{}", cut(name));
                    if is_in(&self.names.known, key) {
                        self.find(value, &path, found);
                    } else if !matches!(value, Jq::Null) && found.len() < KEYS_MAX {
                        found.entry(path).or_insert_with(|| sample(value));
                    }
                }
            }
            _ => {}
        }
    }
}

/// The beginning of a value, on one line.
pub(super) fn sample(value: &Jq) -> String {
    let whole = match text(value) {
        Some(text) => text.to_owned(),
        None => value.to_string(),
    };
    let whole = whole.split_whitespace().collect::<Vec<_>>().join(" ");
    match whole.char_indices().nth(SAMPLE_MAX) {
        None => cut(&whole),
        Some((end, _)) => format!("{}…", &whole[..end]),
    }
}
