//! The first pass: reads everything that boats may refer to, and sets the boats' lines aside.

mod limits;
mod lines;

use std::io::Write;
use std::path::Path;

use super::rejects::Rejects;
use super::spill::Spool;
use crate::finding::{Code, Findings, Kind, RecordName, cut};
use crate::json::Node;
use crate::validate::fields::{Fields, object};
use crate::validate::identity::{Identities, Identity, text_of};
use crate::validate::references::References;
use crate::validate::reporter::{LineText, Problem, Reporter};
use crate::validate::text::text;
use crate::validate::vocabulary::Vocabulary;
use crate::validate::{Tally, announced, catalogue, designer, manufacturer, term};

/// Receives the lines of an export.
pub(super) struct Collector<'a> {
    listed_max: usize,
    rejects: Rejects<'a>,
    identities: IdentitiesByKind,
    catalogue: Option<announced::Catalogue>,
    /// Whether neither lines nor damage came so far.
    is_empty: bool,
    /// Records that a mapping read, whatever it makes of them.
    read_by_mapping: u64,
    /// Bytes of lines that boats may refer to, so far.
    held: usize,
    collected: Collected,
}

/// What the first pass leaves for the second.
pub(super) struct Collected {
    pub(super) references: References,
    /// The boats.
    pub(super) spool: Spool,
    pub(super) findings: Findings,
    pub(super) tally: Tally,
}

#[derive(Default)]
struct IdentitiesByKind {
    manufacturers: Identities,
    designers: Identities,
    terms: [Identities; Vocabulary::ALL.len()],
}

impl<'a> Collector<'a> {
    /// Nothing read yet; the boats will lie in `temp_dir`.
    pub(super) fn new(
        temp_dir: &Path,
        listed_max: usize,
        rejects: &'a mut dyn Write,
    ) -> anyhow::Result<Self> {
        let collected = Collected {
            references: References::default(),
            spool: Spool::create(temp_dir)?,
            findings: Findings::new(listed_max),
            tally: Tally::default(),
        };
        let identities = IdentitiesByKind::default();
        Ok(Self {
            listed_max,
            rejects: Rejects(rejects),
            identities,
            catalogue: None,
            is_empty: true,
            read_by_mapping: 0,
            held: 0,
            collected,
        })
    }

    /// What was collected, once everything was read.
    pub(super) fn finish(mut self) -> Collected {
        if self.is_empty {
            self.collected.findings.add(self.nothing());
        }
        if let Some(catalogue) = self.catalogue {
            let boats = self.collected.spool.lines();
            let findings = catalogue.check(&self.collected.tally, boats, self.listed_max);
            self.collected.findings.append(findings);
        }
        self.collected
    }

    /// A mapping read so many records.
    pub(super) const fn set_read_by_mapping(&mut self, records: u64) {
        self.read_by_mapping = records;
    }

    /// What was collected so far.
    pub(super) const fn collected_mut(&mut self) -> &mut Collected {
        &mut self.collected
    }

    /// Something came, be it usable or not.
    pub(super) const fn not_empty(&mut self) {
        self.is_empty = false;
    }

    /// Keeps a record that is left out.
    pub(super) fn reject(&mut self, raw: &[u8]) -> anyhow::Result<()> {
        self.rejects.line(raw)
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
        match kind {
            Kind::Catalogue => {
                self.catalogue(line, node, reporter);
                return Ok(());
            }
            _ if !self.has_room(raw.len()) => self.no_room(node, &mut reporter),
            Kind::Manufacturer => self.manufacturer(identity, node, &mut reporter),
            Kind::Term => self.term(identity, node, &mut reporter),
            Kind::Designer => self.designer(identity, node, &mut reporter),
            Kind::Boat => unreachable!("boats are set aside"),
        }
        let is_valid = !reporter.has_errors() && self.held <= limits::HELD_MAX;
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
            None => self.catalogue = Some(announced::Catalogue::new(line, counts)),
        }
        self.collected.findings.append(reporter.into_findings());
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
