//! The requests to send: kinds that take turns.

use std::net::SocketAddr;

use anyhow::{Context as _, ensure};

/// Paths that are requested in order, starting over after the last.
pub(crate) struct Kind {
    name: String,
    weight: usize,
    /// Each a path, and the `ETag`s that its response may have.
    lines: Vec<String>,
    next: usize,
}

/// One request.
pub(crate) struct Asked {
    /// The index of its kind.
    pub(crate) kind: usize,
    pub(crate) head: String,
    /// The response must have one of these `ETag`s; if empty, any will do.
    pub(crate) etags: Vec<String>,
}

/// All kinds, in turns.
pub(crate) struct Kinds {
    all: Vec<Kind>,
    /// Indices of kinds, each as often as its weight.
    turns: Vec<usize>,
    /// What follows the path in a request: one of these, in turn.
    heads: Vec<String>,
    asked: usize,
}

impl Kind {
    /// Reads `NAME=WEIGHT=TARGETS_FILE` and the file.
    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        let wrong = || format!("{text} is no name=weight=file");
        let (name, rest) = text.split_once('=').with_context(wrong)?;
        let (weight, file) = rest.split_once('=').with_context(wrong)?;
        let lines = read_lines(file)?;
        Ok(Self {
            name: name.to_owned(),
            weight: weight.parse().with_context(wrong)?,
            lines,
            next: 0,
        })
    }

    fn next(&mut self) -> &str {
        let line = &self.lines[self.next];
        self.next = (self.next + 1) % self.lines.len();
        line
    }
}

impl Kinds {
    pub(crate) fn new(kinds: Vec<Kind>, to: SocketAddr, heads: &str) -> anyhow::Result<Self> {
        let turns = kinds.iter().enumerate();
        let turns: Vec<usize> = turns
            .flat_map(|(place, kind)| std::iter::repeat_n(place, kind.weight))
            .collect();
        ensure!(!turns.is_empty(), "there is nothing to ask for");
        let heads = read_lines(heads)?.into_iter();
        let heads =
            heads.map(|head| format!(" HTTP/1.1\r\nHost: {to}\r\nAuthorization: {head}\r\n\r\n"));
        Ok(Self {
            all: kinds,
            turns,
            heads: heads.collect(),
            asked: 0,
        })
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.all.iter().map(|kind| kind.name.as_str()).collect()
    }

    /// The next request.
    pub(crate) fn next(&mut self) -> Asked {
        let kind = self.turns[self.asked % self.turns.len()];
        let head = &self.heads[self.asked % self.heads.len()];
        self.asked += 1;
        let mut words = self.all[kind].next().split(' ');
        let path = words.next().unwrap_or_default();
        Asked {
            kind,
            head: format!("GET {path}{head}"),
            etags: words.map(str::to_owned).collect(),
        }
    }
}

fn read_lines(file: &str) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("could not read {file}"))?;
    ensure!(!text.is_empty(), "{file} is empty");
    Ok(text.lines().map(str::to_owned).collect())
}
