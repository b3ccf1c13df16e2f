//! What each name means at a place in an expression.

use std::rc::Rc;

use jaq_core::load::parse::{Def, Term};

use super::value::Values;

/// The names in scope at a place in an expression, innermost first.
#[derive(Clone, Default)]
pub(super) struct Scope<'t> {
    names: Option<Rc<Node<'t>>>,
    /// Whether the place is in the expression itself, not in a definition outside it.
    pub(super) is_own: bool,
}

struct Node<'t> {
    name: Name<'t>,
    outer: Scope<'t>,
}

enum Name<'t> {
    Variable(&'t str, Values),
    /// A definition, and whether it is part of the expression itself.
    Definition(&'t Def<&'t str>, bool),
    /// The argument of a definition.
    Argument(&'t str, Closure<'t>),
    /// Marks that the scope is now inside the body of a definition.
    Body(&'t Def<&'t str>),
}

/// An argument of a call: a term that is evaluated in the caller's scope.
#[derive(Clone)]
pub(super) struct Closure<'t> {
    pub(super) term: &'t Term<&'t str>,
    pub(super) scope: Scope<'t>,
}

/// What the name of a function refers to.
pub(super) enum Function<'t> {
    Argument(Closure<'t>),
    /// A definition and the scope inside it.
    Definition(&'t Def<&'t str>, Scope<'t>),
    /// A definition called in its own body.
    Recursive,
    /// A function that is not defined in jq.
    Native,
}

impl<'t> Scope<'t> {
    /// The same names, marked as the scope of the expression itself.
    pub(super) fn own(mut self) -> Self {
        self.is_own = true;
        self
    }

    fn with(&self, name: Name<'t>) -> Self {
        let outer = self.clone();
        Self {
            names: Some(Rc::new(Node { name, outer })),
            is_own: self.is_own,
        }
    }

    pub(super) fn with_variable(&self, name: &'t str, values: Values) -> Self {
        self.with(Name::Variable(name, values))
    }

    pub(super) fn with_argument(&self, name: &'t str, closure: Closure<'t>) -> Self {
        self.with(Name::Argument(name, closure))
    }

    pub(super) fn with_definitions(&self, definitions: &'t [Def<&'t str>]) -> Self {
        let definitions = definitions.iter();
        definitions.fold(self.clone(), |scope, of| {
            scope.with(Name::Definition(of, self.is_own))
        })
    }

    pub(super) fn variable(&self, name: &str) -> Option<Values> {
        self.nodes().find_map(|node| match &node.name {
            Name::Variable(of, values) if *of == name => Some(values.clone()),
            _ => None,
        })
    }

    pub(super) fn function(&self, name: &str, arguments: usize) -> Function<'t> {
        let mut around: Vec<&Def<&str>> = Vec::new();
        let mut scope = self;
        while let Some(node) = &scope.names {
            match &node.name {
                Name::Argument(of, closure) if *of == name && arguments == 0 => {
                    return Function::Argument(closure.clone());
                }
                Name::Definition(of, is_own) if of.name == name && of.args.len() == arguments => {
                    if around.iter().any(|around| std::ptr::eq(*around, *of)) {
                        return Function::Recursive;
                    }
                    let mut inside = scope.with(Name::Body(of));
                    inside.is_own = *is_own;
                    return Function::Definition(of, inside);
                }
                Name::Body(of) => around.push(of),
                Name::Definition(..) | Name::Argument(..) | Name::Variable(..) => {}
            }
            scope = &node.outer;
        }
        Function::Native
    }

    fn nodes(&self) -> impl Iterator<Item = &Node<'t>> {
        std::iter::successors(self.names.as_deref(), |node| node.outer.names.as_deref())
    }
}
