//! Collects everything that must be read before any boat: the records that boats may refer to, and
//! the catalogue record. Boats themselves are only recognised and left to the caller.

use super::fields::{Fields, object};
use super::first_look::{begins_like_a_boat, read_kind};
use super::identity::{Identities, Identity, text_of};
use super::references::References;
use super::reporter::{self, LineText, Problem, Reporter};
use super::text::text;
use super::vocabulary::Vocabulary;
use super::{Tally, catalogue, designer, manufacturer, term};
use crate::finding::{Code, Finding, Findings, Kind, Line, RecordName, Severity, cut};
use crate::json::Node;

/// The most bytes of lines that boats may refer to, because their contents are held in memory.
const HELD_MAX: usize = 128 * 1024 * 1024;

/// Reads the lines that are not boats and counts those that are.
pub(crate) struct Collector {
    listed_max: usize,
    identities: IdentitiesByKind,
    catalogue: Option<catalogue::Catalogue>,
    /// Bytes held so far of lines that boats may refer to.
    held: usize,
    boats: u64,
    collected: Collected,
}

/// What is known before the first boat is read.
pub(crate) struct Collected {
    pub(crate) references: References,
    pub(crate) findings: Findings,
    /// The tally without the boats.
    pub(crate) tally: Tally,
    /// Whether there was neither a line nor damage.
    pub(crate) is_empty: bool,
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum LineOutcome {
    /// Not a boat, and not left out.
    Valid,
    /// To be left out.
    Rejected,
    /// A boat, to be read once everything is collected.
    Boat,
}

#[derive(Default)]
struct IdentitiesByKind {
    manufacturers: Identities,
    designers: Identities,
    terms: [Identities; Vocabulary::ALL.len()],
}

impl Collector {
    /// Starts before anything was read. If a mapping makes the records (`is_mapped`), references
    /// are made from keys.
    pub(crate) fn new(listed_max: usize, is_mapped: bool) -> Self {
        let mut references = References::default();
        references.are_of_keys = is_mapped;
        Self {
            listed_max,
            identities: IdentitiesByKind::default(),
            catalogue: None,
            held: 0,
            boats: 0,
            collected: Collected {
                references,
                findings: Findings::new(listed_max),
                tally: Tally::default(),
                is_empty: true,
            },
        }
    }

    /// Returns what was collected, after every line was read.
    pub(crate) fn finish(mut self) -> Collected {
        if let Some(catalogue) = self.catalogue {
            let findings = catalogue.check(&self.collected.tally, self.boats, self.listed_max);
            self.collected.findings.append(findings);
        }
        self.collected
    }

    /// Reads the next line unless it is a boat.
    pub(crate) fn line(&mut self, line: Line<'_>) -> LineOutcome {
        self.collected.is_empty = false;
        if begins_like_a_boat(line.contents()) {
            return self.boat();
        }
        let (text, node) = match reporter::open(line) {
            Ok(opened) => opened,
            Err(finding) => {
                self.collected.findings.add(*finding);
                return self.unreadable();
            }
        };
        let mut reporter = Reporter::new(text, self.listed_max);
        match read_kind(&node, &mut reporter) {
            Some(Kind::Boat) => self.boat(),
            Some(kind) => self.record(kind, line.raw.len(), text, &node, reporter),
            None => {
                self.collected.findings.append(reporter.into_findings());
                self.unreadable()
            }
        }
    }

    /// Records a finding about a file, or about a line that is too long to be held.
    pub(crate) fn finding(&mut self, finding: Finding) {
        self.collected.is_empty &= finding.code.severity() == Severity::Warning;
        if finding.code == Code::LineTooLong {
            self.collected.tally.unreadable += 1;
        }
        self.collected.findings.add(finding);
    }

    /// Counts a record from which no line could be made, and records why. Its kind and id are given
    /// if known.
    pub(crate) fn failed(&mut self, kind: Option<Kind>, id: Option<&str>, findings: Vec<Finding>) {
        let Collected {
            references,
            tally,
            findings: all,
            is_empty,
        } = &mut self.collected;
        *is_empty = false;
        for finding in findings {
            all.add(finding);
        }
        match kind.and_then(|kind| tally.of_mut(kind)) {
            Some(tally) => tally.count(false, true),
            None => tally.unreadable += 1,
        }
        match (kind, id) {
            (Some(Kind::Manufacturer), Some(id)) => references.manufacturers.insert_invalid(id),
            (Some(Kind::Designer), Some(id)) => references.designers.insert_invalid(id),
            _ => {}
        }
    }

    /// Counts a record that the content system has not published.
    pub(crate) fn unpublished(&mut self, kind: Kind, id: &str) {
        let Collected {
            references,
            tally,
            is_empty,
            ..
        } = &mut self.collected;
        *is_empty = false;
        if let Some(tally) = tally.of_mut(kind) {
            tally.count(true, false);
        }
        match kind {
            Kind::Manufacturer => references.manufacturers.insert_unpublished(id),
            Kind::Designer => references.designers.insert_unpublished(id),
            // The term was never mapped, so its vocabulary is unknown.
            Kind::Term => Vocabulary::ALL
                .into_iter()
                .for_each(|of| references.terms_mut(of).insert_unpublished(id)),
            Kind::Boat | Kind::Catalogue => {}
        }
    }

    const fn boat(&mut self) -> LineOutcome {
        self.boats += 1;
        LineOutcome::Boat
    }

    /// Counts a line whose kind cannot be read.
    const fn unreadable(&mut self) -> LineOutcome {
        self.collected.tally.unreadable += 1;
        LineOutcome::Rejected
    }

    fn record<'n>(
        &mut self,
        kind: Kind,
        length: usize,
        line: LineText<'n>,
        node: &'n Node<'n>,
        mut reporter: Reporter<'n>,
    ) -> LineOutcome {
        let id = text_of(node, "id").map(cut);
        reporter.set_record(RecordName { kind, id });
        let identity = Identity::of(node);
        let is_published = identity.is_published;
        if kind == Kind::Catalogue {
            self.catalogue(line, node, reporter);
            return LineOutcome::Valid;
        }
        let is_held = self.hold(length);
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
            LineOutcome::Valid
        } else {
            LineOutcome::Rejected
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
                reporter.report_span(&node.span, Problem::new(Code::DuplicateCatalogue, message));
            }
            None => self.catalogue = Some(catalogue::Catalogue::new(line, counts)),
        }
        self.collected.findings.append(reporter.into_findings());
    }

    /// Counts another line that boats may refer to; returns whether it can be held.
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
        reporter.report_span(&node.span, problem.hint(hint));
    }
}

/// Reads a record whose kind is known; `None` unless it is valid.
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
