//! Evaluates what has an operator.

use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::ops::Math;

use super::scope::Scope;
use super::terms::{Evaluator, joined};
use super::value::{Value, Values};

impl Evaluator<'_> {
    pub(super) fn operation<'t>(
        &mut self,
        (left, operator, right): (&'t Term<&'t str>, &'t BinaryOp<&'t str>, &'t Term<&'t str>),
        input: &Values,
        scope: &Scope<'t>,
    ) -> Values {
        match operator {
            BinaryOp::Assign | BinaryOp::Update | BinaryOp::UpdateMath(_) | BinaryOp::UpdateAlt => {
                let value = |evaluator: &mut Self, places: &Values| match operator {
                    BinaryOp::Update if places.is_empty() => Values::default(),
                    BinaryOp::Update => evaluator.term(right, places, scope),
                    _ => evaluator.term(right, input, scope),
                };
                return self.update(left, value, input, scope);
            }
            BinaryOp::Pipe(_)
            | BinaryOp::Comma
            | BinaryOp::Alt
            | BinaryOp::Or
            | BinaryOp::And
            | BinaryOp::Math(_)
            | BinaryOp::Cmp(_) => {}
        }
        let of_left = self.term(left, input, scope);
        match operator {
            // Of nothing, nothing more is made.
            BinaryOp::Pipe(_) if of_left.is_empty() => of_left,
            BinaryOp::Pipe(None) => self.term(right, &of_left, scope),
            BinaryOp::Pipe(Some(bound)) => {
                let inside = self.bind(bound, &of_left, input, scope.clone());
                self.term(right, input, &inside)
            }
            BinaryOp::Comma | BinaryOp::Alt => of_left.and(self.term(right, input, scope)),
            BinaryOp::Or | BinaryOp::And => {
                self.term(right, input, scope);
                Value::Boolean.into()
            }
            BinaryOp::Math(operator) => {
                let of_right = self.term(right, input, scope);
                self.calculated(of_left, *operator, of_right)
            }
            _compared => {
                let of_right = self.term(right, input, scope);
                // Beside null, a text or an empty list only the top of a value counts.
                if !of_left.are_bare() && !of_right.are_bare() {
                    self.reads.whole(&of_left);
                    self.reads.whole(&of_right);
                }
                Value::Boolean.into()
            }
        }
    }

    /// Sums and products may be lists or objects of what they are made of.
    pub(super) fn calculated(&mut self, left: Values, operator: Math, right: Values) -> Values {
        if left.are_numbers() && right.are_numbers() {
            return Value::Number.into();
        }
        match operator {
            Math::Add => joined(&left, &right).unwrap_or_else(|| left.and(right)),
            Math::Mul => left.and(right).and(Value::Unknown.into()),
            Math::Sub => {
                self.reads.whole(&left);
                self.reads.whole(&right);
                left.and(Value::Unknown.into())
            }
            Math::Div | Math::Rem => {
                self.reads.whole(&left);
                self.unknown(&right)
            }
        }
    }

    /// What is assigned is read as a whole; the rest of the value stays what it is.
    pub(super) fn update<'t>(
        &mut self,
        places: &'t Term<&'t str>,
        value: impl FnOnce(&mut Self, &Values) -> Values,
        input: &Values,
        scope: &Scope<'t>,
    ) -> Values {
        let was_asking = std::mem::replace(&mut self.is_asking, false);
        let places = self.term(places, input, scope);
        self.is_asking = was_asking;
        let value = value(self, &places);
        self.reads.whole(&value);
        self.set(&places);
        input.clone()
    }
}
