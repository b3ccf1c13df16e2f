//! Programs that the page shows, each in every language. They run unchanged.
//!
//! They read BASE and KEY from the environment. When a reader pastes a key, the page puts both into
//! the program. The texts to replace are marked here, so the page's script need not know any
//! language.

use askama::Template;

use super::html::escaped;
use crate::http::openapi::{Operation, render};

/// One task, in every language.
pub(super) struct Example {
    /// The name of its files.
    pub(super) name: &'static str,
    pub(super) variants: [Variant; 3],
}

/// A program.
pub(super) struct Variant {
    pub(super) language: &'static Language,
    /// The text, as HTML.
    pub(super) code: String,
}

/// A language of the examples.
pub(super) struct Language {
    pub(super) name: &'static str,
    /// The extension of its files.
    pub(super) ending: &'static str,
    /// What stands before and after the name of a variable within a text.
    variable: (&'static str, &'static str),
    /// Code that reads the environment, each with its replacement once a key is pasted: `{base}`
    /// and `{key}` are filled in. None is part of another or of a replacement.
    filled: &'static [(&'static str, &'static str)],
}

static LANGUAGES: [Language; 3] = [
    Language {
        name: "curl",
        ending: "sh",
        variable: ("$", ""),
        filled: &[("$BASE", "{base}"), ("$KEY", "{key}")],
    },
    Language {
        name: "JavaScript",
        ending: "mjs",
        variable: ("${", "}"),
        filled: &[
            (
                "const { BASE, KEY } = process.env;",
                "const BASE = \"{base}\";\nconst KEY = \"{key}\";",
            ),
            ("const { BASE } = process.env;", "const BASE = \"{base}\";"),
        ],
    },
    Language {
        name: "Python",
        ending: "py",
        variable: ("{", "}"),
        filled: &[
            ("import os\n", ""),
            (
                "BASE, KEY = os.environ[\"BASE\"], os.environ[\"KEY\"]",
                "BASE, KEY = \"{base}\", \"{key}\"",
            ),
            ("BASE = os.environ[\"BASE\"]", "BASE = \"{base}\""),
        ],
    },
];

macro_rules! task {
    ($name:literal) => {
        Example {
            name: $name,
            variants: [
                LANGUAGES[0].variant(include_str!(concat!("examples/", $name, ".sh"))),
                LANGUAGES[1].variant(include_str!(concat!("examples/", $name, ".mjs"))),
                LANGUAGES[2].variant(include_str!(concat!("examples/", $name, ".py"))),
            ],
        }
    };
}

/// The tasks of the guide.
pub(super) fn tasks() -> [Example; 4] {
    [
        task!("first"),
        task!("paging"),
        task!("caching"),
        task!("limits"),
    ]
}

/// A request, as a program in the language of this ending.
#[derive(Template)]
#[template(path = "docs/request.txt")]
struct Request<'a> {
    ending: &'static str,
    summary: &'static str,
    target: &'static str,
    needs_key: bool,
    look_up: Option<&'a LookUp>,
    /// The file to write, if the response is one.
    file: Option<&'a str>,
}

/// What an example asks for first, so that it asks for something that is there.
struct LookUp {
    /// The member of the answer, and the variable that it is kept in.
    name: &'static str,
    /// The path to ask.
    at: String,
    /// Where the member is, below `data`.
    in_script: &'static str,
    in_python: &'static str,
    /// What a reader should know of the answer.
    note: Option<&'static str>,
    /// The target, before and after the variable.
    target: (String, String),
}

impl LookUp {
    /// The first record of the list that a path is below, or the release that is served.
    fn of(operation: &Operation, path: &str) -> Option<Self> {
        if let Some((before, after)) = path.split_once("{idOrSlug}") {
            return Some(Self {
                name: "slug",
                at: format!("{}?limit=1", before.trim_end_matches('/')),
                in_script: "[0]",
                in_python: "[0]",
                note: None,
                target: (before.to_owned(), after.to_owned()),
            });
        }
        let mut parameters = operation.parameters.iter();
        parameters.any(|it| it.name == "since").then(|| Self {
            name: "release",
            at: "/v1".to_owned(),
            in_script: ".catalogue",
            in_python: "[\"catalogue\"]",
            note: Some(
                "Since the release that is served nothing changed: ask with that of your copy.",
            ),
            target: (format!("{path}?since="), String::new()),
        })
    }
}

/// Stands for the target of a request until the program is escaped.
const TARGET: &str = "\u{1}";
/// Stand before and after what is asked for first.
const FIRST: (&str, &str) = ("\u{2}", "\u{3}");

/// The request of an operation. Where a reader enters parameters, the page rewrites its target and
/// takes away what is asked for first.
pub(super) fn request(operation: &'static Operation, path: &str) -> Example {
    let look_up = LookUp::of(operation, path);
    let variants = LANGUAGES.each_ref().map(|language| {
        let mut variant = language.variant(&render(&Request {
            ending: language.ending,
            summary: &operation.summary,
            target: TARGET,
            needs_key: operation.needs_key(),
            look_up: look_up.as_ref(),
            file: file(operation, path),
        }));
        let target = look_up.as_ref().map_or_else(
            || path.to_owned(),
            |it| {
                let ((before, after), (opening, closing)) = (&it.target, language.variable);
                format!("{before}{opening}{}{closing}{after}", it.name)
            },
        );
        let target = format!("<span class=\"target\">{}</span>", escaped(&target));
        let code = variant.code.replace(TARGET, &target);
        let code = code.replace(FIRST.0, "<span class=\"first\">");
        variant.code = code.replace(FIRST.1, "</span>");
        variant
    });
    Example {
        name: &operation.id,
        variants,
    }
}

/// The name of the file that an operation sends, if it sends one.
pub(super) fn file<'a>(operation: &Operation, path: &'a str) -> Option<&'a str> {
    let is_part = |status: &&str| *status == "206";
    operation.other_statuses().iter().find(|it| is_part(it))?;
    path.rsplit('/').next()
}

impl Language {
    /// A program as HTML, with marks around the texts to replace once a key is pasted.
    fn variant(&'static self, program: &str) -> Variant {
        let mark = |code: String, (read, filled): &(&str, &str)| {
            let (read, filled) = (escaped(read), escaped(filled));
            let marked = format!("<span data-filled=\"{filled}\">{read}</span>");
            code.replace(&read, &marked)
        };
        Variant {
            language: self,
            code: self.filled.iter().fold(escaped(program), mark),
        }
    }
}
