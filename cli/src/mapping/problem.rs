//! What is wrong with a mapping file, shown with its place the way findings are.

use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::visible::visible;

/// Something wrong with a mapping file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// Bytes of the file.
    pub(super) span: Range<usize>,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl Problem {
    pub(super) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            hint: None,
        }
    }

    pub(super) fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}

/// All problems of a mapping file, for people. Nothing in the file is obeyed by a terminal.
pub(super) fn render(problems: &[Problem], name: &str, text: &str) -> String {
    let renderer = Renderer::plain().decor_style(DecorStyle::Ascii);
    let shown: Vec<String> = problems
        .iter()
        .map(|problem| renderer.render(&[report(problem, name, text)]))
        .collect();
    let shown = shown.join("\n\n");
    let lines: Vec<_> = shown.lines().map(visible).collect();
    lines.join("\n")
}

fn report<'a>(problem: &'a Problem, name: &'a str, text: &'a str) -> annotate_snippets::Group<'a> {
    let mark = AnnotationKind::Primary.span(problem.span.clone());
    let snippet = Snippet::source(text).path(name).annotation(mark);
    let title = Level::ERROR.primary_title(visible(&problem.message));
    let group = title.element(snippet);
    match &problem.hint {
        Some(hint) => group.element(Level::HELP.message(visible(hint))),
        None => group,
    }
}
