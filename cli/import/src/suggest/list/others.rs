//! The rules of a draft for what boats refer to: makers, designers and terms, made of their names.

use std::fmt::Write as _;

use super::{List, line, members, source};
use crate::suggest::names::Reading;
use crate::suggest::text::quoted;

/// The fields that become terms, with their vocabularies.
const TERMS: [(&str, &str); 5] = [
    ("type", "type"),
    ("categories", "category"),
    ("activities", "activity"),
    ("hull.type", "hullType"),
    ("hull.material", "hullMaterial"),
];

impl List<'_> {
    pub(super) fn makers(&self, text: &mut String) {
        let Some(maker) = self.choice("manufacturer") else {
            return;
        };
        let path = &maker.key.path;
        text.push_str("\n# ---- Makers, made of their names: one of each\n");
        self.rule("manufacturer", text);
        _ = writeln!(text, "where = {}", quoted(&format!("{path} != null")));
        text.push_str("\n[emit.fields]\n");
        let name = source(maker);
        named(text, &format!("{name} | slugify"), &name, true);
    }

    pub(super) fn designers(&self, text: &mut String) {
        if let Some(designer) = self.choice("designers.naval") {
            text.push_str("\n# ---- Designers, made of their names: one of each\n");
            self.rule("designer", text);
            line(text, "each", &quoted(&members(designer.key)));
            text.push_str("\n[emit.fields]\n");
            named(text, "slugify", ".", false);
        }
    }

    pub(super) fn terms(&self, text: &mut String) {
        let chosen = TERMS
            .iter()
            .filter_map(|(field, vocabulary)| Some((self.choice(field)?, vocabulary)));
        for (number, (choice, vocabulary)) in chosen.enumerate() {
            if number == 0 {
                text.push_str("\n# ---- Terms, made of the words of the list: one of each\n");
            }
            let key = choice.key;
            self.rule("term", text);
            let each = match choice.wanted.reading {
                Reading::Names => members(key),
                _ => format!("[{} | values]", source(choice)),
            };
            line(text, "each", &quoted(&each));
            text.push_str("\n[emit.fields]\n");
            line(text, "vocabulary", &quoted(&format!("\"{vocabulary}\"")));
            named(text, "slugify", ".", true);
        }
    }
}

/// Writes the fields of a record that has little more than its name.
fn named(text: &mut String, id: &str, name: &str, has_slug: bool) {
    line(text, "id", &quoted(id));
    if has_slug {
        line(text, "slug", &quoted(id));
    }
    line(text, "name", &quoted(name));
}
