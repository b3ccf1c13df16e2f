//! Requests with their responses, as snapshots show them: a heading with the status and what the
//! exchange shows, the request, and the whole response.
//!
//! No response is shown twice: instead of a second copy, a snapshot refers to the heading of the
//! first. The headings make the index of all snapshots, `snapshots/README.md`.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::answer::{Answer, check_text};
use crate::app::Ask;

/// The folder of all crates' snapshots.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots");
/// The start of a heading.
const HEADING: &str = "## ";
/// Comes before the reference to an equal response.
const SAME: &str = "The same answer as ";

/// A request and its response.
pub(crate) struct Exchange {
    /// The status, the code of an error, and what the exchange shows.
    pub(crate) heading: String,
    /// Method, path and the header fields that matter.
    pub(crate) request: String,
    /// The response, or a reference to an exchange with the same response.
    pub(crate) answer: String,
}

impl Exchange {
    fn is_whole(&self) -> bool {
        !self.answer.starts_with(SAME)
    }

    /// The response, unless this only refers to one.
    pub(crate) fn answer(&self) -> Option<Answer> {
        self.is_whole().then(|| Answer::read(&self.answer))
    }

    /// Where the response is shown, if this only refers to it: the heading there, and the name of
    /// the snapshot if it is another one.
    pub(crate) fn reference(&self) -> Option<(&str, Option<&str>)> {
        let place = self.answer.strip_prefix(SAME)?.strip_prefix('`')?;
        let (heading, rest) = place.rsplit_once('`')?;
        let name = rest.strip_prefix(" in ");
        Some((heading, name.and_then(|name| name.strip_suffix(".snap."))))
    }

    /// The path of the request, without a query.
    pub(crate) fn path(&self) -> &str {
        let target = self.request.split([' ', '\n']).nth(1).unwrap();
        target.split('?').next().unwrap()
    }
}

/// The exchanges of one snapshot, in the order of their statuses.
#[derive(Default)]
pub(crate) struct Exchanges {
    pub(crate) all: Vec<Exchange>,
    /// Responses that were already shown, with a reference to each.
    known: Vec<(String, String)>,
}

impl Exchanges {
    /// No exchanges yet. A response that one of these other snapshots shows will only be referred
    /// to.
    pub(crate) fn beside(others: &[(&str, Self)]) -> Self {
        let others = others.iter();
        let known = others.flat_map(|(name, others)| {
            let whole = others.all.iter().filter(|other| other.is_whole());
            whole.map(move |other| {
                let place = format!("`{}` in {name}.snap", other.heading);
                (place, other.answer.clone())
            })
        });
        Self {
            all: Vec::new(),
            known: known.collect(),
        }
    }

    /// Sends a request and adds the exchange; `shown` says what it shows.
    pub(crate) async fn add(&mut self, shown: &str, ask: Ask<'_>) -> Answer {
        let request = ask.text();
        let answer = ask.send().await;
        self.put(shown, request, &answer);
        answer
    }

    /// Adds the exchange of a request that was sent in another way.
    pub(crate) fn put(&mut self, shown: &str, request: String, answer: &Answer) {
        self.put_text(shown, request, answer, &answer.text());
    }

    /// The same, but shows only this part of the response.
    pub(crate) fn put_text(&mut self, shown: &str, request: String, answer: &Answer, text: &str) {
        let status = answer.status;
        let heading = match answer.error_code() {
            Some(code) => format!("{status} {code}: {shown}"),
            None => format!("{status}: {shown}"),
        };
        let answer = text.trim_end().to_owned();
        let same = self.known.iter().find(|(_, known)| *known == answer);
        let answer = if let Some((place, _)) = same {
            format!("{SAME}{place}.")
        } else {
            self.known.push((format!("`{heading}`"), answer.clone()));
            answer
        };
        self.all.push(Exchange {
            heading,
            request,
            answer,
        });
    }

    /// Compares the exchanges with the snapshot of that name; `about` is the snapshot's
    /// description.
    pub(crate) fn check(&self, name: &str, about: &str) {
        let mut text = String::new();
        for exchange in &self.all {
            let (request, answer) = (exchange.request.trim_end(), &exchange.answer);
            let heading = &exchange.heading;
            write!(text, "{HEADING}{heading}\n{request}\n\n{answer}\n\n").unwrap();
        }
        check_text(name, about, text.trim_end());
    }
}

/// A snapshot file.
pub(crate) struct Snapshot {
    /// Its path in the folder.
    pub(crate) path: String,
    /// Its description; empty if it has none.
    about: String,
    pub(crate) text: String,
}

impl Snapshot {
    /// Its exchanges; empty if it shows something else.
    pub(crate) fn exchanges(&self) -> Vec<Exchange> {
        let Some(text) = self.text.strip_prefix(HEADING) else {
            return Vec::new();
        };
        let blocks = text.split("\n\n## ");
        blocks
            .map(|block| {
                let (heading, rest) = block.split_once('\n').unwrap();
                let (request, answer) = rest.split_once("\n\n").unwrap();
                Exchange {
                    heading: heading.to_owned(),
                    request: request.to_owned(),
                    answer: answer.trim_end().to_owned(),
                }
            })
            .collect()
    }
}

/// Whether tests rewrite the snapshots. While they do, some files may be missing.
pub(crate) fn is_writing() -> bool {
    std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always")
}

/// All snapshots, sorted by path. It searches the folder, so none can be forgotten.
pub(crate) fn snapshots() -> Vec<Snapshot> {
    let (mut folders, mut found) = (vec![Path::new(FOLDER).to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "snap") {
                let whole = fs::read_to_string(&path).unwrap();
                let (head, text) = whole[4..].split_once("\n---\n").unwrap();
                let mut lines = head.lines();
                let about = lines.find_map(|line| line.strip_prefix("description: "));
                let path = path.strip_prefix(FOLDER).unwrap();
                found.push(Snapshot {
                    path: path.to_str().unwrap().to_owned(),
                    about: about.unwrap_or_default().trim_matches('"').to_owned(),
                    text: text.to_owned(),
                });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

fn index() -> String {
    let mut text = "\
# Snapshots

What the service answers and what the command prints, as tests compare with it. `INSTA_UPDATE=always` writes them anew, \
         this index at the second run.

- [`server`](server): what the service answers, below
- [`cli`](cli): what the command prints, by test and case

"
    .to_owned();
    for snapshot in snapshots() {
        let Some(name) = snapshot.path.strip_prefix("server/") else {
            continue;
        };
        assert!(
            !snapshot.about.is_empty(),
            "{name} does not say what it is about"
        );
        writeln!(text, "## [{name}](server/{name})\n\n{}\n", snapshot.about).unwrap();
        let exchanges = snapshot.exchanges();
        for exchange in &exchanges {
            let request = exchange.request.lines().next().unwrap();
            let heading = exchange.heading.replacen(": ", ", ", 1);
            writeln!(text, "- {heading}: `{request}`").unwrap();
        }
        if !exchanges.is_empty() {
            text.push('\n');
        }
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

#[expect(
    clippy::disallowed_methods,
    reason = "an index that is lost is made again"
)]
#[test]
fn the_index_names_every_answer() {
    let (path, index) = (Path::new(FOLDER).join("README.md"), index());
    if is_writing() {
        fs::write(path, index).unwrap();
        return;
    }
    let written = fs::read_to_string(path).unwrap();
    assert_eq!(written, index, "INSTA_UPDATE=always writes the index");
}

#[test]
fn no_answer_stands_twice() {
    if is_writing() {
        return;
    }
    let mut seen = Vec::<(String, String)>::new();
    for snapshot in snapshots() {
        for exchange in snapshot.exchanges() {
            let place = format!("{} in {}", exchange.heading, snapshot.path);
            if !exchange.is_whole() {
                continue;
            }
            let other = seen.iter().find(|(_, answer)| *answer == exchange.answer);
            assert!(other.is_none(), "{place} is {}", other.unwrap().0);
            seen.push((place, exchange.answer));
        }
    }
}
