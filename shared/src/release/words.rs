//! The words of folded names, by which records are searched.

use std::collections::HashSet;

use super::columns::{Pairs, WORD, int};
use super::listing::{BOAT_WORDS, MANUFACTURER_WORDS};
use super::tables::Columns;
use crate::base::fold::words;

/// The tables of words.
pub(super) struct WordTables {
    pub(super) words: Columns,
    pub(super) of_boats: Columns,
    pub(super) of_manufacturers: Columns,
}

impl WordTables {
    /// The words of the folded models of boats and of the folded names of manufacturers.
    pub(super) fn of(models: &[Box<str>], names: &[Box<str>]) -> Self {
        let words = Words::of([models, names]);
        Self {
            of_boats: words.pairs(models).into_columns(&BOAT_WORDS),
            of_manufacturers: words.pairs(names).into_columns(&MANUFACTURER_WORDS),
            words: words.into_columns(),
        }
    }
}

/// Every word of every folded name; a word's dictionary id is its place in the order of code points, so
/// that the words with a common prefix are a range of ids.
struct Words(Vec<Box<str>>);

impl Words {
    fn of(names: [&[Box<str>]; 2]) -> Self {
        let names = names.into_iter().flatten();
        // Names share most of their words, so that few are left to sort.
        let different: HashSet<&str> = names.flat_map(|name| words(name)).collect();
        let mut sorted: Vec<&str> = different.into_iter().collect();
        sorted.sort_unstable();
        Self(sorted.into_iter().map(Into::into).collect())
    }

    fn pairs(&self, names: &[Box<str>]) -> Pairs {
        let mut pairs = Pairs::default();
        for (ordinal, name) in names.iter().enumerate() {
            for word in words(name) {
                let place = self.0.binary_search_by(|known| (**known).cmp(word));
                if let Ok(place) = place {
                    pairs.push(int(place), int(ordinal));
                }
            }
        }
        pairs
    }

    fn into_columns(self) -> Columns {
        vec![WORD.column(self.0)]
    }
}
