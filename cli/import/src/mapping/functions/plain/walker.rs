//! Writes the text of the nodes of any system, as the table of systems and the kinds of the
//! mapping say.
//!
//! A node of a kind that is not known is a block among blocks and a part of the line among words,
//! keeps what text it has where its system keeps text, and is told. It knows no system by itself.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::html;
use super::markdown::markdown;
use super::page::{NoPlainText, PARTS_DEPTH_MAX, Page};
use super::systems::{self, Kind, Markup, Part, System};
use crate::mapping::functions::quoted;

/// The key by which a block of Portable Text is an item of a list.
const ITEM_KEY: &str = "listItem";
/// Where a list has the number of its first item.
const FIRST_NUMBER: Part<'_> = systems::words("start|attrs.start|attrs.order");

/// What a mapping says about nodes of a kind.
#[derive(Debug)]
pub(in crate::mapping) struct Block {
    pub(in crate::mapping) kind: Kind,
    /// Where they keep text and parts; empty for where their system keeps them.
    pub(in crate::mapping) from: Vec<String>,
}

/// Writes nodes to a page.
pub(super) struct Walker<'a> {
    own: &'a BTreeMap<String, Block>,
    pub(super) page: Page,
    unknown: BTreeSet<String>,
}

/// What the surroundings of a node say about it.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'n> {
    system: &'static System,
    /// The name of the nearest node that has one.
    name: &'n str,
    /// What a node without a kind is.
    implied: Kind,
    is_within_line: bool,
    depth: usize,
}

impl Surroundings<'_> {
    /// Those of the outermost nodes of a system.
    pub(super) const fn outermost(system: &'static System) -> Self {
        Surroundings {
            system,
            name: "",
            implied: Kind::Text,
            is_within_line: false,
            depth: 1,
        }
    }

    /// Those of a node among words.
    pub(super) const fn within_line(system: &'static System) -> Self {
        Surroundings {
            is_within_line: true,
            ..Self::outermost(system)
        }
    }

    /// The same for what is one level deeper.
    fn deeper(self) -> Result<Self, NoPlainText> {
        if PARTS_DEPTH_MAX <= self.depth {
            return Err(NoPlainText::TooDeep);
        }
        let depth = self.depth + 1;
        Ok(Self { depth, ..self })
    }
}

/// What a node is, and where it keeps text and parts.
struct Described<'a> {
    kind: Kind,
    parts: Cow<'a, [Part<'a>]>,
    is_known: bool,
}

impl<'a> Walker<'a> {
    /// Starts with an empty page. `own` are the kinds of the mapping, by name.
    pub(super) fn new(own: &'a BTreeMap<String, Block>) -> Self {
        Self {
            own,
            page: Page::default(),
            unknown: BTreeSet::new(),
        }
    }

    /// The finished text, and the kinds of nodes that are not known.
    pub(super) fn finish(self) -> Result<(String, BTreeSet<String>), NoPlainText> {
        Ok((self.page.finish()?, self.unknown))
    }

    /// Writes outermost nodes, of which at least one must be understood.
    pub(super) fn document(&mut self, nodes: &[Value]) -> Result<(), NoPlainText> {
        let mut is_understood = nodes.is_empty();
        for node in nodes {
            let system = System::of(node).ok_or_else(|| unknown_form(node))?;
            is_understood |= self.node(node, Surroundings::outermost(system))?;
        }
        match nodes.first() {
            Some(first) if !is_understood => Err(unknown_form(first)),
            _ => Ok(()),
        }
    }

    /// Writes a node; returns whether anything of it is understood.
    fn node(&mut self, node: &Value, around: Surroundings<'_>) -> Result<bool, NoPlainText> {
        let name_in = |system: &System| node.get(system.type_key).and_then(Value::as_str);
        if let Some(name) = name_in(around.system) {
            return self.named(name, node, around);
        }
        match System::of(node).filter(|_| around.implied == Kind::Text) {
            Some(system) => {
                let name = name_in(system).unwrap_or_default();
                self.named(name, node, Surroundings { system, ..around })
            }
            None => self.named("", node, around),
        }
    }

    /// Writes a node of a kind; the name is empty if it does not say its kind.
    pub(super) fn named(
        &mut self,
        name: &str,
        node: &Value,
        around: Surroundings<'_>,
    ) -> Result<bool, NoPlainText> {
        let Described {
            kind,
            parts,
            is_known,
        } = self.describe(name, node, around);
        let name = if name.is_empty() { around.name } else { name };
        let first = (kind == Kind::List).then(|| FIRST_NUMBER.find(node, name));
        let first = first.flatten().and_then(Value::as_u64);
        self.page.open(kind, first);
        let within = Surroundings {
            name,
            is_within_line: !kind.holds_blocks(),
            ..around.deeper()?
        };
        let mut has_parts = false;
        for part in parts.iter() {
            let Some(value) = part.find(node, name) else {
                continue;
            };
            match kind {
                _ if !has_parts => {}
                Kind::Text => self.page.write(" "),
                _ => self.page.part(),
            }
            has_parts = true;
            self.page.open(part.enclosed, None);
            let implied = part.members;
            self.value(value, part.markup, Surroundings { implied, ..within })?;
            self.page.close(part.enclosed);
        }
        self.page.close(kind);
        if !is_known || (kind == Kind::Text && !has_parts) {
            self.unknown.insert(name.to_owned());
        }
        Ok(has_parts || (is_known && (kind.is_without_text() || kind == Kind::Group)))
    }

    /// Writes what a node has in one place: a text, a list or a node.
    fn value(
        &mut self,
        value: &Value,
        markup: Markup,
        around: Surroundings<'_>,
    ) -> Result<(), NoPlainText> {
        match value {
            Value::String(text) => self.text(text, markup),
            Value::Number(number) => {
                self.page.write(&number.to_string());
                Ok(())
            }
            Value::Array(members) => {
                let around = around.deeper()?;
                for member in members {
                    self.member(member, markup, around)?;
                }
                Ok(())
            }
            Value::Object(_) => self.node(value, around).map(drop),
            Value::Null | Value::Bool(_) => Ok(()),
        }
    }

    /// Writes a member of a list. One that is no node is what the list implies.
    fn member(
        &mut self,
        member: &Value,
        markup: Markup,
        around: Surroundings<'_>,
    ) -> Result<(), NoPlainText> {
        if member.is_object() {
            return self.node(member, around).map(drop);
        }
        let implied = match around.implied {
            Kind::Row => Kind::Cell,
            _ => Kind::Text,
        };
        self.page.open(around.implied, None);
        self.value(member, markup, Surroundings { implied, ..around })?;
        self.page.close(around.implied);
        Ok(())
    }

    fn text(&mut self, text: &str, markup: Markup) -> Result<(), NoPlainText> {
        match markup {
            Markup::Html if html::is_html(text) => self.page.write(&html::read(text)?),
            Markup::Markdown => self.page.write(&markdown(text)?.unwrap_or_default()),
            Markup::None | Markup::Html => self.page.write(text),
        }
        Ok(())
    }

    /// What a node is: what the mapping says, or the table, or its surroundings and its parts.
    fn describe(&self, name: &str, node: &Value, around: Surroundings<'_>) -> Described<'a> {
        let known = around.system.kind(name);
        let parts = known.map_or(around.system.parts(), |(_, parts)| parts);
        let own = self.own.get(name).filter(|_| !name.is_empty());
        let own_parts = own.map(|own| own.from.iter().map(|path| systems::html(path)));
        let mut parts = match own_parts {
            Some(own) if 0 < own.len() => own.collect(),
            _ => Cow::Borrowed(parts),
        };
        let kind = match (own, known) {
            (Some(own), _) => own.kind,
            (None, Some((Kind::Paragraph, _))) if node.get(ITEM_KEY).is_some() => Kind::Item,
            (None, Some((kind, _))) if !name.is_empty() => kind,
            _ if name.is_empty() && around.implied != Kind::Text => around.implied,
            _ if around.is_within_line => Kind::Text,
            _ => self.likely_kind(name, node, &parts, around.system),
        };
        if kind.is_without_text() {
            parts = Cow::Borrowed(&[]);
        }
        let is_known = own.is_some() || known.is_some() || around.implied != Kind::Text;
        Described {
            kind,
            parts,
            is_known,
        }
    }

    /// What a node among blocks seems to be: a leaf, or a paragraph if it holds words.
    fn likely_kind(
        &self,
        name: &str,
        node: &Value,
        parts: &[Part<'_>],
        system: &'static System,
    ) -> Kind {
        if name.is_empty() && node.get("text").is_some_and(Value::is_string) {
            return Kind::Text;
        }
        let is_word = |member: &Value| match member.get(system.type_key).and_then(Value::as_str) {
            Some(name) => {
                let own = self.own.get(name).map(|own| own.kind);
                let kind = own.or_else(|| Some(system.kind(name)?.0));
                kind.is_some_and(Kind::is_within_line)
            }
            None => member.is_string() || member.get("text").is_some_and(Value::is_string),
        };
        let values = parts.iter().filter_map(|part| part.find(node, name));
        let mut members = values.filter_map(Value::as_array).flatten();
        if members.any(is_word) {
            Kind::Paragraph
        } else {
            Kind::Group
        }
    }
}

/// The error for a value that is not rich text of a known system.
pub(super) fn unknown_form(value: &Value) -> NoPlainText {
    let found = match value {
        Value::Object(members) => {
            let keys: Vec<&str> = members.keys().take(5).map(String::as_str).collect();
            let keys = quoted(&format!("{keys:?}"));
            let key = System::of(value).map(|system| system.type_key);
            match key.and_then(|key| Some((key, value.get(key)?.as_str()?))) {
                Some((key, of)) => {
                    let of = quoted(of);
                    format!("an object with the `{key}` {of:?} and the keys {keys}")
                }
                None => format!("an object with the keys {keys}"),
            }
        }
        Value::Array(_) => "a list within the list".to_owned(),
        Value::String(text) => format!("{:?} within a list", quoted(text)),
        other => other.to_string(),
    };
    NoPlainText::UnknownForm { found }
}
