//! The path to the records within a document, as a mapping writes it: `entries`,
//! `db[0].data.posts`, `db[].posts`, `"a.b".c`. A `?` at its end says that a document may lack it.

use std::borrow::Cow;
use std::fmt;

use serde_json::Deserializer;

/// A path from a document to a list of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordsPath {
    text: String,
    pub(crate) steps: Vec<Step>,
    /// Whether a document may lack it.
    pub(crate) is_optional: bool,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The member of an object, or the element of XML, with this name.
    Key(String),
    /// The member of a list at this index, starting at 0.
    At(u64),
    /// Every member of a list or an object.
    Each,
}

impl RecordsPath {
    /// Parses a path; an error says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (text, is_optional) = match text.strip_suffix('?') {
            Some(text) => (text, true),
            None => (text, false),
        };
        let (mut steps, mut rest) = (Vec::new(), text);
        if !rest.starts_with('[') {
            rest = key(rest, &mut steps)?;
        }
        while let Some(next) = rest.chars().next() {
            rest = match next {
                '[' => bracket(&rest[1..], &mut steps)?,
                '.' => key(&rest[1..], &mut steps)?,
                _ => return Err(format!("a `.` or a `[` must come before `{rest}`")),
            };
        }
        let text = text.to_owned();
        Ok(Self {
            text,
            steps,
            is_optional,
        })
    }

    /// Whether it leads to something that the other path may lead through.
    pub(crate) fn may_hold(&self, other: &Self) -> bool {
        let steps = self.steps.iter().zip(&other.steps);
        let may_meet = |(a, b): (&Step, &Step)| a == b || *a == Step::Each || *b == Step::Each;
        self.steps.len() < other.steps.len() && steps.clone().all(may_meet)
    }

    /// Whether it consists only of names, as paths in XML must.
    pub(crate) fn is_of_names(&self) -> bool {
        let mut steps = self.steps.iter();
        steps.all(|step| matches!(step, Step::Key(_)))
    }

    /// Whether it consists of exactly these names.
    pub(crate) fn is(&self, names: &[String]) -> bool {
        let is_called =
            |(step, name): (&Step, &String)| matches!(step, Step::Key(key) if key == name);
        self.steps.len() == names.len() && self.steps.iter().zip(names).all(is_called)
    }
}

impl fmt::Display for RecordsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A key as part of a path, quoted if it could be mistaken for several keys.
pub(crate) fn in_path(key: &str) -> Cow<'_, str> {
    if key.contains(['.', '[', ']', '"', '?']) {
        Cow::Owned(serde_json::Value::from(key).to_string())
    } else {
        Cow::Borrowed(key)
    }
}

/// Takes a key, quoted or not; returns what follows it.
fn key<'t>(text: &'t str, steps: &mut Vec<Step>) -> Result<&'t str, String> {
    if !text.starts_with('"') {
        let (key, rest) = text.split_at(text.find(['.', '[']).unwrap_or(text.len()));
        steps.push(Step::Key(key.to_owned()));
        return Ok(rest);
    }
    let mut quoted = Deserializer::from_str(text).into_iter::<String>();
    let Some(Ok(key)) = quoted.next() else {
        return Err(format!(
            "the quotes of `{text}` are not those of a JSON text"
        ));
    };
    steps.push(Step::Key(key));
    Ok(&text[quoted.byte_offset()..])
}

/// Takes the contents of brackets and the closing bracket; returns what follows.
fn bracket<'t>(text: &'t str, steps: &mut Vec<Step>) -> Result<&'t str, String> {
    let known = text.split_once(']').and_then(|(inner, rest)| {
        let step = match inner {
            "" => Step::Each,
            place => Step::At(place.parse().ok()?),
        };
        Some((step, rest))
    });
    let (step, rest) = known.ok_or(
        "brackets hold the place in a list, [0] for the first, or nothing for all members; put quotes around a key that has brackets itself",
    )?;
    steps.push(step);
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[Step]) {
        let path = RecordsPath::parse(text).unwrap();
        assert_eq!(
            (path.steps.as_slice(), path.to_string()),
            (expected, text.to_owned())
        );
    }

    #[test]
    fn a_path_is_keys_and_brackets() {
        let name = |name: &str| Step::Key(name.to_owned());
        check("a", &[name("a")]);
        check("wp:a.b-c", &[name("wp:a"), name("b-c")]);
        check("db[0].posts", &[name("db"), Step::At(0), name("posts")]);
        check(
            "[][12].a[]",
            &[Step::Each, Step::At(12), name("a"), Step::Each],
        );
        check(
            r#""a.b"[1]."[]\"""#,
            &[name("a.b"), Step::At(1), name("[]\"")],
        );
        check("a..b", &[name("a"), name(""), name("b")]);
        let optional = RecordsPath::parse("a.b?").unwrap();
        let shown = (
            optional.steps.as_slice(),
            optional.is_optional,
            optional.to_string(),
        );
        assert_eq!(shown, (&[name("a"), name("b")][..], true, "a.b".to_owned()));
        check("\"a?\"", &[name("a?")]);
        for (text, expected) in [
            ("a[x]", "brackets hold"),
            ("a[-1]", "brackets hold"),
            ("a[0", "brackets hold"),
            ("a[0]b", "a `.` or a `[` must come before `b`"),
            ("\"a", "are not those of a JSON text"),
        ] {
            let message = RecordsPath::parse(text).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }
}
