//! Shows mistakes in a file that an operator wrote, a mapping or settings, with their places, in
//! the same form as findings.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use import::finding::Mistake;

use crate::terminal::escape::escape_control;

/// All mistakes of a file, for people. Control characters in the file are escaped.
pub(crate) fn render(mistakes: &[Mistake], name: &str, text: &str) -> String {
    let renderer = Renderer::plain().decor_style(DecorStyle::Ascii);
    let shown: Vec<String> = mistakes
        .iter()
        .map(|mistake| renderer.render(&[report(mistake, name, text)]))
        .collect();
    let shown = shown.join("\n\n");
    let lines: Vec<_> = shown.lines().map(escape_control).collect();
    lines.join("\n")
}

fn report<'a>(mistake: &'a Mistake, name: &'a str, text: &'a str) -> Group<'a> {
    let mark = AnnotationKind::Primary.span(mistake.span.clone());
    let snippet = Snippet::source(text).path(name).annotation(mark);
    let title = Level::ERROR.primary_title(escape_control(&mistake.message));
    let group = title.element(snippet);
    match &mistake.hint {
        Some(hint) => group.element(Level::HELP.message(escape_control(hint))),
        None => group,
    }
}
