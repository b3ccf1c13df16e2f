//! The body of a record as parsed JSON, with the order of its members.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::base::render::coverage::is_member;

/// A body as parsed JSON, with the order of its members.
pub(super) enum Tree {
    Null,
    Scalar { is_fraction: bool },
    List { is_empty: bool },
    Object(Vec<(String, Self)>),
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

const SCALAR: Tree = Tree::Scalar { is_fraction: false };

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Tree, E> {
        Ok(SCALAR)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Tree, E> {
        Ok(SCALAR)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Tree, E> {
        Ok(SCALAR)
    }

    fn visit_f64<E>(self, number: f64) -> Result<Tree, E> {
        let is_fraction = number.fract() != 0.0;
        Ok(Tree::Scalar { is_fraction })
    }

    fn visit_str<E>(self, _: &str) -> Result<Tree, E> {
        Ok(SCALAR)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Tree, A::Error> {
        let is_empty = list.next_element::<IgnoredAny>()?.is_none();
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Tree::List { is_empty })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Tree, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = object.next_entry()? {
            members.push(member);
        }
        Ok(Tree::Object(members))
    }
}

impl Tree {
    /// The record of a body.
    pub(super) fn of(body: &[u8]) -> Self {
        match serde_json::from_slice(body).unwrap() {
            Self::Object(mut members) if members.len() == 1 => members.remove(0).1,
            _ => panic!("a body holds one record"),
        }
    }

    pub(super) fn member(&self, path: &str) -> &Self {
        path.split('.').fold(self, |tree, name| match tree {
            Self::Object(members) => &members.iter().find(|(key, _)| key == name).unwrap().1,
            _ => &Self::Null,
        })
    }

    /// The paths of all fields of a full record; `empty` is one with only the required values.
    pub(super) fn paths(&self, empty: &Self) -> Vec<String> {
        let mut paths = Vec::new();
        self.collect("", empty, &mut paths);
        paths
    }

    fn collect(&self, at: &str, empty: &Self, paths: &mut Vec<String>) {
        let Self::Object(members) = self else {
            return paths.push(at.to_owned());
        };
        if !at.is_empty() && matches!(empty.member(at), Self::Null) {
            let is_below_null = paths
                .iter()
                .any(|path| is_member(at, path) && matches!(empty.member(path), Self::Null));
            if !is_below_null {
                paths.push(at.to_owned());
            }
        }
        for (name, member) in members {
            let path = if at.is_empty() {
                name.clone()
            } else {
                format!("{at}.{name}")
            };
            member.collect(&path, empty, paths);
        }
    }
}
