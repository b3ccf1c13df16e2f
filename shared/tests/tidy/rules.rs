//! The rules: pure functions of a file's path and text, so that each can be shown to fail.
//!
//! They look at code only, never at comments or texts in quotes, where every word is free; the
//! code is found by a scanner that knows no more of Rust than its comments and literals.

mod code;

pub(crate) use code::{code_of, is_of_name};

/// Unfinished work, written so that this file does not break its own rule.
const MARKERS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

/// Notes that lie outside of the repository, which readers do not have.
const OUTSIDE: [&str; 4] = [
    concat!("../", "shared"),
    concat!("design", ".md"),
    concat!("decisions", ".md"),
    concat!("models", ".md"),
];

/// A word of code that may stand in some places only.
struct Word {
    text: &'static str,
    kind: Kind,
    /// Paths without `.rs`: the module of that name and everything in its folder.
    homes: &'static [&'static str],
}

enum Kind {
    /// A crate: named at the start of a path, in `use` or in an attribute.
    Crate,
    /// An item, by the end of its path.
    Item,
}

const WORDS: [Word; 22] = [
    Word {
        text: "salvo",
        kind: Kind::Crate,
        homes: &[
            "server/src/cors",
            "server/src/http",
            "server/src/ops/admin",
            "server/src/serve",
            "server/src/wire",
            "server/tests",
            "server/benches",
        ],
    },
    Word {
        text: "duckdb",
        kind: Kind::Crate,
        homes: &["server/src/catalogue"],
    },
    Word {
        text: "arrow",
        kind: Kind::Crate,
        homes: &[
            "shared/src/release",
            "server/src/catalogue/fill.rs",
            "cli/import/src/schema/columns",
            "cli/import/src/source/readers/parquet",
            "cli/import/src/source/readers/tests/parquet",
            "cli/src/commands/export/tables",
            "cli/tests/cli/export/tables",
        ],
    },
    Word {
        text: "parquet",
        kind: Kind::Crate,
        homes: &[
            "shared/src/release",
            "cli/import/src/source/readers/parquet",
            "cli/import/src/source/readers/tests/parquet",
            "cli/src/commands/export/tables",
            "cli/tests/cli/export/tables",
        ],
    },
    Word {
        text: "clap",
        kind: Kind::Crate,
        homes: &["cli/src/args", "cli/src/commands", "cli/src/settings"],
    },
    Word {
        text: "indicatif",
        kind: Kind::Crate,
        homes: &["cli/src/terminal/progress"],
    },
    Word {
        text: "redis",
        kind: Kind::Crate,
        homes: &["server/src/limits/redis"],
    },
    Word {
        text: "jaq_core",
        kind: Kind::Crate,
        homes: &["cli/import/src/mapping/expression"],
    },
    Word {
        text: "jaq_json",
        kind: Kind::Crate,
        homes: &["cli/import/src/mapping/expression"],
    },
    Word {
        text: "jaq_std",
        kind: Kind::Crate,
        homes: &["cli/import/src/mapping/expression"],
    },
    Word {
        text: "pulldown_cmark",
        kind: Kind::Crate,
        homes: &["cli/import/src/mapping/functions/plain/markdown"],
    },
    Word {
        text: "toml",
        kind: Kind::Crate,
        homes: &[
            "cli/src/settings",
            "cli/import/src/mapping",
            "cli/import/src/suggest/system",
        ],
    },
    Word {
        text: "nix",
        kind: Kind::Crate,
        homes: &[
            "cli/import/src/mapping/watch",
            "cli/src/process/address_space",
            "cli/src/process/core_dump",
            "cli/import/src/source/tests/links",
            "cli/src/process/machine",
            "cli/src/process/operator",
            "cli/src/process/service_manager",
            "cli/src/process/stop",
            "cli/tests/cli/interrupted",
            "cli/tests/cli/pipe",
            "cli/tests/cli/process",
            "cli/tests/cli/service",
            "cli/tests/cli/signals",
            "shared/src/keys/sqlite/files",
            "shared/src/base/regular_file",
        ],
    },
    Word {
        text: "object_store",
        kind: Kind::Crate,
        homes: &["cli/src/remote/store", "shared/src/release/s3"],
    },
    Word {
        text: "reqwest",
        kind: Kind::Crate,
        homes: &[
            "cli/src/remote/images",
            "cli/src/remote/web",
            "shared/src/release/s3",
        ],
    },
    Word {
        text: "rusqlite",
        kind: Kind::Crate,
        homes: &["cli/src/remote/images/kept", "shared/src/keys"],
    },
    Word {
        text: "tokio_postgres",
        kind: Kind::Crate,
        homes: &["shared/src/keys/postgres"],
    },
    Word {
        text: "deadpool_postgres",
        kind: Kind::Crate,
        homes: &["shared/src/keys/postgres"],
    },
    Word {
        text: "tokio_postgres_rustls",
        kind: Kind::Crate,
        homes: &["shared/src/keys/postgres"],
    },
    Word {
        text: "rustls",
        kind: Kind::Crate,
        homes: &[
            "cli/src/remote",
            "server/src/limits/redis",
            "shared/src/keys/postgres",
            "shared/src/release",
        ],
    },
    Word {
        text: "SystemTime",
        kind: Kind::Item,
        homes: &["shared/src/base/clock"],
    },
    Word {
        text: "Instant::now",
        kind: Kind::Item,
        // Connections use the runtime's timers, which tests pause.
        homes: &[
            "shared/src/base/clock",
            "server/src/wire/connection",
            "server/benches",
            "cli/benches",
        ],
    },
];

/// What the file at `path`, relative to the repository, breaks: one line for people each.
pub(crate) fn broken_by(path: &str, text: &str) -> Vec<String> {
    let code = code_of(text);
    let broken = [head(text), markers(text), ignored_tests(text, &code)];
    let strayed = WORDS.iter().map(|word| strayed(word, path, &code));
    broken
        .into_iter()
        .chain(strayed)
        .flatten()
        .map(|rule| format!("{path}: {rule}"))
        .collect()
}

/// What lies outside of the repository and is named in the text of any file of it.
pub(crate) fn names_outside(text: &str) -> Option<&'static str> {
    // From two folders down it is the crate, which pages link to.
    let text = text.replace(concat!("../../", "shared"), "");
    OUTSIDE.into_iter().find(|name| text.contains(name))
}

/// The sources in a lock file that are not crates.io.
pub(crate) fn foreign_sources(lock: &str) -> Vec<&str> {
    lock.lines()
        .filter_map(|line| line.strip_prefix("source = "))
        .filter(|source| *source != r#""registry+https://github.com/rust-lang/crates.io-index""#)
        .collect()
}

fn head(text: &str) -> Option<String> {
    (!text.starts_with("//!"))
        .then(|| "does not begin with `//!`: what it is, why, what it must not do".to_owned())
}

fn markers(text: &str) -> Option<String> {
    let marker = MARKERS.iter().find(|marker| text.contains(**marker))?;
    Some(format!("has a {marker}: finish it"))
}

/// A test may be ignored only for a server that it needs, which `.ci/with-services` starts.
fn ignored_tests(text: &str, code: &str) -> Option<String> {
    let excused = text.matches("#[ignore = \"needs ").count();
    (excused < code.matches("#[ignore").count()).then(|| "ignores a test".to_owned())
}

fn strayed(word: &Word, path: &str, code: &str) -> Option<String> {
    let at_home = word.homes.iter().any(|home| {
        path.strip_prefix(home)
            .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
    });
    let named = code.match_indices(word.text).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + word.text.len()..]);
        let whole = !before.ends_with(is_of_name) && !after.starts_with(is_of_name);
        whole
            && match word.kind {
                Kind::Crate => is_crate(before, after),
                Kind::Item => true,
            }
    });
    (named && !at_home).then(|| {
        format!(
            "names `{}`, which belongs in {}",
            word.text,
            word.homes.join(", ")
        )
    })
}

/// Whether a name between these texts is that of a crate, not of a variable, field or module.
fn is_crate(before: &str, after: &str) -> bool {
    let before = before.trim_end();
    let inside_path = before.ends_with("::") && !opens_path(before);
    let imported = ["use", "crate", "#[", "#!["]
        .iter()
        .any(|opening| before.ends_with(opening));
    !inside_path && (after.trim_start().starts_with("::") || imported)
}

/// Whether the `::` at the end begins a path, as in `use ::name`.
fn opens_path(before: &str) -> bool {
    let path = before.trim_end_matches(':');
    path.ends_with(char::is_whitespace) || path.ends_with(['(', '{', '<', ',', '&'])
}

#[cfg(test)]
mod tests;
