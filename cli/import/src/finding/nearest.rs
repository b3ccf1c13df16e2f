//! Finds the known word that a mistyped one probably stands for, for hints.

/// How similar two words must be, from 0 to 1, for one to count as a misspelling of the other.
pub(crate) const ALIKE: f64 = 0.8;
/// Longest word, in bytes, that is compared. No key is nearly as long, and the time to compare two
/// words grows with the length of both.
const WORD_MAX: usize = 200;

/// The word of `known` that `word` may have been meant to be.
pub fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let (likeness, nearest) = most_alike(word, known.iter().copied())?;
    (ALIKE <= likeness).then_some(nearest)
}

/// The word of `known` that is most similar to `word`, and how similar it is, from 0 to 1.
pub(crate) fn most_alike<'k>(
    word: &str,
    known: impl Iterator<Item = &'k str>,
) -> Option<(f64, &'k str)> {
    if WORD_MAX < word.len() {
        return None;
    }
    let word = word.to_lowercase();
    let likeness = |known: &str| strsim::jaro_winkler(&word, &known.to_lowercase());
    let short = known.filter(|known| known.len() <= WORD_MAX);
    let candidates = short.map(|known| (likeness(known), known));
    candidates.max_by(|a, b| a.0.total_cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_longer_than_any_key_are_not_compared() {
        let [longest, longer] = [WORD_MAX, WORD_MAX + 1].map(|length| "a".repeat(length));
        for (word, known, is_compared) in [
            (&longest, &longest, true),
            (&longer, &longest, false),
            (&longest, &longer, false),
        ] {
            let (word_bytes, known_bytes) = (word.len(), known.len());
            let found = nearest(word, &[known]).is_some();
            assert_eq!(found, is_compared, "{word_bytes} and {known_bytes} bytes");
        }
    }
}
