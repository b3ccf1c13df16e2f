//! Represents keys of records as small numbers, because links and lookups hold very many keys.

use std::collections::HashMap;
use std::sync::Arc;

/// The number of a key, assigned when the key is first seen on a record or a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct KeyId(u32);

/// All keys seen.
#[derive(Default)]
pub(super) struct Keys {
    numbers: HashMap<Arc<str>, KeyId>,
    texts: Vec<Arc<str>>,
}

impl KeyId {
    /// The index in a list with one entry for each key.
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
        // Memory cannot hold more than `u32::MAX` keys.
        let number = KeyId(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        let text: Arc<str> = key.into();
        self.texts.push(Arc::clone(&text));
        self.numbers.insert(text, number);
        number
    }

    /// The number of a key, if the key was seen before.
    pub(super) fn find(&self, key: &str) -> Option<KeyId> {
        self.numbers.get(key).copied()
    }

    /// The key with this number.
    pub(super) fn text(&self, number: KeyId) -> &str {
        &self.texts[number.place()]
    }
}

/// A key without the `.0` that a column of numbers with gaps gives to whole ones, as in `5.0`.
pub(super) fn whole(key: &str) -> &str {
    let Some((digits, zeros)) = key.split_once('.') else {
        return key;
    };
    let is_whole = !digits.is_empty()
        && !zeros.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && zeros.bytes().all(|byte| byte == b'0');
    if is_whole { digits } else { key }
}
