//! Findings for people: the place in its line, the way a compiler shows it, and a summary.
//!
//! Lines of an export are thousands of characters long, so what is shown is an excerpt, while
//! file, line and column name the place in the whole line.

use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use import::finding::{Code, Excerpt, Finding, Findings, Kind, Place, RecordName, Severity};

use crate::terminal::escape::escape_control;

/// Columns that an excerpt with its margin fits into.
const WIDTH: usize = 140;

/// Writes the listed findings, then how many there are of each code.
pub fn write(findings: &Findings, colour: bool, out: &mut dyn Write) -> io::Result<()> {
    let renderer = if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let renderer = renderer.term_width(WIDTH).decor_style(DecorStyle::Ascii);
    let listed = findings.listed();
    for finding in &listed {
        writeln!(out, "{}\n", render(finding, &renderer))?;
    }
    let total = findings.errors() + findings.warnings();
    if (listed.len() as u64) < total {
        let unlisted = match total - listed.len() as u64 {
            1 => "1 more finding is".to_owned(),
            unlisted => format!("{unlisted} more findings are"),
        };
        writeln!(
            out,
            "{unlisted} not listed; --max-findings sets the limit\n"
        )?;
    }
    write_summary(findings, out)
}

/// Writes how many findings there are of each code, errors first.
pub fn write_summary(findings: &Findings, out: &mut dyn Write) -> io::Result<()> {
    let mut counts: Vec<(&Code, &u64)> = findings.counts().iter().collect();
    counts.sort_by_key(|(code, _)| code.severity());
    let rows: Vec<[String; 4]> = counts
        .into_iter()
        .map(|(code, count)| {
            let plural = if *count == 1 { "" } else { "s" };
            [
                count.to_string(),
                format!("{}{plural}", code.severity().as_str()),
                code.to_string(),
                code.explanation().to_owned(),
            ]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let [counts, severities, codes] = [0, 1, 2].map(width);
    for [count, severity, code, explanation] in &rows {
        writeln!(
            out,
            "{count:>counts$} {severity:<severities$}  {code:<codes$}  {explanation}"
        )?;
    }
    Ok(())
}

/// Renders the place and its excerpt apart: together, the library would compute the column from
/// the excerpt instead of the line.
fn render(finding: &Finding, renderer: &Renderer) -> String {
    let level = match finding.code.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level
        .clone()
        .primary_title(escape_control(&finding.message))
        .id(finding.code.as_str());
    let place = finding
        .place
        .as_ref()
        .map(|place| origin(place, finding.column));
    let head = renderer.render(&[Group::with_title(title).elements(place)]);
    let body = body(finding, Group::with_level(level));
    if body.is_empty() {
        return head;
    }
    format!("{head}\n{}", renderer.render(&[body]))
}

fn body<'a>(finding: &'a Finding, mut body: Group<'a>) -> Group<'a> {
    if let Some(excerpt) = &finding.excerpt {
        let (text, marked) = escaped(excerpt);
        let mark = AnnotationKind::Primary.span(marked);
        let number = finding.place.as_ref().and_then(line).unwrap_or(1);
        let snippet = Snippet::source(text).line_start(number);
        body = body.element(
            snippet.annotation(mark.label(finding.pointer.as_deref().map(escape_control))),
        );
    }
    if let Some(record) = &finding.record {
        body = body.element(Level::NOTE.message(record_name(record)));
    }
    if let Some(origin) = &finding.origin {
        body = body.element(Level::NOTE.message(escape_control(origin)));
    }
    if let Some(hint) = &finding.hint {
        body = body.element(Level::HELP.message(escape_control(hint)));
    }
    body
}

/// An excerpt as a terminal may have it, and which bytes of that are marked.
fn escaped(excerpt: &Excerpt) -> (String, Range<usize>) {
    let Excerpt { text, marked } = excerpt;
    let mut shown = escape_control(&text[..marked.start]).into_owned();
    let start = shown.len();
    shown.push_str(&escape_control(&text[marked.clone()]));
    let end = shown.len();
    shown.push_str(&escape_control(&text[marked.end..]));
    (shown, start..end)
}

fn record_name(record: &RecordName) -> String {
    match (record.kind, &record.id) {
        (Kind::Catalogue, _) => "in the catalogue record".to_owned(),
        (kind, Some(id)) => format!("in the {} {}", kind.as_str(), escape_control(id)),
        (kind, None) => format!("in a {} without a readable id", kind.as_str()),
    }
}

fn origin(place: &Place, column: Option<usize>) -> Origin<'_> {
    let mut origin = Origin::path(escape_control(&place.file.name));
    if let Some(line) = line(place) {
        origin = origin.line(line);
    }
    if let Some(column) = column {
        origin = origin.char_column(column);
    }
    origin
}

fn line(place: &Place) -> Option<usize> {
    place.line.and_then(|line| usize::try_from(line).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, span: Range<usize>, text: &str, marked: &str) {
        let (shown, at) = escaped(&Excerpt::new(line, &span));
        assert_eq!((shown.as_str(), &shown[at]), (text, marked));
    }

    #[test]
    fn control_characters_are_escaped_and_the_mark_stays_in_its_place() {
        check(
            "\u{1b}[2Ja\u{9b}b\u{202e}c",
            5..7,
            r"\u{1b}[2Ja\u{9b}b\u{202e}c",
            r"\u{9b}",
        );
    }

    #[test]
    fn what_cannot_be_seen_is_escaped_and_the_mark_stays_in_its_place() {
        check(
            "\u{feff}a\u{200b}b\u{2028}c",
            4..8,
            r"\u{feff}a\u{200b}b\u{2028}c",
            r"\u{200b}b",
        );
    }

    #[test]
    fn findings_that_are_not_listed_are_counted() {
        for (found, expected) in [
            (10, "9 more findings are not listed;"),
            (2, "1 more finding is not listed;"),
        ] {
            let mut findings = Findings::new(1);
            for _ in 0..found {
                findings.add(Finding::new(Code::WrongType, None, "wrong"));
            }
            let mut shown = Vec::new();
            write(&findings, false, &mut shown).unwrap();
            let shown = String::from_utf8(shown).unwrap();
            assert!(shown.contains(expected), "{shown}");
        }
    }
}
