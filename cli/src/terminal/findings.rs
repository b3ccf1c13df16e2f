//! Findings for people: by cause, each with places in their lines, the way a compiler shows them,
//! and a summary.
//!
//! Lines of an export are thousands of characters long, so only an excerpt is shown, while file,
//! line and column give the place in the whole line.

use std::io::{self, Write};
use std::ops::Range;
use std::ptr;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use import::finding::{
    Cause, Code, Excerpt, Finding, Findings, Kind, Place, RecordName, Severity, nearest,
};
use shared::base::field_path::{FieldPath, Step};

use crate::terminal::escape::escape_control;
use crate::terminal::wrap::fit;
use crate::terminal::{Terminal, counted};

/// Width of an excerpt with its margin, in columns, even on a wider terminal.
const WIDTH: usize = 140;

/// How many causes are shown.
const CAUSES_MAX: usize = 50;

/// Writes some findings of each cause, or all that are listed, then how many there are of each code.
pub fn write(
    findings: &Findings,
    is_each_shown: bool,
    terminal: Terminal,
    out: &mut dyn Write,
) -> io::Result<()> {
    let renderer = if terminal.err_colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let width = terminal.columns.map_or(WIDTH, |columns| columns.min(WIDTH));
    let renderer = renderer.term_width(width).decor_style(DecorStyle::Ascii);
    if is_each_shown {
        write_listed(findings, &renderer, out)?;
    } else {
        write_causes(findings, &renderer, out)?;
    }
    write_summary(findings, terminal, out)
}

fn write_listed(findings: &Findings, renderer: &Renderer, out: &mut dyn Write) -> io::Result<()> {
    let listed = findings.listed();
    for finding in &listed {
        writeln!(out, "{}\n", render(finding, &finding.message, renderer))?;
    }
    let total = findings.errors() + findings.warnings();
    if (listed.len() as u64) < total {
        let unlisted = counted(total - listed.len() as u64, "more finding");
        writeln!(out, "{unlisted}; {}\n", shows_each(findings))?;
    }
    Ok(())
}

/// Writes each cause with some of its findings. A field that seems to be renamed is one cause, not
/// two.
fn write_causes(findings: &Findings, renderer: &Renderer, out: &mut dyn Write) -> io::Result<()> {
    let causes = findings.causes();
    let renamed = renamed(&causes);
    let is_apart = |cause: &&&Cause| !renamed.iter().any(|(_, new)| ptr::eq(*new, **cause));
    let apart: Vec<&Cause> = causes.iter().filter(is_apart).copied().collect();
    let (mut shown, mut room) = (0, findings.listed_max());
    for cause in apart.iter().take(CAUSES_MAX) {
        if room == 0 {
            break;
        }
        let new = renamed.iter().find(|(old, _)| ptr::eq(*old, *cause));
        let new = new.map(|(_, new)| *new);
        let examples = &cause.examples[..cause.examples.len().min(room)];
        writeln!(out, "{}\n", render_cause(cause, examples, new, renderer))?;
        room -= examples.len();
        shown += examples.len() as u64 + new.map_or(0, |new| new.count);
    }
    let total = findings.errors() + findings.warnings();
    if shown < total {
        let rest = counted(total - shown, "more finding");
        writeln!(out, "{rest}; {}\n", shows_each(findings))?;
    }
    Ok(())
}

/// The options that show every finding, whichever of them were already given.
fn shows_each(findings: &Findings) -> String {
    let total = findings.errors() + findings.warnings();
    if total <= findings.listed_max() as u64 {
        return "--all shows each".to_owned();
    }
    format!("--all --max-findings {total} shows each")
}

/// Fields that are missing, with the unknown ones that seem to be their new names.
fn renamed<'f>(causes: &[&'f Cause]) -> Vec<(&'f Cause, &'f Cause)> {
    let mut renamed: Vec<(&Cause, &Cause)> = Vec::new();
    for old in causes {
        let is_free = |new: &&&Cause| !renamed.iter().any(|(_, taken)| ptr::eq(*taken, **new));
        let news: Vec<(String, &Cause)> = causes
            .iter()
            .filter(|new| old.is_renamed_to(new))
            .filter(is_free)
            .filter_map(|new| Some((new.name()?, *new)))
            .collect();
        let names: Vec<&str> = news.iter().map(|(name, _)| name.as_str()).collect();
        let name = match (names.as_slice(), old.name()) {
            ([only], _) => Some(*only),
            (several, Some(name)) => nearest(&name, several),
            _ => None,
        };
        let new = news.iter().find(|(of, _)| name == Some(of));
        renamed.extend(new.map(|(_, new)| (*old, *new)));
    }
    renamed
}

/// Renders a cause: what is wrong and in how many records, and some of them.
fn render_cause(
    cause: &Cause,
    examples: &[Finding],
    new: Option<&Cause>,
    renderer: &Renderer,
) -> String {
    let Some((first, others)) = examples.split_first() else {
        return String::new();
    };
    if cause.count == 1 {
        return render(first, &first.message, renderer);
    }
    // A record may have several members of a list.
    let mut steps = cause.field.iter().flat_map(FieldPath::steps);
    let one_each = cause
        .kind
        .filter(|_| !steps.any(|step| *step == Step::Each));
    let records = counted(cause.count, one_each.map_or("place", Kind::as_str));
    let what = format!("{} ({records})", cause.title().trim_end_matches('.'));
    let mut shown = render(first, &what, renderer);
    if !cause.says_one {
        let said = Level::NOTE.message(escape_control(&first.message));
        let said = Group::with_level(level(first)).element(said);
        add(&mut shown, said, renderer);
    }
    for other in others {
        shown.push('\n');
        shown.push_str(&render_other(other, cause.says_one, renderer));
    }
    if let (Some(old), Some(new)) = (cause.name(), new.and_then(Cause::name)) {
        let (old, new) = (escape_control(&old), escape_control(&new));
        let hint =
            format!("as many have `{new}`, which is not known: it may be the new name of `{old}`");
        let hint = Group::with_level(level(first)).element(Level::HELP.message(hint));
        add(&mut shown, hint, renderer);
    }
    shown
}

/// Writes how many findings there are of each code, errors first.
fn write_summary(findings: &Findings, terminal: Terminal, out: &mut dyn Write) -> io::Result<()> {
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
        let names = format!("{count:>counts$} {severity:<severities$}  {code:<codes$}  ");
        let line = format!("{names}{explanation}");
        writeln!(out, "{}", fit(&line, names.len(), terminal))?;
    }
    Ok(())
}

/// Renders a finding under a title. The place and its excerpt are shown separately: together, the
/// library would compute the column from the excerpt instead of the line.
fn render(finding: &Finding, title: &str, renderer: &Renderer) -> String {
    let level = level(finding);
    let title = level
        .clone()
        .primary_title(escape_control(title))
        .id(finding.code.as_str());
    let place = finding
        .place
        .as_ref()
        .map(|place| origin(place, finding.column));
    let mut shown = renderer.render(&[Group::with_title(title).elements(place)]);
    let mut notes = record(finding, Group::with_level(level));
    if let Some(origin) = &finding.origin {
        notes = notes.element(Level::NOTE.message(escape_control(origin)));
    }
    if let Some(hint) = &finding.hint {
        notes = notes.element(Level::HELP.message(escape_control(hint)));
    }
    add(&mut shown, notes, renderer);
    shown
}

/// Renders a further finding of a cause: its place and its record. The message and the excerpt
/// follow only if more than the record differs.
fn render_other(finding: &Finding, says_the_same: bool, renderer: &Renderer) -> String {
    let place = finding
        .place
        .as_ref()
        .map(|place| origin(place, finding.column));
    let mut shown = renderer.render(&[Group::with_level(level(finding)).elements(place)]);
    let mut notes = Group::with_level(level(finding));
    if says_the_same {
        notes = notes.elements(said_of_record(finding).map(|said| Level::NOTE.message(said)));
    } else {
        notes = record(finding, notes);
        notes = notes.element(Level::NOTE.message(escape_control(&finding.message)));
    }
    add(&mut shown, notes, renderer);
    shown
}

fn add(shown: &mut String, notes: Group<'_>, renderer: &Renderer) {
    if !notes.is_empty() {
        shown.push('\n');
        shown.push_str(&renderer.render(&[notes]));
    }
}

fn level(finding: &Finding) -> Level<'static> {
    match finding.code.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    }
}

/// Adds the excerpt of a finding and what is said of its record.
fn record<'a>(finding: &'a Finding, mut body: Group<'a>) -> Group<'a> {
    if let Some(excerpt) = &finding.excerpt {
        let (text, marked) = escaped(excerpt);
        let mark = AnnotationKind::Primary.span(marked);
        let number = finding.place.as_ref().and_then(line).unwrap_or(1);
        let snippet = Snippet::source(text).line_start(number);
        let pointer = finding.path.as_ref().map(FieldPath::pointer);
        let pointer = pointer.map(|pointer| escape_control(&pointer).into_owned());
        body = body.element(snippet.annotation(mark.label(pointer)));
    }
    body.elements(said_of_record(finding).map(|said| Level::NOTE.message(said)))
}

/// The name of the record of a finding with what it is counted by in its file, and what it costs.
fn said_of_record(finding: &Finding) -> impl Iterator<Item = String> {
    let record = finding.record.as_ref();
    let nth = finding.place.as_ref().and_then(Place::nth);
    let nth = nth.map(|nth| nth.to_string());
    // The excerpt of a mapped record is not text of its file.
    let is_made = finding.rule.is_some() && finding.excerpt.is_some();
    let line = finding.place.as_ref().and_then(line).filter(|_| is_made);
    let from = nth.or_else(|| Some(format!("line {}", line?)));
    let made = if is_made { "mapped from " } else { "" };
    let name = match (record.map(record_name), from) {
        (Some(name), Some(from)) => Some(format!("{name}, {made}{from}")),
        (None, Some(from)) => Some(format!("in {from}")),
        (name, None) => name,
    };
    name.into_iter().chain(record.and_then(RecordName::cost))
}

/// An excerpt, escaped for a terminal, and its marked bytes.
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
    let named = match (record.kind, &record.id) {
        (Kind::Catalogue, _) => "in the catalogue record".to_owned(),
        (kind, Some(id)) => format!("in the {} {}", kind.as_str(), escape_control(id)),
        (kind, None) => format!("in a {} without a readable id", kind.as_str()),
    };
    match &record.name {
        Some(name) => format!("{named} ({})", escape_control(name)),
        None => named,
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
    place.line().and_then(|line| usize::try_from(line).ok())
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
            (10, "9 more findings; --all --max-findings 10 shows each"),
            (2, "1 more finding; --all --max-findings 2 shows each"),
        ] {
            let mut findings = Findings::new(1);
            for _ in 0..found {
                findings.add(Finding::new(Code::WrongType, None, "wrong"));
            }
            let mut shown = Vec::new();
            write(&findings, true, Terminal::default(), &mut shown).unwrap();
            let shown = String::from_utf8(shown).unwrap();
            assert!(shown.contains(expected), "{shown}");
        }
    }

    #[test]
    fn an_explanation_breaks_between_words_at_a_narrow_terminal() {
        let mut findings = Findings::new(1);
        findings.add(Finding::new(Code::NoPublishedBoats, None, "none"));
        let narrow = Terminal {
            columns: Some(80),
            ..Terminal::default()
        };
        let mut shown = Vec::new();
        write_summary(&findings, narrow, &mut shown).unwrap();
        let expected = "1 warning  NO_PUBLISHED_BOATS  The export has no published boat that could be\n\
                        \u{20}                              served.\n";
        assert_eq!(String::from_utf8(shown).unwrap(), expected);
    }
}
