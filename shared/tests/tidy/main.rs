//! The rules of the whole repository that neither the compiler nor clippy checks.
//!
//! A rule that nobody checks erodes: which crate may be named where, how long a file may be, how it
//! begins. The rules themselves are pure functions in `rules`, tested there; this file finds the
//! sources and must not know any rule. It belongs to `shared` because that crate builds fastest.

mod rules;

use std::fs;
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate lies in the workspace")
        .to_owned()
}

/// Every Rust source below `directory`, sorted.
fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("a readable directory") {
        let path = entry.expect("a readable entry").path();
        match path.extension() {
            _ if path.is_dir() => found.extend(sources(&path)),
            Some(extension) if extension == "rs" => found.push(path),
            _ => {}
        }
    }
    found.sort();
    found
}

#[test]
fn every_source_keeps_the_rules() {
    let repository = repository();
    let files: Vec<PathBuf> = ["cli", "server", "shared"]
        .iter()
        .flat_map(|member| sources(&repository.join(member)))
        .collect();
    let itself = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tidy/main.rs");
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
fn every_dependency_comes_from_crates_io() {
    let lock = fs::read_to_string(repository().join("Cargo.lock")).expect("a lock file");
    let elsewhere: Vec<&str> = rules::foreign_sources(&lock);
    assert!(
        elsewhere.is_empty(),
        "dependencies from elsewhere: {elsewhere:?}"
    );
}
