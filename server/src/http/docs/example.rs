//! Programs that the page shows, each in every language. They run unchanged.
//!
//! They read BASE and KEY from the environment. When a reader pastes a key, the page puts both into
//! the program. The texts to replace are marked here, so the page's script need not know any
//! language.

use std::fmt::Write;

use askama::Template;

use super::page::escaped;
use crate::http::openapi::Operation;

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
    /// and `{key}` are filled in.
    filled: &'static [(&'static str, &'static str)],
}

pub(super) static CURL: Language = Language {
    name: "curl",
    ending: "sh",
    filled: &[("$BASE", "{base}"), ("$KEY", "{key}")],
};
pub(super) static JAVASCRIPT: Language = Language {
    name: "JavaScript",
    ending: "mjs",
    filled: &[
        (
            "const { BASE, KEY } = process.env;",
            "const BASE = \"{base}\";\nconst KEY = \"{key}\";",
        ),
        ("const { BASE } = process.env;", "const BASE = \"{base}\";"),
    ],
};
pub(super) static PYTHON: Language = Language {
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
};

macro_rules! task {
    ($name:literal) => {
        Example::of(
            $name,
            [
                include_str!(concat!("examples/", $name, ".sh")),
                include_str!(concat!("examples/", $name, ".mjs")),
                include_str!(concat!("examples/", $name, ".py")),
            ],
        )
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

#[derive(Template)]
#[template(path = "docs/requests/curl.sh", escape = "none")]
struct Curl<'a>(&'a Request);

#[derive(Template)]
#[template(path = "docs/requests/javascript.mjs", escape = "none")]
struct JavaScript<'a>(&'a Request);

#[derive(Template)]
#[template(path = "docs/requests/python.py", escape = "none")]
struct Python<'a>(&'a Request);

/// The request of an operation.
struct Request {
    summary: &'static str,
    target: String,
    needs_key: bool,
}

/// Stands for the target of a request until the program is escaped.
const TARGET: &str = "\u{1}";

/// The request of an operation. The page rewrites its target when a reader enters parameters.
pub(super) fn request(operation: &Operation) -> Example {
    let request = Request {
        summary: operation.about.summary,
        target: TARGET.to_owned(),
        needs_key: !operation.scopes().is_empty(),
    };
    let programs = [
        written(&Curl(&request)),
        written(&JavaScript(&request)),
        written(&Python(&request)),
    ];
    let target = format!(
        "<span class=\"target\">{}</span>",
        escaped(&target(operation))
    );
    let mut example = Example::of(operation.about.id, programs.each_ref().map(String::as_str));
    for variant in &mut example.variants {
        variant.code = variant.code.replace(TARGET, &target);
    }
    example
}

/// The path of an operation, with an example of its parameter.
pub(super) fn target(operation: &Operation) -> String {
    let mut path = operation.route.path.to_string();
    for parameter in operation.parameters() {
        if parameter.location == "path" {
            let example = parameter.example.as_str().unwrap_or_default();
            path = path.replace(&format!("{{{}}}", parameter.name), example);
        }
    }
    path
}

fn written(program: &impl Template) -> String {
    let written = program.render();
    written.unwrap_or_else(|why| unreachable!("an example cannot be written: {why}"))
}

impl Example {
    fn of(name: &'static str, programs: [&str; 3]) -> Self {
        let [curl, javascript, python] = programs;
        let variant = |language: &'static Language, program| Variant {
            language,
            code: language.marked(program),
        };
        Self {
            name,
            variants: [
                variant(&CURL, curl),
                variant(&JAVASCRIPT, javascript),
                variant(&PYTHON, python),
            ],
        }
    }
}

impl Language {
    /// A program as HTML, with marks around the texts to replace once a key is pasted.
    fn marked(&self, program: &str) -> String {
        let mut code = String::new();
        let mut rest = program;
        while let Some((before, (read, filled))) = self.first_read(rest) {
            rest = &rest[before.len() + read.len()..];
            let (before, read, filled) = (escaped(before), escaped(read), escaped(filled));
            let mark = write!(code, "{before}<span data-filled=\"{filled}\">{read}</span>");
            mark.unwrap_or_else(|why| unreachable!("a text was not written: {why}"));
        }
        code + &escaped(rest)
    }

    /// The first of the `filled` texts in a program, and what comes before it.
    fn first_read<'p>(&self, program: &'p str) -> Option<(&'p str, (&'static str, &'static str))> {
        let found = self.filled.iter().filter_map(|&(read, filled)| {
            let (before, _) = program.split_once(read)?;
            Some((before, (read, filled)))
        });
        found.min_by_key(|(before, _)| before.len())
    }
}
