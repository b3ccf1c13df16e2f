//! Parts a list that stands in one text, as in a cell of a sheet.
//!
//! Tables that show linked records, such as those of Airtable, put a member with a comma in quotes:
//! `"Judel, Vrolijk & Co",Rob Humphreys` are two. A quote within a member is a sign of inches, and
//! stays.

/// The members of a list, without blanks around them and without empty ones.
pub(in crate::mapping) fn list(text: &str, separator: &str) -> Result<Vec<String>, String> {
    if separator.trim_matches(' ').is_empty() {
        return Err("the separator of a list is no blank".to_owned());
    }
    let mut members = Vec::new();
    let mut rest = Some(text);
    while let Some(text) = rest {
        let (member, after) = quoted_member(text, separator).unwrap_or_else(|| {
            let (member, after) = match text.split_once(separator) {
                Some((member, after)) => (member, Some(after)),
                None => (text, None),
            };
            (member.trim().to_owned(), after)
        });
        if !member.is_empty() {
            members.push(member);
        }
        rest = after;
    }
    Ok(members)
}

/// A first member that stands in quotes as a whole, and what follows it.
fn quoted_member<'t>(text: &'t str, separator: &str) -> Option<(String, Option<&'t str>)> {
    let quoted = text.trim_start().strip_prefix('"')?;
    let mut from = 0;
    let end = loop {
        let quote = from + quoted[from..].find('"')?;
        if !quoted[quote + 1..].starts_with('"') {
            break quote;
        }
        from = quote + 2;
    };
    let member = quoted[..end].replace("\"\"", "\"").trim().to_owned();
    let after = &quoted[end + 1..];
    if after.trim().is_empty() {
        return Some((member, None));
    }
    let next = after.strip_prefix(separator);
    let next = next.or_else(|| after.trim_start().strip_prefix(separator));
    Some((member, Some(next?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_in_quotes_may_have_the_separator_in_it() {
        for (text, separator, expected) in [
            ("a, b ,c", ",", &["a", "b", "c"][..]),
            ("a;;b; ", ";", &["a", "b"]),
            ("a and b", " and ", &["a", "b"]),
            (
                "\"Judel, Vrolijk & Co\",Rob Humphreys",
                ",",
                &["Judel, Vrolijk & Co", "Rob Humphreys"],
            ),
            (
                "Germán Frers, \"Judel, Vrolijk & Co\" ",
                ",",
                &["Germán Frers", "Judel, Vrolijk & Co"],
            ),
            ("\"Swan, Nautor\"", ",", &["Swan, Nautor"]),
            ("\"A and B\" and C", " and ", &["A and B", "C"]),
            ("\"The \"\"A\"\", B\",C", ",", &["The \"A\", B", "C"]),
            // These quotes are no quotes around a member.
            ("12\" wheel, 3\" hose", ",", &["12\" wheel", "3\" hose"]),
            ("\"Swan\" 45, Moody", ",", &["\"Swan\" 45", "Moody"]),
            ("\"open, Moody", ",", &["\"open", "Moody"]),
            ("", ",", &[]),
        ] {
            let members = list(text, separator).unwrap();
            assert_eq!(members, expected, "{text}");
        }
        assert!(list("a", "").is_err());
    }

    #[test]
    fn no_text_panics() {
        proptest::proptest!(|(text in "[a\", é]{0,20}")| {
            let _ = list(&text, ",");
        });
    }
}
