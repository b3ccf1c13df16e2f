//! Finds what an expression reads from a record, without any record: the expression is evaluated
//! with places in records instead of values.
//!
//! Whatever ends up in the expression's value is read as a whole. Whatever only decides, such as
//! the condition of `if`, is looked at, which does not read what it contains. All branches count.
//! When in doubt, a place counts as read, so a key that is read is never reported as unread.

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
    /// The mapping's variables, each with its `$`.
    variables: Vec<(String, Values)>,
}

impl Reader {
    /// A reader for expressions that use the definitions in `prelude` and variables with known
    /// values.
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

    /// Returns what the expression of this number evaluates to for an input and the keys it asks
    /// for, and adds what it looks at to `reads`.
    pub(in crate::mapping) fn evaluate(
        &self,
        (number, code): (usize, &str),
        input: &Values,
        reads: &mut Reads,
    ) -> (Values, Vec<Asked>) {
        let Some(parsed) = Parsed::new(code, &self.prelude) else {
            // Unreachable: an expression that does not parse was rejected when it was compiled.
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

    /// Like [`Self::evaluate`], for an expression whose value is used as a whole.
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
