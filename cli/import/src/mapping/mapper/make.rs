//! The second pass: native records from the records that were set aside.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use super::distinct::Likeness;
use super::field::{Failure, Making, list};
use super::followed::Followed;
use super::images::with_sizes;
use super::subject::Subject;
use super::{Mapper, rules_for};
use crate::finding::Kind;
use crate::mapping::check::{Checker, Looked};
use crate::mapping::definition::{Emit, Rest};
use crate::mapping::documents::Document;
use crate::mapping::expression::Jq;
use crate::mapping::index::Index;
use crate::mapping::worker::Pieces;

/// Bytes of made records above which they are handed over.
const PIECE_BYTES: usize = 1024 * 1024;

/// Watches what becomes of each field.
pub(in crate::mapping) trait Observe {
    /// A field of a record of a rule of the mapping, by its place, came to this.
    fn field(&mut self, rule: usize, path: &str, value: Result<&Jq, &str>);
}

/// A native record that was made.
pub(super) struct Native<'e> {
    /// Its JSON.
    pub(super) text: String,
    /// Where the values of its members stand in it, but for its kind.
    pub(super) members: Vec<(&'e str, Range<usize>)>,
    /// The addresses of images that it lacks because they have no size.
    pub(super) left_out: Vec<String>,
}

/// What the mapping made of records that follow each other.
#[derive(Default)]
pub(in crate::mapping) struct Piece {
    /// How many they were.
    pub(in crate::mapping) records: u64,
    pub(super) applied: Vec<Applied>,
    pub(super) followed: Followed,
    /// What they tell about the mapping, where it is to be known.
    pub(super) checker: Option<Checker>,
    bytes: usize,
}

/// What a rule made of a record, or of each of its inputs.
pub(super) struct Applied {
    pub(super) rule: usize,
    pub(super) place: usize,
    pub(super) made: Vec<Result<Made, Vec<Failure>>>,
}

/// A native record on its way to where its order is known.
pub(super) struct Made {
    pub(super) text: String,
    /// Where a record with an id that was made already is passed over.
    pub(super) likeness: Option<Likeness>,
    /// The addresses of images that it lacks because they have no size.
    pub(super) left_out: Vec<String>,
}

impl Native<'_> {
    /// A record without members.
    pub(super) fn new(kind: Kind) -> Self {
        Self {
            text: format!("{{\"kind\":\"{}\"", kind.as_str()),
            members: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Leaves images without a size out of the value of a member, which starts at `start`; gives
    /// whether anything is left of it.
    fn keep_sized(&mut self, kind: Kind, name: &str, start: usize) -> bool {
        match with_sizes(kind, name, &self.text[start..], &mut self.left_out) {
            None => false,
            Some(Cow::Borrowed(_all)) => true,
            Some(Cow::Owned(some)) => {
                self.text.truncate(start);
                self.text.push_str(&some);
                true
            }
        }
    }

    /// The JSON of a member.
    pub(super) fn member(&self, name: &str) -> &str {
        let mut members = self.members.iter();
        let member = members.find(|(member, _)| *member == name);
        member.map_or("null", |(_, value)| &self.text[value.clone()])
    }
}

impl Mapper {
    /// What the mapping makes of the records at some places. A checker watches it where that
    /// `is_checked`.
    pub(in crate::mapping) fn make_all(
        &mut self,
        index: Arc<Index>,
        places: Range<usize>,
        is_checked: bool,
        pieces: &Pieces<Piece>,
    ) -> anyhow::Result<()> {
        self.index = index;
        self.led_to.replace(is_checked.then(HashSet::new));
        let new = || Piece {
            checker: is_checked.then(Checker::default),
            ..Piece::default()
        };
        let mut piece = new();
        for place in places {
            self.make(place, &mut piece)?;
            piece.records += 1;
            if PIECE_BYTES <= piece.bytes {
                pieces.send(self.finished(std::mem::replace(&mut piece, new())))?;
            }
        }
        pieces.send(self.finished(piece))
    }

    fn finished(&mut self, mut piece: Piece) -> Piece {
        piece.followed = self.followed.take();
        if let (Some(led_to), Some(checker)) = (self.led_to.get_mut(), &mut piece.checker) {
            for (site, record_type) in led_to.drain() {
                checker.led(site, &record_type);
            }
        }
        piece
    }

    fn make(&mut self, place: usize, piece: &mut Piece) -> anyhow::Result<()> {
        let index = Arc::clone(&self.index);
        let document = index.documents.at(place);
        let definition = Arc::clone(&self.definition);
        self.position.begin(&document.file, document.line);
        let mut subject = None;
        if let Some(checker) = &mut piece.checker {
            let subject = subject.insert(self.subject(document, index.documents.read(place)?));
            checker.record(&Looked::of(place, &index), subject.record());
        }
        for (rule, emit) in rules_for(&definition, document) {
            if !document.is_published {
                break;
            }
            let subject = match &subject {
                Some(subject) => subject,
                None => subject.insert(self.subject(document, index.documents.read(place)?)),
            };
            self.followed.borrow_mut().begin(place);
            let made = self.apply((rule, emit), document, subject, piece);
            piece.applied.push(Applied { rule, place, made });
        }
        Ok(())
    }

    fn apply(
        &self,
        (rule, emit): (usize, &Emit),
        document: &Document,
        subject: &Subject,
        piece: &mut Piece,
    ) -> Vec<Result<Made, Vec<Failure>>> {
        let inputs = match self.inputs(emit, subject) {
            Ok(inputs) => inputs,
            Err(failure) => return vec![Err(vec![failure])],
        };
        let mut all = Vec::with_capacity(inputs.len());
        for input in &inputs {
            // Each of them may take its time.
            self.position.step();
            let observer = piece.checker.as_mut().map(|of| of as &mut dyn Observe);
            let native = self.native((rule, emit), document, (subject, input), observer);
            let made = native.map(|native| Made {
                likeness: emit.is_distinct.then(|| Likeness::of(&native)),
                text: native.text,
                left_out: native.left_out,
            });
            piece.bytes += made.as_ref().map_or(0, |made| made.text.len());
            all.push(made);
        }
        all
    }

    /// What native records are made of: the record, or each member of a list in it.
    pub(super) fn inputs(&self, emit: &Emit, subject: &Subject) -> Result<Vec<Jq>, Failure> {
        if let Some(condition) = emit.condition {
            let holds = self.evaluate(condition, subject.record().clone(), subject);
            match holds.map_err(|error| Failure::of_rule("where", &error))? {
                Jq::Null | Jq::Bool(false) => return Ok(Vec::new()),
                _ => {}
            }
        }
        let Some(each) = emit.each else {
            return Ok(vec![subject.record().clone()]);
        };
        let members = self.evaluate(each, subject.record().clone(), subject);
        let members = members.and_then(|members| list(&members));
        members.map_err(|error| Failure::of_rule("each", &error))
    }

    /// A native record.
    pub(super) fn native<'e>(
        &'e self,
        (rule, emit): (usize, &'e Emit),
        document: &Document,
        (subject, input): (&'e Subject, &Jq),
        observer: Option<&'e mut dyn Observe>,
    ) -> Result<Native<'e>, Vec<Failure>> {
        let mut making = Making::new(self, rule, subject, observer);
        let has = |name: &str| emit.fields.iter().any(|(field, _)| field == name);
        if !has("id") {
            making.member("id", |making| making.text(self.index.id_of(document)));
        }
        for (name, field) in &emit.fields {
            making.member(name, |making| {
                let start = making.native.text.len();
                making.field(field, input) && making.native.keep_sized(emit.kind, name, start)
            });
        }
        if !has("updatedAt") && matches!(emit.kind, Kind::Boat | Kind::Manufacturer) {
            let updated_at = self.definition.sources[usize::from(document.source)]
                .envelope
                .updated_at;
            if let Some(from) = updated_at {
                making.member("updatedAt", |making| {
                    making.value(from, &Rest::default(), subject.record())
                });
            }
        }
        making.finish()
    }
}
