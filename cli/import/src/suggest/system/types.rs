//! Removes from a mapping the types that an export does not have.

use super::quoted;

/// The mapping without the types in `gone`; rules for only such types become comments.
pub(super) fn without_types(text: &str, gone: &[String]) -> String {
    let gone: Vec<String> = gone.iter().map(|of| quoted(of)).collect();
    let mut fitted = String::with_capacity(text.len());
    for section in sections(text) {
        match section.lines().next() {
            Some("[[emit]]") => fitted.push_str(&rule(section, &gone)),
            Some("[tables.vocabulary]") => {
                let lines = section.split_inclusive('\n');
                fitted.extend(lines.filter(|line| !is_word(line, &gone)));
            }
            _ => fitted.push_str(section),
        }
    }
    fitted
}

/// The parts of a mapping: each rule with all of its fields, each table, and the text before the
/// first of them.
fn sections(text: &str) -> Vec<&str> {
    let mut starts = vec![0];
    let (mut at, mut is_rule) = (0, false);
    for line in text.split_inclusive('\n') {
        let is_header = line.starts_with('[') && !(is_rule && line.starts_with("[emit."));
        if is_header || is_rule && line.starts_with("# ----") {
            starts.push(at);
            is_rule = line.starts_with("[[emit]]");
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let spans = starts.iter().copied().zip(ends);
    spans
        .filter_map(|(start, end)| text.get(start..end))
        .collect()
}

/// Whether a line of a vocabulary table is about one of these types.
fn is_word(line: &str, gone: &[String]) -> bool {
    let word = line
        .split(" = ")
        .next()
        .unwrap_or_default()
        .trim_matches('"');
    gone.iter().any(|of| of.trim_matches('"') == word)
}

/// A rule without the types in `gone`.
fn rule(section: &str, gone: &[String]) -> String {
    let Some((before, from)) = section.split_once("\ntype = ") else {
        return section.to_owned();
    };
    let end = match from.strip_prefix('[') {
        Some(_) => from.find(']').map_or(from.len(), |at| at + 1),
        None => from.find('\n').unwrap_or(from.len()),
    };
    let (types, after) = from.split_at(end);
    let all = types.trim_matches(['[', ']']).split(',').map(str::trim);
    let all: Vec<&str> = all.filter(|of| !of.is_empty()).collect();
    let left: Vec<&str> = all
        .iter()
        .copied()
        .filter(|of| !gone.iter().any(|name| name == of))
        .collect();
    match left.as_slice() {
        _ if left.len() == all.len() => section.to_owned(),
        [] => commented(section),
        [only] => format!("{before}\ntype = {only}{after}"),
        _ => format!("{before}\ntype = [{}]{after}", left.join(", ")),
    }
}

fn commented(section: &str) -> String {
    let lines = section.split_inclusive('\n');
    let comment = |line: &str| match line.trim() {
        "" => line.to_owned(),
        _ if line.starts_with('#') => line.to_owned(),
        _ => format!("# {line}"),
    };
    lines.map(comment).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPPING: &str = r#"mapping = "x"

# ---- Boats

[[emit]]
kind = "boat"
type = "boat"

[emit.fields]
model = ".title"

# ---- Designers

[[emit]]
kind = "designer"
type = "person"

[emit.fields]
name = ".name"

# ---- Terms

[[emit]]
kind = "term"
type = ["boatType", "category", "hullType"]

[emit.fields]
vocabulary = { from = "._type", table = "vocabulary" }

[tables.vocabulary]
boatType = "type"
category = "category"
hullType = "hullType"
"#;

    #[test]
    fn types_that_no_record_has_are_left_out_and_rules_for_nothing_else_are_comments() {
        let gone = ["person", "category", "hullType"].map(str::to_owned);
        insta::assert_snapshot!(without_types(MAPPING, &gone), @r##"
        mapping = "x"

        # ---- Boats

        [[emit]]
        kind = "boat"
        type = "boat"

        [emit.fields]
        model = ".title"

        # ---- Designers

        # [[emit]]
        # kind = "designer"
        # type = "person"

        # [emit.fields]
        # name = ".name"

        # ---- Terms

        [[emit]]
        kind = "term"
        type = "boatType"

        [emit.fields]
        vocabulary = { from = "._type", table = "vocabulary" }

        [tables.vocabulary]
        boatType = "type"
        "##);
        assert_eq!(without_types(MAPPING, &[]), MAPPING);
    }
}
