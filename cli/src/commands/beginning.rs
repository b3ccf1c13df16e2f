//! Accepts the beginning of a long name in place of the whole name, if only one thing has it.

use crate::hints::Hinted;

/// Fewest characters of a beginning, counting only the part in which names differ.
pub(super) const LENGTH_MIN: usize = 4;
/// Most names that are shown if several begin the same way.
const CANDIDATES_MAX: usize = 5;

/// The only member of `all` whose name begins with `beginning`; `what` is the word for a member.
pub(super) fn only<T>(
    beginning: &str,
    what: &str,
    all: impl IntoIterator<Item = T>,
    name: impl Fn(&T) -> &str,
) -> anyhow::Result<T> {
    let all = all.into_iter();
    let mut found: Vec<T> = all.filter(|one| name(one).starts_with(beginning)).collect();
    if let [_] = found[..]
        && let Some(one) = found.pop()
    {
        return Ok(one);
    }
    let (error, hint) = if found.is_empty() {
        (
            anyhow::anyhow!("no {what} begins with {beginning}"),
            format!("catalogue {what}s list shows all {what}s"),
        )
    } else {
        let (count, names) = candidates(&found, name);
        (
            anyhow::anyhow!("{count} {what}s begin with {beginning}: {names}"),
            "name one of them with more characters".to_owned(),
        )
    };
    Err(Hinted::wrong_usage(error, hint).into())
}

/// How many things may be meant, and the names of the first of them.
pub(super) fn candidates<T>(found: &[T], name: impl Fn(&T) -> &str) -> (usize, String) {
    let mut names: Vec<_> = found.iter().take(CANDIDATES_MAX).map(name).collect();
    if CANDIDATES_MAX < found.len() {
        names.push("...");
    }
    (found.len(), names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_names_one_thing_or_its_candidates() {
        let all = ["abcd1", "abcd2", "abce1", "abcf1", "abcf2", "abcf3"];
        let only = |beginning| {
            let found = only(beginning, "thing", all, |name| name);
            found.map_err(|error| error.to_string())
        };
        assert_eq!(only("abce"), Ok("abce1"));
        assert_eq!(only("abcd2"), Ok("abcd2"));
        for (beginning, error) in [
            ("abcd", "2 things begin with abcd: abcd1, abcd2"),
            (
                "abc",
                "6 things begin with abc: abcd1, abcd2, abce1, abcf1, abcf2, ...",
            ),
            ("bcd", "no thing begins with bcd"),
            ("abcd11", "no thing begins with abcd11"),
        ] {
            assert_eq!(only(beginning), Err(error.to_owned()));
        }
    }
}
