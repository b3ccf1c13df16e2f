//! Matches the pairs of a query string with the parameters an endpoint accepts, and collects the
//! issues of all of them in request order.
//!
//! A parameter has at most one issue, and a repeated one a second at its second occurrence; later
//! occurrences are ignored.

use schemars::JsonSchema;
use serde::Serialize;

use super::parameter::Parameter;
use super::query_string::{Pair, QueryString};

/// Longest field of an issue, in characters; a longer name is cut there.
const FIELD_MAX: usize = 64;

/// One problem of one parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ParamIssue {
    /// The parameter: its decoded name, or its raw name if that cannot be decoded; cut if it is
    /// long.
    pub field: String,
    /// What the parameter must be. Never contains the value that was given.
    pub message: String,
}

/// Reads typed values out of a query string.
pub(super) struct Reader<'query> {
    accepted: &'static [Parameter],
    /// A name that is refused with its own explanation.
    refused: Option<(&'static str, &'static str)>,
    given: Vec<Given<'query>>,
    issues: Vec<(Position, ParamIssue)>,
}

/// Index of a pair in request order.
type Position = usize;

/// The first occurrence of a parameter.
struct Given<'query> {
    name: &'query str,
    position: Position,
    /// `None` if the pair already has an issue.
    value: Option<&'query str>,
    is_repeated: bool,
}

impl<'query> Reader<'query> {
    /// Checks every pair once; values are parsed later, by [`Reader::take`].
    pub(super) fn new(
        query: &'query QueryString,
        accepted: &'static [Parameter],
        refused: Option<(&'static str, &'static str)>,
    ) -> Self {
        let mut reader = Self {
            accepted,
            refused,
            given: Vec::new(),
            issues: Vec::new(),
        };
        for (position, pair) in query.pairs().iter().enumerate() {
            reader.look_at(position, pair);
        }
        reader
    }

    /// The parsed value of parameter `name`, if it was given and is valid.
    pub(super) fn take<T>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let given = self.given.iter().find(|given| given.name == name)?;
        let position = given.position;
        match parse(given.value?) {
            Ok(value) => Some(value),
            Err(message) => {
                self.add(position, name, message);
                None
            }
        }
    }

    /// Adds an issue between parameters to the one it is about, which must have been given.
    pub(super) fn conflict(&mut self, name: &str, message: &str) {
        if let Some(given) = self.given.iter().find(|given| given.name == name) {
            self.add(given.position, name, message.to_owned());
        }
    }

    /// Adds an issue about a parameter that must be given and was not; it comes last.
    pub(super) fn require(&mut self, name: &str, message: &str) {
        if !self.given.iter().any(|given| given.name == name) {
            self.add(Position::MAX, name, message.to_owned());
        }
    }

    /// `value`, unless there is any issue.
    pub(super) fn finish<T>(mut self, value: T) -> Result<T, Vec<ParamIssue>> {
        if self.issues.is_empty() {
            return Ok(value);
        }
        self.issues.sort_by_key(|&(position, _)| position);
        Err(self.issues.into_iter().map(|(_, issue)| issue).collect())
    }

    fn look_at(&mut self, position: Position, pair: &'query Pair) {
        let name = match &pair.name {
            Ok(name) => name,
            Err(bad) => return self.add(position, &bad.raw, format!("name {}", bad.problem)),
        };
        if let Some(first) = self.given.iter_mut().find(|given| given.name == name) {
            let is_news = !first.is_repeated && is_accepted(name, self.accepted);
            first.is_repeated = true;
            if is_news {
                self.add(position, name, "must be given only once".to_owned());
            }
            return;
        }
        let value = self.check(name, pair);
        self.given.push(Given {
            name,
            position,
            value: value.as_ref().ok().copied(),
            is_repeated: false,
        });
        if let Err(message) = value {
            self.add(position, name, message);
        }
    }

    /// The text of a pair that may be parsed.
    fn check(&self, name: &str, pair: &'query Pair) -> Result<&'query str, String> {
        if let Some((_, explanation)) = self.refused.filter(|&(refused, _)| refused == name) {
            return Err(explanation.to_owned());
        }
        if name.is_empty() {
            return Err("must have a name".to_owned());
        }
        if !is_accepted(name, self.accepted) {
            return Err(unknown(name, self.accepted));
        }
        match &pair.value {
            Err(bad) => Err(bad.to_string()),
            Ok(value) if value.is_empty() => Err("must not be empty".to_owned()),
            Ok(value) => Ok(value),
        }
    }

    fn add(&mut self, position: Position, name: &str, message: String) {
        self.issues.push((
            position,
            ParamIssue {
                field: cut(name),
                message,
            },
        ));
    }
}

fn is_accepted(name: &str, accepted: &[Parameter]) -> bool {
    accepted.iter().any(|parameter| parameter.name == name)
}

/// Parameters of other APIs, in lower case, and those of this one that mean the same.
const MEANT: [(&str, &[&str]); 5] = [
    ("offset", &["page", "skip", "start", "cursor", "after"]),
    (
        "limit",
        &[
            "per_page",
            "perpage",
            "page_size",
            "pagesize",
            "size",
            "count",
            "first",
            "take",
            "max",
        ],
    ),
    ("search", &["q", "query", "text", "term"]),
    ("sort", &["sort_by", "sortby", "order_by", "orderby"]),
    ("order", &["direction", "dir", "desc", "asc"]),
];

/// How alike two names are at least, of which one is suggested for the other: with less, a
/// suggestion reads as a guess (`order` for `colour`).
const LIKENESS_MIN: f64 = 0.5;

/// The parameter that means the same as one of another API, or else the one with the most similar
/// name, if any is similar.
fn nearest<'a>(wanted: &str, names: &[&'a str]) -> Option<&'a str> {
    let meant = MEANT.iter().find(|(_, others)| others.contains(&wanted));
    let meant = meant.and_then(|(meant, _)| names.iter().find(|name| *name == meant));
    let likeness = |candidate: &str| {
        let candidate = candidate.to_ascii_lowercase();
        // The first finds swapped letters, the second swapped words such as `minLength`.
        strsim::normalized_damerau_levenshtein(wanted, &candidate)
            .max(strsim::sorensen_dice(wanted, &candidate))
    };
    let alike = || {
        let names = names.iter().rev();
        let alike = names.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        alike.filter(|name| LIKENESS_MIN <= likeness(name))
    };
    meant.or_else(alike).copied()
}

fn unknown(name: &str, accepted: &[Parameter]) -> String {
    let names: Vec<_> = accepted.iter().map(|parameter| parameter.name).collect();
    if names.is_empty() {
        return "unknown parameter; none is accepted here".to_owned();
    }
    let nearest = nearest(&cut(name).to_ascii_lowercase(), &names);
    let nearest = nearest.map_or_else(String::new, |name| format!("the nearest is {name}; "));
    format!(
        "unknown parameter; {nearest}accepted are {}",
        names.join(", ")
    )
}

fn cut(name: &str) -> String {
    match name.char_indices().nth(FIELD_MAX) {
        None => name.to_owned(),
        Some((end, _)) => format!("{}...", &name[..end]),
    }
}
