//! Converts values of expressions from and to JSON. A number keeps its spelling, so no digit is
//! lost. Values are read without the positions that findings need, which halves the time.

use std::rc::Rc;

use jaq_json::{Map, Num, Val};
use jiter::{Jiter, Peek};
use serde_json::Value;

use crate::json::{self, InvalidJson, Node, VALUES_MAX};
use crate::source::error_cells::{is_error, unmarked};
use crate::source::in_path;
use crate::steps;

/// Converts a parsed text.
pub(crate) fn from_node(node: &Node<'_>) -> Val {
    match &node.value {
        json::Value::Null => Val::Null,
        json::Value::Bool(value) => Val::Bool(*value),
        json::Value::Number(spelled) => number(spelled),
        json::Value::Text(text) => owned_value(text),
        json::Value::List(items) => items.iter().map(from_node).collect(),
        json::Value::Object(members) => {
            let member = |member: &json::Member<'_>| {
                let key = Val::utf8_str(member.key.as_bytes().to_vec());
                (key, from_node(&member.node))
            };
            Val::obj(members.iter().map(member).collect())
        }
    }
}

/// Converts JSON.
pub(crate) fn from_json(value: &Value) -> Val {
    match value {
        Value::Null => Val::Null,
        Value::Bool(value) => Val::Bool(*value),
        Value::Number(spelled) => number(&spelled.to_string()),
        Value::String(text) => Val::from(text.clone()),
        Value::Array(items) => items.iter().map(from_json).collect(),
        Value::Object(members) => {
            let members = members.iter();
            let members: Map = members
                .map(|(key, value)| (Val::from(key.clone()), from_json(value)))
                .collect();
            Val::obj(members)
        }
    }
}

/// A number from its JSON spelling.
pub(super) fn number(spelled: &str) -> Val {
    Val::Num(match spelled.parse::<isize>() {
        Ok(integer) if integer != 0 || spelled == "0" => Num::Int(integer),
        // The integer has lost the sign of `-0`.
        Ok(_) | Err(_) => Num::Dec(Rc::new(spelled.to_owned())),
    })
}

/// The number that a value is, as near as a float comes to it.
pub(crate) fn to_float(value: &Val) -> Option<f64> {
    match value {
        Val::Num(Num::Float(number)) => Some(*number),
        // Every number is written in a form that parses.
        Val::Num(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

/// The text that a value is.
pub(crate) fn text(value: &Val) -> Option<&str> {
    match value {
        Val::TStr(bytes) => std::str::from_utf8(bytes).ok(),
        _ => None,
    }
}

/// The address of an object, which it keeps wherever an expression takes it.
pub(crate) fn address(value: &Val) -> Option<usize> {
    match value {
        Val::Obj(members) => Some(Rc::as_ptr(members).addr()),
        _ => None,
    }
}

/// The path of a key of the object with this path, which is empty for a record itself.
pub(crate) fn inside(path: &str, key: &str) -> String {
    let separator = if path.is_empty() { "" } else { "." };
    format!("{path}{separator}{}", in_path(key))
}

/// Converts a value to JSON for code that works on JSON.
pub(crate) fn to_json(value: &Val) -> Result<Value, String> {
    if let Some(text) = text(value) {
        return Ok(Value::from(text));
    }
    let mut written = String::new();
    write_json(value, &mut written)?;
    serde_json::from_str(&written).map_err(|error| error.to_string())
}

/// Appends the JSON of a value to `out`; fails for values that JSON cannot represent.
pub(crate) fn write_json(value: &Val, out: &mut String) -> Result<(), String> {
    match value {
        Val::Null => out.push_str("null"),
        Val::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Val::Num(Num::Float(float)) if !float.is_finite() => {
            return Err(format!("{float} is not a number that a record can have"));
        }
        Val::Num(number) => out.push_str(&number.to_string()),
        Val::TStr(_) => {
            let text = text(value).ok_or("a text is not UTF-8")?;
            write_text(text, out);
        }
        Val::BStr(_) => return Err("a record cannot have bytes".to_owned()),
        Val::Arr(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                out.extend((place != 0).then_some(','));
                write_json(item, out)?;
            }
            out.push(']');
        }
        Val::Obj(members) => {
            out.push('{');
            for (place, (key, value)) in members.iter().enumerate() {
                out.extend((place != 0).then_some(','));
                write_text(text(key).ok_or("a key of an object is not a text")?, out);
                out.push(':');
                write_json(value, out)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

/// Appends a text in quotes.
pub(crate) fn write_text(text: &str, out: &mut String) {
    let is_plain = |byte: u8| b' ' <= byte && byte != b'"' && byte != b'\\';
    if text.bytes().all(is_plain) {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        out.push_str(&Value::from(text).to_string());
    }
}

/// Parses a text that holds exactly one value, nested no deeper than `depth_max`.
pub(crate) fn from_text(text: &str, depth_max: usize) -> Result<Val, InvalidJson> {
    match from_plain_text(text, depth_max) {
        Some(value) => Ok(value),
        None => json::parse(text, depth_max).map(|node| from_node(&node)),
    }
}

/// Like [`from_text`], but `None` if a key is repeated or anything else is wrong; [`from_text`]
/// then reports it.
pub(crate) fn from_plain_text(text: &str, depth_max: usize) -> Option<Val> {
    let mut reader = ValueReader {
        text,
        depth_left: depth_max,
        values_left: VALUES_MAX,
        jiter: Jiter::new(text.as_bytes()),
        items: Vec::new(),
        members: Vec::new(),
    };
    let peek = reader.jiter.peek().ok()?;
    let value = reader.value(peek)?;
    reader.jiter.finish().ok()?;
    Some(value)
}

struct ValueReader<'t> {
    text: &'t str,
    depth_left: usize,
    values_left: usize,
    jiter: Jiter<'t>,
    /// The items read so far of all open lists and objects, innermost last.
    items: Vec<Val>,
    members: Vec<(Val, Val)>,
}

impl ValueReader<'_> {
    fn value(&mut self, peek: Peek) -> Option<Val> {
        self.values_left = self.values_left.checked_sub(1)?;
        Some(match peek {
            Peek::Null => {
                self.jiter.known_null().ok()?;
                Val::Null
            }
            Peek::True | Peek::False => Val::Bool(self.jiter.known_bool(peek).ok()?),
            Peek::String => owned_value(self.jiter.known_str().ok()?),
            Peek::Array => self.within(Self::list)?,
            Peek::Object => self.within(Self::object)?,
            _ => {
                let start = self.jiter.current_index();
                self.jiter.known_number_bytes(peek).ok()?;
                number(&self.text[start..self.jiter.current_index()])
            }
        })
    }

    fn within(&mut self, read: impl FnOnce(&mut Self) -> Option<Val>) -> Option<Val> {
        self.depth_left = self.depth_left.checked_sub(1)?;
        let value = read(self);
        self.depth_left += 1;
        value
    }

    fn list(&mut self) -> Option<Val> {
        let first = self.items.len();
        let mut next = self.jiter.known_array().ok()?;
        while let Some(peek) = next {
            let item = self.value(peek)?;
            self.items.push(item);
            next = self.jiter.array_step().ok()?;
        }
        Some(self.items.drain(first..).collect())
    }

    fn object(&mut self) -> Option<Val> {
        let first = self.members.len();
        let mut key = self.jiter.known_object().ok()?.map(owned);
        while let Some(name) = key {
            let peek = self.jiter.peek().ok()?;
            let value = self.value(peek)?;
            self.members.push((name, value));
            key = self.jiter.next_key().ok()?.map(owned);
        }
        let members = self.members.len() - first;
        steps::count(members);
        let object: Map = self.members.drain(first..).collect();
        (object.len() == members).then(|| Val::obj(object))
    }
}

/// A text, or null in place of an error of a spreadsheet.
fn owned_value(text: &str) -> Val {
    if is_error(text) {
        return Val::Null;
    }
    owned(unmarked(text))
}

fn owned(text: &str) -> Val {
    Val::utf8_str(text.as_bytes().to_vec())
}
