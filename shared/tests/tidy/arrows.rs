//! Which modules know which: between the rooms of a crate arrows point one way, and within a room
//! no files know each other in a circle.
//!
//! An arrow is a path in code that begins with `crate`, `super` or `self`. A name that a module
//! only passes on counts for the file that it comes from. Paths are all it sees: a method that is
//! called is no arrow.

use std::collections::{BTreeMap, BTreeSet};

use crate::rules::{code_of, is_of_name};

/// A crate, and its rooms, lowest first: each may know those of the steps before its own.
pub(crate) struct House {
    /// The folder of its sources.
    pub(crate) sources: &'static str,
    /// Rooms of one step do not know each other.
    steps: &'static [&'static [&'static str]],
}

pub(crate) const HOUSES: [House; 4] = [
    House {
        sources: "cli/import/src",
        steps: &[
            &["address", "image", "pool", "spool", "steps"],
            &["finding"],
            &["format", "json"],
            &["source"],
            &["mapping", "validate"],
            &["published", "run", "schema"],
            &["suggest"],
        ],
    },
    House {
        sources: "shared/src",
        steps: &[&["base"], &["keys", "release"], &["servers"]],
    },
    House {
        sources: "cli/src",
        steps: &[
            &["exit_status", "terminal"],
            &["hints"],
            &["remote", "report"],
            &["process"],
            &["serving"],
            &["settings"],
            &["commands"],
            &["args"],
            &["main"],
        ],
    },
    House {
        sources: "server/src",
        steps: &[
            &["base"],
            &["params"],
            &["api_tables", "cors"],
            &["catalogue", "keyring"],
            &["cache", "comparisons"],
            &["compressed"],
            &["metrics"],
            &["limits", "readiness", "clock_watch"],
            &["threads"],
            &["app"],
            &["wire"],
            &["http"],
            &["ops"],
            &["serve"],
        ],
    },
];

/// The path of a module within its crate; that of the crate itself is empty.
type Module = Vec<String>;

/// The modules of a crate, each with the modules that it knows.
type Arrows = BTreeMap<Module, BTreeSet<Module>>;

impl House {
    /// What its sources break: one line for people each. Each source comes by its path within the
    /// folder of sources, and its text.
    pub(crate) fn broken_by(&self, sources: &[(String, String)]) -> Vec<String> {
        let arrows = arrows(sources);
        let mut broken = Vec::new();
        for (from, known) in &arrows {
            let wrong = known.iter().filter(|to| !self.may_know(from, to));
            broken.extend(wrong.map(|to| {
                let (from, to) = (from.join("::"), to.join("::"));
                format!("{}: {from} knows {to}", self.sources)
            }));
        }
        for circle in circles(&arrows) {
            let files: Vec<String> = circle.iter().map(|file| file.join("::")).collect();
            broken.push(format!(
                "{}: a circle of {}",
                self.sources,
                files.join(", ")
            ));
        }
        broken
    }

    /// Whether an arrow points from a room to itself, or to one of a lower step. The crate's own
    /// file knows all rooms.
    fn may_know(&self, from: &Module, to: &Module) -> bool {
        let (Some(from), Some(to)) = (from.first(), to.first()) else {
            return from.is_empty();
        };
        let step = |room: &String| self.steps.iter().position(|of| of.contains(&room.as_str()));
        from == to || matches!((step(from), step(to)), (Some(from), Some(to)) if to < from)
    }
}

/// A path in code.
struct Named {
    path: Vec<String>,
    /// Whether the module offers what it names as its own.
    is_passed_on: bool,
}

fn arrows(sources: &[(String, String)]) -> Arrows {
    let is_test = |path: &str| path.split(['/', '.']).any(|part| part == "tests");
    let sources = sources.iter().filter(|(path, _)| !is_test(path));
    let named: BTreeMap<Module, Vec<Named>> = sources
        .map(|(path, text)| (module(path), named(&code_of(without_tests(text)))))
        .collect();
    let modules: BTreeSet<&Module> = named.keys().collect();
    let mut origins = BTreeMap::new();
    for (of, named) in &named {
        for passed_on in named.iter().filter(|named| named.is_passed_on) {
            if let (to, Some(name)) = resolved(of, &passed_on.path, &modules) {
                origins.insert((of.clone(), name), to);
            }
        }
    }
    let target = |from: &Module, path: &[String]| {
        let (to, name) = resolved(from, path, &modules);
        let origin = name.and_then(|name| origins.get(&(to.clone(), name)));
        origin.cloned().unwrap_or(to)
    };
    let known = |(from, named): (&Module, &Vec<Named>)| {
        let own = named.iter().filter(|named| !named.is_passed_on);
        let mut known: BTreeSet<Module> = own.map(|named| target(from, &named.path)).collect();
        known.remove(from);
        (from.clone(), known)
    };
    named.iter().map(known).collect()
}

/// The module that a source is, by its path within the folder of sources.
fn module(path: &str) -> Module {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    if path == "lib" {
        return Module::new();
    }
    path.split('/').map(str::to_owned).collect()
}

/// The text of a source up to the tests at its end.
fn without_tests(text: &str) -> &str {
    let end = text.match_indices("#[cfg(test)]\nmod ").find(|(at, _)| {
        text[*at..]
            .lines()
            .nth(1)
            .is_some_and(|of| of.ends_with('{'))
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// The paths in code.
fn named(code: &str) -> Vec<Named> {
    let mut all = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].trim_end();
            let is_within = code[..at].ends_with(is_of_name) || before.ends_with("::");
            // The reach of an item is no arrow.
            if is_within || before.ends_with("(in") {
                continue;
            }
            let of_use = before.strip_suffix("use").map(str::trim_end);
            let is_passed_on = of_use.is_some_and(|of| of.ends_with("pub") || of.ends_with(')'));
            let mut paths = Vec::new();
            expand(&code[at..], &[], &mut paths);
            all.extend(paths.into_iter().map(|path| Named { path, is_passed_on }));
        }
    }
    all
}

/// Adds the path that code begins with, or each of those that braces in it stand for; gives what
/// follows.
fn expand<'c>(code: &'c str, before: &[String], found: &mut Vec<Vec<String>>) -> &'c str {
    let code = code.trim_start();
    if let Some(mut rest) = code.strip_prefix('{') {
        loop {
            rest = expand(rest, before, found).trim_start();
            match rest.strip_prefix(',') {
                Some(next) => rest = next,
                None => return rest.strip_prefix('}').unwrap_or(rest),
            }
        }
    }
    let end = code.find(|c| !is_of_name(c)).unwrap_or(code.len());
    let (name, rest) = code.split_at(end);
    let mut path = before.to_vec();
    if !name.is_empty() {
        path.push(name.to_owned());
    }
    if let Some(inner) = rest.strip_prefix("::").filter(|_| !name.is_empty()) {
        return expand(inner, &path, found);
    }
    if !name.is_empty() {
        found.push(path);
    }
    // What is renamed is known by its own name.
    let rest = rest.trim_start();
    let alias = rest
        .strip_prefix("as ")
        .map(|alias| alias.trim_start_matches(is_of_name));
    alias.unwrap_or(rest)
}

/// The module that a path leads to, and the name in it.
fn resolved(
    from: &Module,
    path: &[String],
    modules: &BTreeSet<&Module>,
) -> (Module, Option<String>) {
    let mut module = from.clone();
    let mut rest = path.iter().peekable();
    while let Some(step) = rest.next_if(|step| ["crate", "self", "super"].contains(&step.as_str()))
    {
        match step.as_str() {
            "crate" => module.clear(),
            "super" => _ = module.pop(),
            _ => {}
        }
    }
    for name in rest {
        module.push(name.clone());
        if !modules.contains(&module) {
            module.pop();
            return (module, Some(name.clone()));
        }
    }
    (module, None)
}

/// The modules that know each other in circles, largest circles as a whole.
fn circles(arrows: &Arrows) -> Vec<BTreeSet<&Module>> {
    let reached: BTreeMap<&Module, BTreeSet<&Module>> = arrows
        .keys()
        .map(|from| (from, reach(from, arrows)))
        .collect();
    let circle = |of: &&Module| -> BTreeSet<&Module> {
        let back = reached[*of]
            .iter()
            .filter(|to| reached.get(**to).is_some_and(|of_to| of_to.contains(*of)));
        back.copied().collect()
    };
    let circles: BTreeSet<BTreeSet<&Module>> = arrows.keys().map(|of| circle(&of)).collect();
    circles
        .into_iter()
        .filter(|circle| !circle.is_empty())
        .collect()
}

/// Everything that a module knows, be it by way of others.
fn reach<'a>(from: &Module, arrows: &'a Arrows) -> BTreeSet<&'a Module> {
    let mut reached = BTreeSet::new();
    let mut left: Vec<&Module> = arrows[from].iter().collect();
    while let Some(module) = left.pop() {
        if reached.insert(module) {
            left.extend(arrows.get(module).into_iter().flatten());
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUSE: House = House {
        sources: "src",
        steps: &[&["low"], &["left", "right"]],
    };

    #[track_caller]
    fn check(sources: &[(&str, &str)], expected: &[&str]) {
        let owned = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        let sources: Vec<(String, String)> = sources.iter().map(owned).collect();
        assert_eq!(HOUSE.broken_by(&sources), expected);
    }

    #[test]
    fn a_room_knows_lower_ones_and_none_beside_or_above_it() {
        let low = ("low.rs", "pub(crate) struct Low;");
        check(&[("lib.rs", "pub use self::left::Left;"), low], &[]);
        check(&[low, ("left.rs", "use crate::low::Low;")], &[]);
        let right = ("right.rs", "fn f() { crate::left::g() }");
        check(&[("left.rs", ""), right], &["src: right knows left"]);
        let up = ("low/deep.rs", "use super::super::{left::{A, b::C as D}};");
        check(
            &[low, up, ("left.rs", ""), ("left/b.rs", "")],
            &["src: low::deep knows left", "src: low::deep knows left::b"],
        );
    }

    #[test]
    fn comments_texts_tests_and_the_reach_of_items_are_no_arrows() {
        let text = "//! See crate::left.\npub(in crate::left) const A: &str = \"crate::left::B\";\n\
                    #[cfg(test)]\nmod tests {\n    use crate::left::C;\n}\n";
        check(
            &[
                ("left.rs", ""),
                ("low.rs", text),
                ("low/tests.rs", "use crate::left::D;"),
            ],
            &[],
        );
    }

    #[test]
    fn what_a_module_passes_on_counts_for_where_it_comes_from() {
        let low = (
            "low.rs",
            "mod a;\nmod b;\nmod c;\npub(crate) use self::a::A;",
        );
        let (b, c) = (
            ("low/b.rs", "use super::A;"),
            ("low/c.rs", "use super::b::B;"),
        );
        check(&[low, ("low/a.rs", ""), b, c], &[]);
        let back = ("low/a.rs", "use super::c::C;");
        check(
            &[low, back, b, c],
            &["src: a circle of low::a, low::b, low::c"],
        );
    }
}
