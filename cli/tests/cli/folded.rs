//! JSON that a command printed, folded for the eyes of a reviewer: what fits into a line is one.
//!
//! Nothing is lost. Only line breaks and indentation go, and that these are as expected is held here.

/// The longest line of one object or list.
const VALUE_MAX: usize = 200;
/// The longest line of several values.
const SHARED_MAX: usize = 120;

/// Folds a document whose lines are indented by two spaces for each level: an object or a list that
/// fits is one line, and values without members share lines.
pub(crate) fn folded(document: &str) -> String {
    let lines: Vec<&str> = document.lines().collect();
    assert_indented(&lines);
    let mut folded: Vec<String> = Vec::new();
    let mut rest = &lines[..];
    while let [first, ..] = rest {
        let whole = &rest[..length(rest)];
        let contents: Vec<&str> = whole.iter().map(|line| line.trim_start()).collect();
        let line = format!("{}{}", indentation(first), contents.join(" "));
        let (line, taken) = if line.chars().count() <= VALUE_MAX {
            (line, whole.len())
        } else {
            ((*first).to_owned(), 1)
        };
        rest = &rest[taken..];
        match folded.last_mut() {
            Some(last) if is_shared(last, &line) => {
                last.push(' ');
                last.push_str(line.trim_start());
            }
            _ => folded.push(line),
        }
    }
    folded.join("\n")
}

/// Whether a line may follow in the line before it.
fn is_shared(before: &str, line: &str) -> bool {
    let is_plain = |line: &str| {
        !line.contains(['{', '}']) && !line.ends_with('[') && !line.trim_start().starts_with(']')
    };
    is_plain(before)
        && is_plain(line)
        && indentation(before) == indentation(line)
        && before.chars().count() + 1 + line.trim_start().chars().count() <= SHARED_MAX
}

/// How many of these lines the value takes that begins in the first of them.
fn length(lines: &[&str]) -> usize {
    if !lines[0].ends_with(['{', '[']) {
        return 1;
    }
    let is_end = |line: &&str| indentation(line) == indentation(lines[0]);
    1 + lines[1..].iter().take_while(|line| !is_end(line)).count() + 1
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// Holds that every line is indented by its depth and by nothing else.
fn assert_indented(lines: &[&str]) {
    let mut depth = 0;
    for line in lines {
        let contents = line.trim_start();
        depth -= usize::from(contents.starts_with(['}', ']']));
        assert_eq!(*line, "  ".repeat(depth) + contents);
        depth += usize::from(contents.ends_with(['{', '[']));
    }
    assert_eq!(depth, 0, "{lines:?}");
}
