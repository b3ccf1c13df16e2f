//! Keys of records as small numbers, because links and look-ups have very many of them.

use std::collections::HashMap;
use std::sync::Arc;

/// The number of a key, given when it is first seen, be it on a record or on a link to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct KeyId(u32);

/// All keys seen.
#[derive(Default)]
pub(super) struct Keys {
    numbers: HashMap<Arc<str>, KeyId>,
    texts: Vec<Arc<str>>,
}

impl KeyId {
    /// The place in a list by key.
    pub(super) const fn place(self) -> usize {
        self.0 as usize
    }
}

impl Keys {
    /// The number of a key, new or not.
    pub(super) fn number(&mut self, key: &str) -> KeyId {
        if let Some(number) = self.numbers.get(key) {
            return *number;
        }
        // Each takes more than one byte of memory, so that there cannot be more of them.
        let number = KeyId(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        let text: Arc<str> = key.into();
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    /// The number of a key that was seen.
    pub(super) fn find(&self, key: &str) -> Option<KeyId> {
        self.numbers.get(key).copied()
    }

    /// The key of a number.
    pub(super) fn text(&self, number: KeyId) -> &str {
        &self.texts[number.place()]
    }
}
