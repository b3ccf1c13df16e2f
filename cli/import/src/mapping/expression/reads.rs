//! What an expression reads of a record, found from the expression alone: it is evaluated with
//! places in records instead of values.
//!
//! What an expression's value holds is read as a whole. What it only looks at to decide, such as
//! the condition of `if`, is looked at, and what is within is not read by that. All branches count.
//! In doubt something is read: a key that something reads is never taken for unread.

mod evaluator;
mod scope;
mod tree;
mod value;

use jaq_core::load::parse::Def;

use self::evaluator::Evaluator;
use self::scope::Scope;
pub(in crate::mapping) use self::tree::{Links, Reads, Tree};
pub(crate) use self::value::in_path;
pub(in crate::mapping) use self::value::{Asked, Root, Site, Step, ValuePath, Values};

use super::library;
use super::rewrite::Parsed;

/// Finds what the expressions of a mapping read.
pub(in crate::mapping) struct Reader {
    library: Vec<Def<&'static str>>,
    prelude: String,
    /// The variables of the mapping, each with its `$`.
    variables: Vec<(String, Values)>,
}

impl Reader {
    /// For expressions that use the definitions of `prelude`, and variables with known values.
    pub(in crate::mapping) fn new<'v>(
        prelude: &str,
        variables: impl IntoIterator<Item = (&'v str, &'v serde_json::Value)>,
    ) -> Self {
        let mut known = vec![("$record".to_owned(), Values::record())];
        let variables = variables.into_iter();
        known.extend(variables.map(|(name, value)| (format!("${name}"), Values::constant(value))));
        Self {
            library: library::all()
                .filter(|def| !evaluator::is_known(def))
                .collect(),
            prelude: prelude.to_owned(),
            variables: known,
        }
    }

    /// What the expression of this number comes to for an input; what it looks at is added to
    /// `reads`, and the keys that it asks for come with it.
    pub(in crate::mapping) fn evaluate(
        &self,
        (number, code): (usize, &str),
        input: &Values,
        reads: &mut Reads,
    ) -> (Values, Vec<Asked>) {
        let Some(parsed) = Parsed::new(code, &self.prelude) else {
            // It was compiled before, so that there is none such.
            return (Values::default(), Vec::new());
        };
        let mut scope = Scope::default();
        for (name, value) in &self.variables {
            scope = scope.with_variable(name, value.clone());
        }
        scope = scope.with_definitions(&self.library);
        scope = scope.with_definitions(&parsed.definitions);
        let mut evaluator = Evaluator::new(number, reads);
        let values = evaluator.term(&parsed.body, input, &scope.own());
        (values, evaluator.into_asked())
    }

    /// As [`Self::evaluate`], for an expression whose value is used as a whole.
    pub(in crate::mapping) fn evaluate_whole(
        &self,
        expression: (usize, &str),
        input: &Values,
        reads: &mut Reads,
    ) -> Vec<Asked> {
        let (values, asked) = self.evaluate(expression, input, reads);
        reads.whole(&values);
        asked
    }
}

#[cfg(test)]
mod tests;
