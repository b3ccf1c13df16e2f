//! Finds the lists of records in a document of JSON or XML, from the beginning of the document.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use jiter::{Jiter, JiterResult, Peek};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::named::is_name_of_field;
use super::status::is_of_withheld;
use crate::mapping::folded::words;
use crate::mapping::in_path;
use crate::source::{self, Encoding, Export, Format, Incoming, Plan, ReadContext};

/// How much of a document is looked at, in bytes.
const HEAD_BYTES: u64 = 256 * 1024;
/// How many levels deep lists are looked for.
const DEPTH_MAX: usize = 6;
/// How many elements with different paths are looked at.
const ELEMENTS_MAX: usize = 500;
/// Words in names of lists that probably contain boats.
const BOATS: [&str; 6] = ["boat", "yacht", "vessel", "model", "product", "item"];
/// Names of elements that are records, even if there is only one.
const RECORDS: [&str; 18] = [
    "ad", "advert", "angebot", "annonce", "annuncio", "anuncio", "barca", "barco", "bateau",
    "boat", "boot", "entry", "inserat", "item", "listing", "product", "vessel", "yacht",
];

/// The paths of the lists in the first document, as mappings write them, the likeliest first. Empty
/// if the whole document is a list, or not of JSON or XML.
pub(super) fn find(
    format: Format,
    exports: &[Export],
    temp_dir: &Path,
) -> anyhow::Result<Vec<String>> {
    let lists_of = match format {
        Format::Json => lists,
        Format::Xml => elements,
        _ => return Ok(Vec::new()),
    };
    let plan = Plan::beginnings(HEAD_BYTES);
    let context = ReadContext {
        temp_dir,
        progress: &(),
    };
    let mut paths = Vec::new();
    source::read(exports, &mut io::empty(), context, &plan, &mut |incoming| {
        if let Incoming::Head(_, head) = incoming
            && paths.is_empty()
        {
            paths = lists_of(head);
        }
        Ok(())
    })?;
    Ok(paths)
}

fn lists(head: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    // A document longer than [`HEAD_BYTES`] is cut, so reading it ends in an error.
    _ = search(&mut Jiter::new(head), &mut Vec::new(), &mut found);
    let is_likely = |path: &String| BOATS.iter().any(|word| path.to_lowercase().contains(word));
    found.sort_by_key(|path| (is_of_withheld(path), !is_likely(path)));
    found
}

/// Looks for lists of objects in the value at a path. Of each list only the first member is looked
/// at, and not within.
fn search(
    json: &mut Jiter<'_>,
    path: &mut Vec<String>,
    found: &mut Vec<String>,
) -> JiterResult<()> {
    let peek = json.peek()?;
    match peek {
        Peek::Object if path.len() < DEPTH_MAX => {
            let owned = |key: &str| in_path(key).into_owned();
            let mut key = json.known_object()?.map(owned);
            while let Some(name) = key {
                path.push(name);
                search(json, path, found)?;
                path.pop();
                key = json.next_key()?.map(owned);
            }
            Ok(())
        }
        Peek::Array => {
            let mut member = json.known_array()?;
            if member == Some(Peek::Object) && !path.is_empty() {
                found.push(path.join("."));
            }
            while let Some(peek) = member {
                json.known_skip(peek)?;
                member = json.array_step()?;
            }
            Ok(())
        }
        _ => json.known_skip(peek),
    }
}

/// An element that has others or attributes, once for each path.
struct Element {
    path: Vec<String>,
    /// Whether one element has several of it, or it is called like a record.
    is_of_list: bool,
    /// What is within: names of attributes and elements, at any depth.
    names: BTreeSet<String>,
}

impl Element {
    /// How likely it is a boat to show: by the names around it, its fields, its name, and all that
    /// it has.
    fn likeness(&self) -> (bool, usize, bool, usize) {
        let is_field = |name: &&String| is_name_of_field(local(name));
        let fields = self.names.iter().filter(is_field).count();
        let is_record = self.path.last().is_some_and(|name| is_record(name));
        let is_withheld = self.path.iter().any(|name| is_of_withheld(local(name)));
        (
            2 < fields && !is_withheld,
            fields,
            is_record,
            self.names.len(),
        )
    }
}

fn is_record(name: &str) -> bool {
    RECORDS.contains(&words(local(name)).join(" ").as_str())
}

/// A name without the prefix of its namespace.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// The paths of the elements that are records, and not within others. A document that is cut ends
/// in an error, and what is open there counts as well.
fn elements(head: &[u8]) -> Vec<String> {
    let text = match Encoding::of_xml(head) {
        Some(encoding) => encoding.decode_head(head),
        None => String::from_utf8_lossy(head).into_owned(),
    };
    let mut reader = Reader::from_str(&text);
    let mut found: Vec<Element> = Vec::new();
    // The open elements: the name of each, and those of its children.
    let mut open: Vec<(String, BTreeSet<String>)> = Vec::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => begin(&start, &mut open, &mut found),
            Ok(Event::Empty(start)) => {
                begin(&start, &mut open, &mut found);
                open.pop();
            }
            Ok(Event::End(_)) => _ = open.pop(),
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    found.retain(|element| element.is_of_list && !element.names.is_empty());
    found.sort_by_key(|element| Reverse(element.likeness()));
    let mut records: Vec<&[String]> = Vec::new();
    for Element { path, .. } in &found {
        let is_apart = |known: &&[String]| !path.starts_with(known) && !known.starts_with(path);
        if records.iter().all(is_apart) {
            records.push(path);
        }
    }
    let written = |path: &[String]| {
        let names: Vec<_> = path.iter().map(|name| in_path(name)).collect();
        names.join(".")
    };
    records.into_iter().map(written).collect()
}

/// Notes an element that begins within the open ones.
fn begin(
    start: &BytesStart<'_>,
    open: &mut Vec<(String, BTreeSet<String>)>,
    found: &mut Vec<Element>,
) {
    let name: String = start.name().as_ref().to_owned();
    let again = open
        .last_mut()
        .is_some_and(|(_, names)| !names.insert(name.clone()));
    let is_of_list = again || (!open.is_empty() && is_record(&name));
    open.push((name, BTreeSet::new()));
    if DEPTH_MAX < open.len() {
        return;
    }
    let path: Vec<String> = open.iter().map(|(name, _)| name.clone()).collect();
    let mut own = start.attributes();
    let own = own
        .with_checks(false)
        .flatten()
        .map(|attribute| format!("@{}", attribute.key.as_ref()));
    let own: Vec<String> = own.collect();
    for around in found.iter_mut() {
        if around.path.len() < path.len() && path.starts_with(&around.path) {
            around
                .names
                .extend(path.last().into_iter().chain(&own).cloned());
        }
    }
    let has_room = found.len() < ELEMENTS_MAX;
    match found.iter_mut().find(|element| element.path == path) {
        Some(element) => {
            element.is_of_list |= is_of_list;
            element.names.extend(own);
        }
        None if has_room => found.push(Element {
            path,
            is_of_list,
            names: own.into_iter().collect(),
        }),
        None => {}
    }
}
