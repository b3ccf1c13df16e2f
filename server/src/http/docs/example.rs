//! Programs that the page shows, each in every language. They run unchanged.
//!
//! They read BASE and KEY from the environment. When a reader pastes a key, the page puts both into
//! the program. The texts to replace are marked here, so the page's script need not know any
//! language.

use askama::Template;

use super::html::escaped;
use crate::http::openapi::{Operation, Parameter, plain, render};

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
    /// Code that reads the environment, each with its replacement once a key is pasted: `{base}`
    /// and `{key}` are filled in. None is part of another or of a replacement.
    filled: &'static [(&'static str, &'static str)],
}

static LANGUAGES: [Language; 3] = [
    Language {
        name: "curl",
        ending: "sh",
        filled: &[("$BASE", "{base}"), ("$KEY", "{key}")],
    },
    Language {
        name: "JavaScript",
        ending: "mjs",
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
    /// The file to write, if the response is one.
    file: Option<&'a str>,
}

/// Stands for the target of a request until the program is escaped.
const TARGET: &str = "\u{1}";

/// The request of an operation. The page rewrites its target when a reader enters parameters.
pub(super) fn request(operation: &'static Operation, path: &str) -> Example {
    let target = format!(
        "<span class=\"target\">{}</span>",
        escaped(&target(operation, path))
    );
    let variants = LANGUAGES.each_ref().map(|language| {
        let mut variant = language.variant(&render(&Request {
            ending: language.ending,
            summary: &operation.summary,
            target: TARGET,
            needs_key: !operation.scopes().is_empty(),
            file: file(operation, path),
        }));
        variant.code = variant.code.replace(TARGET, &target);
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

/// The path of an operation, with an example of its parameter.
fn target(operation: &Operation, path: &str) -> String {
    let of_path = |parameter: &&Parameter| parameter.location == "path";
    let record = operation.parameters.iter().find(of_path);
    record.map_or_else(
        || path.to_owned(),
        |record| path.replace(&format!("{{{}}}", record.name), &plain(&record.example)),
    )
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
