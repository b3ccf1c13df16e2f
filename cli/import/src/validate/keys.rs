//! What may be wrong with a key, whatever its value: it comes twice, or nobody knows it.

use super::reporter::{Problem, Reporter, Step};
use crate::export::json::{Member, Node, Value};
use crate::findings::{Code, cut};
use crate::seen::Seen;

/// Keys that begin so are nobody's business.
pub(super) const PRIVATE_PREFIX: &str = "x_";
/// How alike two words must be, from 0 to 1, for one to be taken for the other, mistyped.
const ALIKE: f64 = 0.8;
/// Longest word, in bytes, that is looked at: no key is nearly as long, and comparing takes time
/// with the length of both.
const WORD_MAX: usize = 200;

/// Reports a key that its object has already.
pub(super) fn report_repeated<'n>(member: &'n Member<'n>, reporter: &mut Reporter<'n>) {
    let message = format!("the key `{}` is given twice", cut(&member.key));
    let problem = Problem::new(Code::RepeatedKey, message);
    reporter.within(Step::Key(&member.key), |to| {
        to.place_of(&member.key_span, problem);
    });
}

/// Reports the repeated keys of a value that is not read otherwise, however deep they are.
pub(super) fn report_repeated_within<'n>(node: &'n Node<'n>, reporter: &mut Reporter<'n>) {
    match &node.value {
        Value::Object(members) => {
            let mut seen = Seen::new();
            for member in members {
                if !seen.is_new(&*member.key) {
                    report_repeated(member, reporter);
                }
                reporter.within(Step::Key(&member.key), |to| {
                    report_repeated_within(&member.node, to);
                });
            }
        }
        Value::List(items) => {
            for (index, item) in items.iter().enumerate() {
                reporter.within(Step::Index(index), |to| report_repeated_within(item, to));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {}
    }
}

/// Reports a key that is none of those that are `accepted`.
pub(super) fn report_unknown<'n>(
    member: &'n Member<'n>,
    accepted: impl Iterator<Item = &'static str>,
    reporter: &mut Reporter<'n>,
) {
    let message = format!("unknown key `{}`", cut(&member.key));
    let mut problem = Problem::new(Code::UnknownField, message);
    if reporter.wants_hints()
        && let Some((likeness, nearest)) = most_alike(&member.key, accepted)
    {
        problem = problem.hint(if ALIKE <= likeness {
            format!("did you mean `{nearest}`?")
        } else {
            format!(
                "the nearest known key is `{nearest}`; to keep another in the export, begin it \
                 with `{PRIVATE_PREFIX}`"
            )
        });
    }
    reporter.within(Step::Key(&member.key), |to| {
        to.place_of(&member.key_span, problem);
    });
}

/// The word of `known` that `word` may have been meant to be.
pub fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let (likeness, nearest) = most_alike(word, known.iter().copied())?;
    (ALIKE <= likeness).then_some(nearest)
}

fn most_alike<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<(f64, &'k str)> {
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
