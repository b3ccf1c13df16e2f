//! The first pass: reads everything that boats may refer to, and puts the boats' lines into a spill file.

use std::io::Write;
use std::path::Path;

use super::rejects::Rejects;
use super::spill::SpillFile;
use crate::finding::{Code, Finding, Findings, Kind, Line, RecordName, Severity, cut};
use crate::json::Node;
use crate::source::{FailedRecord, Incoming};
use crate::validate::fields::{Fields, object};
use crate::validate::first_look::{begins_like_a_boat, read_kind};
use crate::validate::identity::{Identities, Identity, text_of};
use crate::validate::references::References;
use crate::validate::reporter::{self, LineText, Problem, Reporter};
use crate::validate::text::text;
use crate::validate::vocabulary::Vocabulary;
use crate::validate::{Tally, catalogue, designer, manufacturer, term};

/// Bytes of the lines that boats may refer to: what is in them is held in memory.
const HELD_MAX: usize = 128 * 1024 * 1024;

/// Takes what comes of an export.
pub(super) struct FirstPass<'a> {
    listed_max: usize,
    rejects: Rejects<'a>,
    identities: IdentitiesByKind,
    catalogue: Option<catalogue::Catalogue>,
    /// Whether neither lines nor damage came so far.
    is_empty: bool,
    /// Bytes of lines that boats may refer to, so far.
    held: usize,
    collected: Collected,
}

/// What the first pass leaves for the second.
pub(super) struct Collected {
    pub(super) references: References,
    /// The boats.
    pub(super) spill_file: SpillFile,
    pub(super) findings: Findings,
    pub(super) tally: Tally,
}

#[derive(Default)]
struct IdentitiesByKind {
    manufacturers: Identities,
    designers: Identities,
    terms: [Identities; Vocabulary::ALL.len()],
}

impl<'a> FirstPass<'a> {
    /// Nothing read yet; the boats will lie in `temp_dir`. Where a mapping makes the records,
    /// references are made of keys.
    pub(super) fn new(
        temp_dir: &Path,
        listed_max: usize,
        is_mapped: bool,
        rejects: &'a mut dyn Write,
    ) -> anyhow::Result<Self> {
        let mut collected = Collected {
            references: References::default(),
            spill_file: SpillFile::create(temp_dir)?,
            findings: Findings::new(listed_max),
            tally: Tally::default(),
        };
        collected.references.are_of_keys = is_mapped;
        Ok(Self {
            listed_max,
            rejects: Rejects(rejects),
            identities: IdentitiesByKind::default(),
            catalogue: None,
            is_empty: true,
            held: 0,
            collected,
        })
    }

    /// Takes what comes next.
    pub(super) fn take(&mut self, incoming: Incoming<'_>) -> anyhow::Result<()> {
        match incoming {
            Incoming::Line(line) => self.line(line),
            Incoming::Oversized(piece) => self.rejects.piece(piece),
            Incoming::Finding(finding) => self.finding(finding),
            Incoming::Failed(failed) => self.failed(failed),
            Incoming::Unpublished { kind, id } => {
                self.unpublished(kind, id);
                Ok(())
            }
        }
    }

    /// What was collected, once everything was read. `read_by_mapping` counts the records that a
    /// mapping read.
    pub(super) fn finish(mut self, read_by_mapping: u64) -> Collected {
        if self.is_empty {
            self.collected.findings.add(nothing(read_by_mapping));
        }
        if let Some(catalogue) = self.catalogue {
            let boats = self.collected.spill_file.lines();
            let findings = catalogue.check(&self.collected.tally, boats, self.listed_max);
            self.collected.findings.append(findings);
        }
        self.collected
    }

    fn line(&mut self, line: Line<'_>) -> anyhow::Result<()> {
        self.is_empty = false;
        if begins_like_a_boat(line.contents()) {
            return self.collected.spill_file.push(line);
        }
        let (text, node) = match reporter::open(line) {
            Ok(opened) => opened,
            Err(finding) => {
                let mut findings = Findings::new(self.listed_max);
                findings.add(*finding);
                return self.unreadable(findings, line.raw);
            }
        };
        let mut reporter = Reporter::new(text, self.listed_max);
        match read_kind(&node, &mut reporter) {
            Some(Kind::Boat) => self.collected.spill_file.push(line),
            Some(kind) => self.record(kind, line.raw, text, &node, reporter),
            None => self.unreadable(reporter.into_findings(), line.raw),
        }
    }

    fn finding(&mut self, finding: Finding) -> anyhow::Result<()> {
        self.is_empty &= finding.code.severity() == Severity::Warning;
        let is_of_line = finding.code == Code::LineTooLong;
        self.collected.findings.add(finding);
        if is_of_line {
            self.collected.tally.unreadable += 1;
            self.rejects.end_of_line()?;
        }
        Ok(())
    }

    /// A record that a mapping could not make.
    fn failed(&mut self, failed: FailedRecord) -> anyhow::Result<()> {
        self.is_empty = false;
        let FailedRecord {
            kind,
            id,
            findings,
            raw,
        } = failed;
        let Collected {
            references,
            tally,
            findings: all,
            ..
        } = &mut self.collected;
        for finding in findings {
            all.add(finding);
        }
        match kind.and_then(|kind| tally.of_mut(kind)) {
            Some(tally) => tally.count(false, true),
            None => tally.unreadable += 1,
        }
        match (kind, &id) {
            (Some(Kind::Manufacturer), Some(id)) => references.manufacturers.insert_invalid(id),
            (Some(Kind::Designer), Some(id)) => references.designers.insert_invalid(id),
            _ => {}
        }
        self.rejects.line(&on_one_line(raw))
    }

    /// A record that the content system has not published.
    fn unpublished(&mut self, kind: Kind, id: &str) {
        self.is_empty = false;
        let Collected {
            references, tally, ..
        } = &mut self.collected;
        if let Some(tally) = tally.of_mut(kind) {
            tally.count(true, false);
        }
        match kind {
            Kind::Manufacturer => references.manufacturers.insert_unpublished(id),
            Kind::Designer => references.designers.insert_unpublished(id),
            // Its vocabulary is unknown, because it was never mapped.
            Kind::Term => Vocabulary::ALL
                .into_iter()
                .for_each(|of| references.terms_mut(of).insert_unpublished(id)),
            Kind::Boat | Kind::Catalogue => {}
        }
    }

    fn record<'n>(
        &mut self,
        kind: Kind,
        raw: &[u8],
        line: LineText<'n>,
        node: &'n Node<'n>,
        mut reporter: Reporter<'n>,
    ) -> anyhow::Result<()> {
        let id = text_of(node, "id").map(cut);
        reporter.set_record(RecordName { kind, id });
        let identity = Identity::of(node);
        let is_published = identity.is_published;
        if kind == Kind::Catalogue {
            self.catalogue(line, node, reporter);
            return Ok(());
        }
        let is_held = self.hold(raw.len());
        match kind {
            _ if !is_held => self.no_room(node, &mut reporter),
            Kind::Manufacturer => self.manufacturer(identity, node, &mut reporter),
            Kind::Term => self.term(identity, node, &mut reporter),
            Kind::Designer => self.designer(identity, node, &mut reporter),
            Kind::Boat | Kind::Catalogue => unreachable!("read elsewhere"),
        }
        let is_valid = !reporter.has_errors() && is_held;
        let tally = &mut self.collected.tally;
        match kind {
            Kind::Manufacturer => tally.manufacturer.count(is_valid, is_published),
            Kind::Term => tally.term.count(is_valid, true),
            _ => tally.designer.count(is_valid, true),
        }
        self.collected.findings.append(reporter.into_findings());
        if is_valid {
            Ok(())
        } else {
            self.rejects.line(raw)
        }
    }

    fn manufacturer<'n>(
        &mut self,
        identity: Identity,
        node: &'n Node<'n>,
        reporter: &mut Reporter<'n>,
    ) {
        let id = identity.id.clone();
        let identities = &mut self.identities.manufacturers;
        let read = read_record(node, reporter, |record| {
            let read = manufacturer::read(record);
            report_clashes(identities, identity, record);
            read
        });
        let table = &mut self.collected.references.manufacturers;
        match (id, read) {
            (Some(id), Some(read)) if read.is_published => table.insert(id.as_str(), read),
            (Some(id), Some(_draft)) => table.insert_unpublished(id.as_str()),
            (Some(id), None) => table.insert_invalid(id.as_str()),
            (None, _) => {}
        }
    }

    fn term<'n>(&mut self, identity: Identity, node: &'n Node<'n>, reporter: &mut Reporter<'n>) {
        let identity = Identity {
            is_published: true,
            ..identity
        };
        let id = identity.id.clone();
        let identities = &mut self.identities.terms;
        let mut vocabulary = None;
        let read = read_record(node, reporter, |record| {
            let (of, read) = term::read(record);
            vocabulary = of;
            if let Some(vocabulary) = of {
                report_clashes(&mut identities[vocabulary as usize], identity, record);
            }
            read
        });
        let (Some(id), Some(vocabulary)) = (id, vocabulary) else {
            return;
        };
        let table = self.collected.references.terms_mut(vocabulary);
        match read {
            Some(read) => table.insert(id.as_str(), read),
            None => table.insert_invalid(id.as_str()),
        }
    }

    fn designer<'n>(
        &mut self,
        identity: Identity,
        node: &'n Node<'n>,
        reporter: &mut Reporter<'n>,
    ) {
        let id = identity.id.clone();
        let identities = &mut self.identities.designers;
        let read = read_record(node, reporter, |record| {
            let read = designer::read(record);
            report_clashes(
                identities,
                Identity {
                    slug: None,
                    ..identity
                },
                record,
            );
            read
        });
        let table = &mut self.collected.references.designers;
        match (id, read) {
            (Some(id), Some(read)) => table.insert(id.as_str(), read),
            (Some(id), None) => table.insert_invalid(id.as_str()),
            (None, _) => {}
        }
    }

    fn catalogue<'n>(
        &mut self,
        line: LineText<'n>,
        node: &'n Node<'n>,
        mut reporter: Reporter<'n>,
    ) {
        let mut counts = Vec::new();
        read_record(node, &mut reporter, |record| {
            counts = catalogue::read(record);
            Some(())
        });
        match &self.catalogue {
            Some(first) => {
                let message = format!(
                    "the export has a catalogue record at {} already",
                    first.place()
                );
                reporter.place_of(&node.span, Problem::new(Code::DuplicateCatalogue, message));
            }
            None => self.catalogue = Some(catalogue::Catalogue::new(line, counts)),
        }
        self.collected.findings.append(reporter.into_findings());
    }

    /// Counts another line that boats may refer to; whether it can be held.
    const fn hold(&mut self, length: usize) -> bool {
        self.held = self.held.saturating_add(length);
        self.held <= HELD_MAX
    }

    fn no_room(&mut self, node: &Node<'_>, reporter: &mut Reporter<'_>) {
        if self
            .collected
            .findings
            .counts()
            .contains_key(&Code::TooMuchToHold)
        {
            return;
        }
        let message =
            format!("manufacturers, terms and designers together have more than {HELD_MAX} bytes");
        let problem = Problem::new(Code::TooMuchToHold, message);
        let hint = "no record from here on is read that boats may refer to: shorten their texts";
        reporter.place_of(&node.span, problem.hint(hint));
    }

    /// A line of which not even the kind can be read.
    fn unreadable(&mut self, findings: Findings, bytes: &[u8]) -> anyhow::Result<()> {
        self.collected.findings.append(findings);
        self.collected.tally.unreadable += 1;
        self.rejects.line(bytes)
    }
}

/// Reads a record whose kind is known. None unless it is valid.
fn read_record<'n, T>(
    node: &'n Node<'n>,
    reporter: &mut Reporter<'n>,
    read: impl FnOnce(&mut Fields<'n, '_>) -> Option<T>,
) -> Option<T> {
    let read = object(node, reporter, |record| {
        record.optional("kind", text);
        read(record)
    });
    read.unwrap_or(None)
        .filter(|_record| !reporter.has_errors())
}

fn report_clashes(identities: &mut Identities, identity: Identity, record: &mut Fields<'_, '_>) {
    let place = record.reporter().place();
    for clash in identities.claim(identity, &place) {
        record.report(clash.key, clash.problem);
    }
}

/// There is no record.
fn nothing(read_by_mapping: u64) -> Finding {
    let (message, hint) = match read_by_mapping {
        0 => (
            "the export has no record at all".to_owned(),
            "whatever made the export may have failed",
        ),
        read => (
            format!("the mapping makes nothing of the {read} records of the export"),
            "`catalogue mapping check` shows their types, and what it looks for",
        ),
    };
    Finding {
        hint: Some(hint.to_owned()),
        ..Finding::new(Code::NoRecords, None, message)
    }
}

/// JSON has line breaks between its parts only, so that a record stays the same without them.
fn on_one_line(mut raw: Vec<u8>) -> Vec<u8> {
    for byte in &mut raw {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    raw
}
