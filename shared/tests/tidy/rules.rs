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

/// Crates that are named in some places only, at the start of a path, in `use` or in an attribute.
/// A place is a path without `.rs`: the module of that name and everything in its folder.
const CRATES: [(&str, &str); 20] = [
    (
        "salvo",
        "server/src/cors server/src/http server/src/ops/admin server/src/serve \
         server/src/wire server/tests server/benches",
    ),
    ("duckdb", "server/src/catalogue"),
    (
        "arrow",
        "shared/src/release server/src/catalogue/fill.rs cli/import/src/schema/columns \
         cli/import/src/source/readers/parquet cli/import/src/source/readers/tests/parquet \
         cli/src/commands/export/tables cli/tests/cli/export/tables",
    ),
    (
        "parquet",
        "shared/src/release cli/import/src/source/readers/parquet \
         cli/import/src/source/readers/tests/parquet cli/src/commands/export/tables \
         cli/tests/cli/export/tables",
    ),
    ("clap", "cli/src/args cli/src/commands cli/src/settings"),
    ("indicatif", "cli/src/terminal/progress"),
    ("redis", "server/src/limits/redis"),
    ("jaq_core", "cli/import/src/mapping/expression"),
    ("jaq_json", "cli/import/src/mapping/expression"),
    ("jaq_std", "cli/import/src/mapping/expression"),
    (
        "pulldown_cmark",
        "cli/import/src/mapping/functions/plain/markdown",
    ),
    (
        "toml",
        "cli/src/settings cli/import/src/mapping cli/import/src/suggest/system",
    ),
    (
        "nix",
        "cli/import/src/mapping/watch cli/src/process/address_space cli/src/process/core_dump \
         cli/import/src/source/tests/links cli/src/process/machine cli/src/process/operator \
         cli/src/process/service_manager cli/src/process/stop cli/tests/cli/interrupted \
         cli/tests/cli/pipe cli/tests/cli/process cli/tests/cli/service cli/tests/cli/signals \
         shared/src/keys/sqlite/files shared/src/base/regular_file",
    ),
    ("object_store", "cli/src/remote/store shared/src/release/s3"),
    (
        "reqwest",
        "cli/src/remote/images cli/src/remote/web shared/src/release/s3",
    ),
    ("rusqlite", "cli/src/remote/images/kept shared/src/keys"),
    ("tokio_postgres", "shared/src/keys/postgres"),
    ("deadpool_postgres", "shared/src/keys/postgres"),
    ("tokio_postgres_rustls", "shared/src/keys/postgres"),
    (
        "rustls",
        "cli/src/remote server/src/limits/redis shared/src/keys/postgres shared/src/release",
    ),
];

/// The same of items, by the end of their path. Connections use the runtime's timers, which tests
/// pause.
const ITEMS: [(&str, &str); 2] = [
    ("SystemTime", "shared/src/base/clock"),
    (
        "Instant::now",
        "shared/src/base/clock server/src/wire/connection server/benches cli/benches",
    ),
];

/// What the file at `path`, relative to the repository, breaks: one line for people each.
pub(crate) fn broken_by(path: &str, text: &str) -> Vec<String> {
    let code = code_of(text);
    let broken = [head(text), markers(text), ignored_tests(text, &code)];
    let crates = CRATES.map(|word| strayed(word, path, &code, is_crate));
    let items = ITEMS.map(|word| strayed(word, path, &code, |_before, _after| true));
    broken
        .into_iter()
        .chain(crates)
        .chain(items)
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

fn strayed(
    (word, homes): (&str, &str),
    path: &str,
    code: &str,
    is_meant: impl Fn(&str, &str) -> bool,
) -> Option<String> {
    let at_home = homes.split(' ').any(|home| {
        path.strip_prefix(home)
            .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
    });
    let named = code.match_indices(word).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + word.len()..]);
        let whole = !before.ends_with(is_of_name) && !after.starts_with(is_of_name);
        whole && is_meant(before, after)
    });
    let homes = homes.replace(' ', ", ");
    (named && !at_home).then(|| format!("names `{word}`, which belongs in {homes}"))
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
