//! The rules of the whole repository that neither the compiler nor clippy checks.
//!
//! A rule that is not checked erodes: which crate may be named where, how a file begins. The rules
//! themselves are pure functions in `rules`, tested there; this file finds the sources and must not
//! know any rule. It belongs to `shared` because that crate builds fastest.

mod arrows;
mod rules;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Asked when the tests run: two checkouts that share a target directory share this binary too.
fn repository() -> PathBuf {
    let member = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let member = member.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    member
        .parent()
        .expect("the crate lies in the workspace")
        .to_owned()
}

/// What is no part of the repository, though it may lie at its root.
const ELSEWHERE: [&str; 3] = [".git", "target", "catalogue-data"];

/// What may lie at the top besides hidden files: everything else belongs to a member, beside what
/// it is about.
const TOP: [&str; 13] = [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "Makefile",
    "README.md",
    "SECURITY.md",
    "cli",
    "fixtures",
    "rust-toolchain.toml",
    "server",
    "shared",
    "snapshots",
];

/// Every file below `directory`, sorted.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("a readable directory") {
        let path = entry.expect("a readable entry").path();
        match path.is_dir() {
            true if ELSEWHERE.iter().any(|name| path.ends_with(name)) => {}
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

/// Programs that the documentation shows. Others compile them, with what they depend on.
const SHOWN: &str = "http/docs/clients";

/// Every Rust source below `directory`, sorted.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut found = files(directory);
    found.retain(|path| {
        let is_shown = path.parent().is_some_and(|folder| folder.ends_with(SHOWN));
        path.extension().is_some_and(|extension| extension == "rs") && !is_shown
    });
    found
}

#[test]
fn every_source_keeps_the_rules() {
    let repository = repository();
    let files: Vec<PathBuf> = ["cli", "server", "shared"]
        .iter()
        .flat_map(|member| sources(&repository.join(member)))
        .collect();
    let itself = repository.join("shared/tests/tidy/main.rs");
    assert!(files.contains(&itself), "the walk finds the sources");

    let broken: Vec<String> = files
        .iter()
        .flat_map(|file| {
            let text = fs::read_to_string(file).expect("a readable source");
            let path = file
                .strip_prefix(&repository)
                .expect("below the repository");
            rules::broken_by(&path.to_string_lossy(), &text)
        })
        .collect();
    assert!(
        broken.is_empty(),
        "{} broken rules:\n{}",
        broken.len(),
        broken.join("\n")
    );
}

#[test]
fn arrows_between_rooms_point_one_way() {
    let repository = repository();
    for house in &arrows::HOUSES {
        let folder = repository.join(house.sources);
        let sources: Vec<(String, String)> = sources(&folder)
            .iter()
            .map(|file| {
                let path = file.strip_prefix(&folder).expect("below its folder");
                let text = fs::read_to_string(file).expect("a readable source");
                (path.to_string_lossy().into_owned(), text)
            })
            .collect();
        assert!(!sources.is_empty(), "{} has sources", house.sources);
        let broken = house.broken_by(&sources);
        assert!(broken.is_empty(), "{}", broken.join("\n"));
    }
}

#[test]
fn no_file_names_what_the_repository_does_not_have() {
    let repository = repository();
    let files = files(&repository);
    assert!(files.contains(&repository.join("README.md")));
    let broken: Vec<String> = files
        .iter()
        .filter_map(|file| {
            let text = fs::read(file).expect("a readable file");
            let name = rules::names_outside(&String::from_utf8_lossy(&text))?;
            Some(format!("{}: names `{name}`", file.display()))
        })
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_top_holds_only_what_people_look_for_there() {
    let entries = fs::read_dir(repository()).expect("a readable directory");
    let names = entries.map(|entry| entry.expect("a readable entry").file_name());
    let unexpected: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.') && !name.starts_with("LICENSE-"))
        .filter(|name| !TOP.contains(&name.as_str()) && !ELSEWHERE.contains(&name.as_str()))
        .collect();
    assert!(unexpected.is_empty(), "not at the top: {unexpected:?}");
}
