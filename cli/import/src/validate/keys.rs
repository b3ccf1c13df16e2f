//! What may be wrong with a key, whatever its value: it comes twice, or nobody knows it.

use super::reporter::{Problem, Reporter, Step};
use crate::finding::nearest::{ALIKE, most_alike};
use crate::finding::{Code, cut};
use crate::json::Seen;
use crate::json::{Member, Node, Value};

/// Keys that begin so are nobody's business.
pub(crate) const PRIVATE_PREFIX: &str = "x_";

/// Reports a key that its object has already.
pub(crate) fn report_repeated<'n>(member: &'n Member<'n>, reporter: &mut Reporter<'n>) {
    let message = format!("the key `{}` is given twice", cut(&member.key));
    let problem = Problem::new(Code::RepeatedKey, message);
    reporter.within(Step::Key(&member.key), |to| {
        to.place_of(&member.key_span, problem);
    });
}

/// Reports the repeated keys of a value that is not read otherwise, however deep they are.
pub(crate) fn report_repeated_within<'n>(node: &'n Node<'n>, reporter: &mut Reporter<'n>) {
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
pub(crate) fn report_unknown<'n>(
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
