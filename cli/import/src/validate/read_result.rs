//! What reading a single value gives. Those that read one kind of value, and the checker that
//! chooses among them, have it in common.

use super::reporter::{Problem, Reporter};
use crate::finding::Code;
use crate::json::Node;

/// A value that cannot be used. The findings say why.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unusable;

/// The result of reading a value: the value, `None` (null or blank), or something unusable.
pub(super) type ReadResult<T> = Result<Option<T>, Unusable>;

/// Reports a value of another type than `expected`.
pub(super) fn wrong_type<T>(
    node: &Node<'_>,
    expected: &str,
    reporter: &mut Reporter<'_>,
) -> ReadResult<T> {
    reporter.report_value(node, type_problem(node, expected));
    Err(Unusable)
}

/// The problem with a value of another type than `expected`.
pub(super) fn type_problem(node: &Node<'_>, expected: &str) -> Problem {
    let message = format!("expected {expected}, found {}", node.value.type_name());
    Problem::new(Code::WrongType, message)
}
