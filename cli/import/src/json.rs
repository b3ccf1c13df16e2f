//! JSON as an export writes it: values with their places, numbers as text, repeated keys kept.
//!
//! A general JSON type would lose exactly what findings are about: where a value stands, that a
//! key is repeated, how a number is spelled. The grammar itself is `jiter`'s.

mod decimal;
mod line;
mod seen;

use std::borrow::Cow;
use std::ops::Range;

use jiter::{Jiter, JiterError, JiterErrorType, JsonErrorType, Peek};

pub(crate) use self::decimal::{Decimal, is_exact};
pub(crate) use self::line::parse_line;
pub(crate) use self::seen::{Seen, first_repeated};

use crate::steps;

/// Deepest nesting of a native record; the outermost object is at depth 1.
pub(crate) const NATIVE_DEPTH_MAX: usize = 32;
/// Most values of one text, nested ones included. A line of the native format that breaks no other
/// limit has fewer.
pub(crate) const VALUES_MAX: usize = 250_000;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node<'a> {
    /// Byte offsets in the line.
    pub span: Range<usize>,
    /// The value.
    pub value: Value<'a>,
}

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it is spelled.
    Number(&'a str),
    /// A string, with its escapes resolved.
    Text(Cow<'a, str>),
    /// A list.
    List(Vec<Node<'a>>),
    /// An object, with its members in the order of the line.
    Object(Vec<Member<'a>>),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Member<'a> {
    /// Its key, with its escapes resolved.
    pub key: Cow<'a, str>,
    /// Byte offsets of the key in the line, quotes included.
    pub key_span: Range<usize>,
    /// Its value.
    pub node: Node<'a>,
}

/// Why a line is not JSON, or not within its limits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidJson {
    /// Not the grammar of JSON.
    #[error("the line is not valid JSON: {reason}")]
    Syntax {
        /// What was expected or found.
        reason: String,
        /// Byte offset in the line.
        at: usize,
        /// Whether the line ends where more was needed.
        ends_early: bool,
    },
    /// Objects and lists are nested too deeply.
    #[error("objects and lists are nested more than {depth_max} deep")]
    TooDeep {
        /// How deep they may be.
        depth_max: usize,
        /// Byte offset of the first bracket too many.
        at: usize,
    },
    /// Too many values.
    #[error("there are more than {VALUES_MAX} values in it")]
    TooManyValues {
        /// Byte offset of the first one too many.
        at: usize,
    },
}

impl Value<'_> {
    /// What people call a value of this type.
    pub(crate) const fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

impl Node<'_> {
    /// The value of the first member of this object with this key.
    pub(crate) fn member(&self, key: &str) -> Option<&Self> {
        let Value::Object(members) = &self.value else {
            return None;
        };
        let member = members.iter().find(|member| member.key == key);
        member.map(|member| &member.node)
    }

    /// This value, if it is a text.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// Reads a text that holds exactly one value, nested no deeper than `depth_max`.
pub(crate) fn parse(line: &str, depth_max: usize) -> Result<Node<'_>, InvalidJson> {
    read(line, depth_max, VALUES_MAX)
}

/// Reads a text that this project has rendered, whose length bounds how many values it has: with
/// what records show of others, more than lines have.
pub(crate) fn parse_rendered(text: &str) -> Result<Node<'_>, InvalidJson> {
    read(text, NATIVE_DEPTH_MAX, text.len())
}

fn read(line: &str, depth_max: usize, values_max: usize) -> Result<Node<'_>, InvalidJson> {
    let mut parser = Parser {
        line,
        depth_max,
        values_left: values_max,
        jiter: Jiter::new(line.as_bytes()),
        nodes: Vec::new(),
        members: Vec::new(),
    };
    let peek = parser.jiter.peek()?;
    let node = parser.node(peek, 1)?;
    parser.jiter.finish()?;
    Ok(node)
}

/// A key and its span.
type Key<'a> = (Cow<'a, str>, Range<usize>);

struct Parser<'a> {
    line: &'a str,
    depth_max: usize,
    values_left: usize,
    jiter: Jiter<'a>,
    /// The members read so far of all open lists and objects, the innermost last. Each list or
    /// object takes its own when it ends, and so allocates once, with the size it needs. Together
    /// with what [`unescaped`] saves, that is a quarter of the time of parsing.
    nodes: Vec<Node<'a>>,
    members: Vec<Member<'a>>,
}

impl<'a> Parser<'a> {
    fn node(&mut self, peek: Peek, depth: usize) -> Result<Node<'a>, InvalidJson> {
        let start = self.jiter.current_index();
        self.values_left = match self.values_left.checked_sub(1) {
            None => return Err(InvalidJson::TooManyValues { at: start }),
            Some(left) => left,
        };
        let is_nested = peek == Peek::Array || peek == Peek::Object;
        if is_nested && self.depth_max < depth {
            let depth_max = self.depth_max;
            return Err(InvalidJson::TooDeep {
                at: start,
                depth_max,
            });
        }
        let value = match peek {
            Peek::Null => {
                self.jiter.known_null()?;
                Value::Null
            }
            Peek::True | Peek::False => Value::Bool(self.jiter.known_bool(peek)?),
            Peek::String => Value::Text(unescaped(self.line, start, self.jiter.known_str()?)),
            Peek::Array => Value::List(self.list(depth)?),
            Peek::Object => Value::Object(self.members(depth)?),
            _ => {
                self.jiter.known_number_bytes(peek)?;
                Value::Number(&self.line[start..self.jiter.current_index()])
            }
        };
        Ok(Node {
            span: start..self.jiter.current_index(),
            value,
        })
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Node<'a>>, InvalidJson> {
        let first = self.nodes.len();
        let mut next = self.jiter.known_array()?;
        while let Some(peek) = next {
            let node = self.node(peek, depth + 1)?;
            self.nodes.push(node);
            next = self.jiter.array_step()?;
        }
        Ok(self.nodes.split_off(first))
    }

    fn members(&mut self, depth: usize) -> Result<Vec<Member<'a>>, InvalidJson> {
        let first = self.members.len();
        let mut before = self.jiter.current_index();
        let mut key = self.key(before, Jiter::known_object)?;
        while let Some((name, key_span)) = key {
            let peek = self.jiter.peek()?;
            let node = self.node(peek, depth + 1)?;
            self.members.push(Member {
                key: name,
                key_span,
                node,
            });
            before = self.jiter.current_index();
            key = self.key(before, Jiter::next_key)?;
        }
        Ok(self.members.split_off(first))
    }

    /// The next key and its span: `jiter` knows where it was before the key and after its colon,
    /// and no other quote can stand between.
    fn key(
        &mut self,
        before: usize,
        next: impl for<'j> FnOnce(&'j mut Jiter<'a>) -> jiter::JiterResult<Option<&'j str>>,
    ) -> Result<Option<Key<'a>>, InvalidJson> {
        let line = self.line;
        let Some(name) = next(&mut self.jiter)? else {
            // In an object without keys, a search for a quote would run to the end of the line.
            return Ok(None);
        };
        let quote = memchr::memchr(b'"', &line.as_bytes()[before..]).unwrap_or(0);
        steps::count(quote);
        let start = before + quote;
        let name = unescaped(line, start, name);
        let end = if let Cow::Borrowed(raw) = &name {
            start + raw.len() + 2
        } else {
            let past_colon = self.jiter.current_index();
            let key = &line[start..past_colon];
            key.rfind('"').map_or(past_colon, |quote| start + quote + 1)
        };
        Ok(Some((name, start..end)))
    }
}

/// A string that starts at `start`: borrowed from the line if it stands there unchanged. `jiter`
/// then points into the line, so comparing pointers is enough.
fn unescaped<'a>(line: &'a str, start: usize, decoded: &str) -> Cow<'a, str> {
    match line.get(start + 1..start + 1 + decoded.len()) {
        Some(raw) if std::ptr::eq(raw, decoded) => Cow::Borrowed(raw),
        _ => Cow::Owned(decoded.to_owned()),
    }
}

impl From<JiterError> for InvalidJson {
    fn from(error: JiterError) -> Self {
        use JsonErrorType as Kind;
        let ends_early = matches!(
            &error.error_type,
            JiterErrorType::JsonError(
                Kind::EofWhileParsingList
                    | Kind::EofWhileParsingObject
                    | Kind::EofWhileParsingString
                    | Kind::EofWhileParsingValue
            )
        );
        Self::Syntax {
            reason: error.error_type.to_string(),
            at: error.index,
            ends_early,
        }
    }
}

#[cfg(test)]
mod tests;
