//! Goes from places in records to others within.

use std::sync::Arc;

use jaq_core::load::parse::{Pattern, Term};
use jaq_core::path::{Part, Path};

use super::scope::Scope;
use super::terms::Evaluator;
use super::value::{Asked, Step, Value, Values};

impl Evaluator<'_> {
    /// What stands at the ends of paths such as `.a[0]`.
    pub(super) fn path<'t>(
        &mut self,
        of: Values,
        path: &'t Path<Term<&'t str>>,
        input: &Values,
        scope: &Scope<'t>,
    ) -> Values {
        path.0.iter().fold(of, |of, (part, _optional)| match part {
            Part::Index(at) => {
                let at = self.term(at, input, scope);
                self.index(&of, &at, scope)
            }
            Part::Range(None, None) => self.reads.members(&of),
            Part::Range(from, to) => {
                for bound in [from, to].into_iter().flatten() {
                    let bound = self.term(bound, input, scope);
                    self.reads.whole(&bound);
                }
                of
            }
        })
    }

    /// What stands under keys, or in places of a list.
    pub(super) fn index(&mut self, of: &Values, at: &Values, scope: &Scope<'_>) -> Values {
        let (mut values, mut places, mut is_sure) = (Values::default(), Vec::new(), true);
        for of in of.iter() {
            for at in at.iter() {
                match (of, at) {
                    (Value::Place(place), Value::Text(key)) => {
                        let place = place.step(Step::Key(Arc::clone(key)));
                        self.reads.touch(&place);
                        places.push(place.clone());
                        values.insert(Value::Place(place));
                    }
                    (Value::Place(place), Value::Number) => {
                        let place = place.step(Step::Members);
                        self.reads.touch(&place);
                        values.insert(Value::Place(place));
                    }
                    (Value::Object(members, others), Value::Text(key)) => {
                        is_sure = false;
                        values.extend(members.get(key).cloned().unwrap_or_default());
                        values.extend(others.clone());
                        values.insert(Value::Null);
                    }
                    (Value::Text(_) | Value::Number | Value::Null | Value::Boolean, _)
                    | (_, Value::Null | Value::Boolean)
                    | (Value::List(_), Value::Text(_)) => {
                        values.insert(Value::Null);
                    }
                    (Value::List(items), _) => {
                        is_sure = false;
                        values.extend(items.clone());
                        values.insert(Value::Null);
                    }
                    (Value::Place(_) | Value::Object(..) | Value::Unknown, _) => {
                        is_sure = false;
                        self.reads.whole(&of.clone().into());
                        self.reads.whole(&at.clone().into());
                        values.insert(Value::Unknown);
                    }
                }
            }
        }
        if is_sure && self.is_asking && !places.is_empty() {
            let is_own = scope.is_own;
            self.asked.push(Asked { places, is_own });
        }
        values
    }

    /// What is known where the parts of values have names.
    pub(super) fn bind<'t>(
        &mut self,
        bound: &'t Pattern<&'t str>,
        values: &Values,
        input: &Values,
        scope: Scope<'t>,
    ) -> Scope<'t> {
        match bound {
            Pattern::Var(name) => scope.with_variable(name, values.clone()),
            Pattern::Arr(items) => {
                let item = self.index(values, &Value::Number.into(), &scope);
                let items = items.iter();
                items.fold(scope, |scope, of| self.bind(of, &item, input, scope))
            }
            Pattern::Obj(members) => members.iter().fold(scope, |scope, (key, of)| {
                let key = self.term(key, input, &scope);
                let values = self.index(values, &key, &scope);
                self.bind(of, &values, input, scope)
            }),
        }
    }

    /// Notes that places are set.
    pub(super) fn set(&mut self, values: &Values) {
        self.set
            .extend(values.iter().filter_map(|value| match value {
                Value::Place(place) => Some(place.clone()),
                _ => None,
            }));
    }
}
