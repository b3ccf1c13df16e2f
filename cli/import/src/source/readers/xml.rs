//! Reads XML: the elements at certain paths are records, each an object.
//!
//! An attribute becomes a member `@name`. A child becomes a member with its name; several children
//! of the same name become a list, as does a single one whose name is declared to be a list. The
//! text of an element becomes a text, or null if there is none; if the element has attributes or
//! children, its text is under `#text`. Where words stand beside elements of HTML, the text is HTML:
//! it has the elements, and they are no children. White space around texts is dropped. Only XML's five
//! predefined entities are known: no declaration in the document is followed, and nothing expands.

mod element;

use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::errors::{Error, SyntaxError};
use quick_xml::escape::{partial_escape, resolve_predefined_entity};
use quick_xml::events::{BytesDecl, BytesRef, BytesStart, Event};

use self::element::Element;
use super::bounded::{Bounded, Progress, unread};
use super::{DEPTH_MAX, FileError, RecordText, RecordsPath, Visit, corrupt, truncated};
use crate::source::encoding::{Encoding, UnknownEncoding};

/// Hands every element at one of the paths in `records` to `visit`; returns the indices of the
/// paths that the document does not have.
///
/// Each of `records` consists of the names of elements from the root. If it is empty, the document
/// itself is the only record. Children with a name in `lists` become lists.
pub(crate) fn read(
    reader: impl BufRead,
    records: &[RecordsPath],
    lists: &[String],
    visit: &mut Visit<'_>,
) -> Result<Vec<usize>, FileError> {
    let progress = Progress::new();
    let stopped = |source| unread(source, progress.line());
    let reader = Bounded::new(reader, &progress).map_err(stopped)?;
    let mut reader = Reader::from_reader(reader);
    let mut walk = Walk {
        progress: &progress,
        records,
        lists,
        visit,
        seen: vec![false; records.len()],
        path: Vec::new(),
        has_root: false,
        line: 1,
        list: None,
        open: Vec::new(),
        markup: String::new(),
        nodes: 0,
    };
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        if walk.open.is_empty() {
            progress.begin(0);
            walk.line = progress.line();
            walk.nodes = 0;
        }
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) => break,
            Ok(event) => walk.event(event)?,
            Err(error) => return Err(walk.stop(error)),
        }
    }
    if !walk.path.is_empty() || !walk.has_root {
        let message = "the document ends before it is complete";
        return Err(truncated(progress.line(), message));
    }
    let seen = walk.seen.iter().enumerate();
    Ok(seen.filter(|(_, seen)| !**seen).map(|(at, _)| at).collect())
}

struct Walk<'w, 'v> {
    progress: &'w Progress,
    records: &'w [RecordsPath],
    lists: &'w [String],
    visit: &'w mut Visit<'v>,
    /// For every path in `records`, whether the document has it.
    seen: Vec<bool>,
    /// The names of the open elements.
    path: Vec<String>,
    has_root: bool,
    /// The line where the event, or the open record, begins.
    line: u64,
    /// The index of the open record's path.
    list: Option<usize>,
    /// The open elements of the open record, from the record itself inwards.
    open: Vec<Element>,
    /// The contents of the open record as HTML, but for attributes.
    markup: String,
    /// The number of elements and attributes of the open record.
    nodes: usize,
}

impl Walk<'_, '_> {
    fn event(&mut self, event: Event<'_>) -> Result<(), FileError> {
        match event {
            Event::Decl(declaration) => self.declaration(&declaration)?,
            Event::Start(start) => self.start(&start)?,
            Event::Empty(start) => {
                self.start(&start)?;
                self.end()?;
            }
            Event::End(_) => self.end()?,
            Event::Text(text) => self.text(&text.xml10_content()),
            Event::CData(text) => self.text(&text.xml10_content()),
            Event::GeneralRef(reference) => self.reference(&reference)?,
            Event::Comment(_) | Event::PI(_) | Event::DocType(_) | Event::Eof => {}
        }
        Ok(())
    }

    fn reference(&mut self, reference: &BytesRef<'_>) -> Result<(), FileError> {
        let resolved = reference.resolve_char_ref();
        let resolved = resolved.map_err(|error| self.stop(error))?;
        let name: &str = reference;
        match (resolved, resolve_predefined_entity(name)) {
            (Some(character), _) => self.text(character.encode_utf8(&mut [0; 4])),
            (None, Some(text)) => self.text(text),
            (None, None) => return Err(self.corrupt(&format!("the entity &{name}; is not known"))),
        }
        Ok(())
    }

    fn declaration(&self, declaration: &BytesDecl<'_>) -> Result<(), FileError> {
        let encoding = declaration.encoding().and_then(Result::ok);
        let encoding = encoding.unwrap_or_else(|| "UTF-8".into());
        if Encoding::parse(&encoding) != Err(UnknownEncoding::Unknown) {
            return Ok(());
        }
        Err(self.corrupt(&format!(
            "the encoding is {encoding}, which is not known: save the file as UTF-8"
        )))
    }

    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), FileError> {
        if self.path.is_empty() && self.has_root {
            return Err(self.corrupt("the document has a second root element"));
        }
        if DEPTH_MAX <= self.path.len() {
            let message = format!("elements are nested more than {DEPTH_MAX} deep");
            return Err(self.corrupt(&message));
        }
        self.has_root = true;
        self.path.push(start.name().as_ref().to_owned());
        let place = self.records.iter().position(|path| path.is(&self.path));
        if let Some(place) = place {
            self.seen[place] = true;
        }
        let is_record = place.is_some() || (self.records.is_empty() && self.path.len() == 1);
        if !self.open.is_empty() || is_record {
            let element = Element::new(start, &mut self.nodes);
            let element = element.map_err(|message| self.corrupt(&message))?;
            let name = start.local_name();
            let name: &str = name.as_ref();
            if let Some(parent) = self.open.last_mut() {
                parent.note_child(name);
            } else {
                self.list = place;
                self.markup.clear();
            }
            self.markup.extend(["<", name, ">"]);
            self.open.push(element.inside(self.markup.len()));
        }
        Ok(())
    }

    fn text(&mut self, text: &str) {
        if let Some(element) = self.open.last_mut() {
            element.write(text);
            self.markup.push_str(&partial_escape(text));
        }
    }

    fn end(&mut self) -> Result<(), FileError> {
        let name = self.path.pop().unwrap_or_default();
        let Some(element) = self.open.pop() else {
            return Ok(());
        };
        let value = element.finish(&self.markup);
        let local = name.rsplit(':').next().unwrap_or_default();
        if !["br", "hr"].contains(&local) {
            self.markup.extend(["</", local, ">"]);
        }
        if let Some(parent) = self.open.last_mut() {
            let is_list = self.lists.contains(&name);
            parent.add(name, value, is_list);
            return Ok(());
        }
        let text = value.to_string();
        let record = RecordText {
            start: self.line.into(),
            list: self.list,
            is_counted: self.list.is_some(),
            text: &text,
        };
        (self.visit)(Ok(record)).map_err(FileError::Failed)
    }

    fn corrupt(&self, message: &str) -> FileError {
        corrupt(self.progress.line(), message)
    }

    fn stop(&self, error: Error) -> FileError {
        let line = self.progress.line();
        match error {
            Error::Io(source) => match std::sync::Arc::try_unwrap(source) {
                Ok(source) => unread(source, line),
                Err(shared) => unread(shared.kind().into(), line),
            },
            Error::Syntax(SyntaxError::InvalidBangMarkup) => {
                self.corrupt("the document is not valid XML: it has an unknown `<!`")
            }
            Error::Syntax(error) => truncated(line, format!("the document is cut: {error}")),
            other => self.corrupt(&format!("the document is not valid XML: {other}")),
        }
    }
}
