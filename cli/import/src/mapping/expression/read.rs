//! Values of expressions straight from JSON, without the places that findings need: half of the time
//! that it takes with them.

use jaq_json::{Map, Val};
use jiter::{Jiter, Peek};

use super::values::{from_node, number};
use crate::json::{self, InvalidJson, VALUES_MAX};
use crate::steps;

/// The value of a text that holds exactly one, nested no deeper than `depth_max`.
pub(crate) fn from_text(text: &str, depth_max: usize) -> Result<Val, InvalidJson> {
    match from_plain_text(text, depth_max) {
        Some(value) => Ok(value),
        None => json::parse_nested(text, depth_max).map(|node| from_node(&node)),
    }
}

/// The same; none where a key comes twice, or something else is wrong, which is not for here to say.
pub(crate) fn from_plain_text(text: &str, depth_max: usize) -> Option<Val> {
    let mut reader = Reader {
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

struct Reader<'t> {
    text: &'t str,
    depth_left: usize,
    values_left: usize,
    jiter: Jiter<'t>,
    /// What was read of the lists and objects that are open, those within others last.
    items: Vec<Val>,
    members: Vec<(Val, Val)>,
}

impl Reader<'_> {
    fn value(&mut self, peek: Peek) -> Option<Val> {
        self.values_left = self.values_left.checked_sub(1)?;
        Some(match peek {
            Peek::Null => {
                self.jiter.known_null().ok()?;
                Val::Null
            }
            Peek::True | Peek::False => Val::Bool(self.jiter.known_bool(peek).ok()?),
            Peek::String => owned(self.jiter.known_str().ok()?),
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

fn owned(text: &str) -> Val {
    Val::utf8_str(text.as_bytes().to_vec())
}
