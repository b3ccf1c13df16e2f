//! What is wrong with a file that an operator wrote, a mapping or settings, shown with its place the
//! way findings are.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::terminal::escape::escape_control;

/// Something wrong with such a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Bytes of the file.
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Problem {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}

/// All problems of a file, for people. Nothing in the file is obeyed by a terminal.
pub(crate) fn render(problems: &[Problem], name: &str, text: &str) -> String {
    let renderer = Renderer::plain().decor_style(DecorStyle::Ascii);
    let shown: Vec<String> = problems
        .iter()
        .map(|problem| renderer.render(&[report(problem, name, text)]))
        .collect();
    let shown = shown.join("\n\n");
    let lines: Vec<_> = shown.lines().map(escape_control).collect();
    lines.join("\n")
}

fn report<'a>(problem: &'a Problem, name: &'a str, text: &'a str) -> annotate_snippets::Group<'a> {
    let mark = AnnotationKind::Primary.span(problem.span.clone());
    let snippet = Snippet::source(text).path(name).annotation(mark);
    let title = Level::ERROR.primary_title(escape_control(&problem.message));
    let group = title.element(snippet);
    match &problem.hint {
        Some(hint) => group.element(Level::HELP.message(escape_control(hint))),
        None => group,
    }
}
