//! The `search` parameter: words, each of which must begin some word of a name.

use std::fmt;

use shared::base::fold;

/// Fewest characters of a search, as given.
pub const SEARCH_MIN: usize = 2;
/// Most characters of a search, as given.
pub const SEARCH_MAX: usize = 100;

/// Folded words of letters and digits; never empty, sorted, and none is the beginning of another,
/// because the longer word implies the shorter.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SearchWords(Vec<String>);

impl SearchWords {
    /// Folds and splits a decoded value; an error is the message for the caller.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let length = text.chars().count();
        if !(SEARCH_MIN..=SEARCH_MAX).contains(&length) {
            return Err(format!(
                "must have {SEARCH_MIN} to {SEARCH_MAX} characters, has {length}"
            ));
        }
        let folded = fold::fold(text);
        let mut words: Vec<&str> = fold::words(&folded).collect();
        words.sort_unstable();
        // Sorted, a word stands right before those that begin with it, its repetitions included.
        let kept = words.iter().enumerate().filter(|&(index, word)| {
            !words
                .get(index + 1)
                .is_some_and(|next| next.starts_with(word))
        });
        let kept: Vec<String> = kept.map(|(_, &word)| word.to_owned()).collect();
        if kept.is_empty() {
            return Err("must contain a letter or a digit".to_owned());
        }
        Ok(Self(kept))
    }

    /// The words.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl fmt::Display for SearchWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("+"))
    }
}
