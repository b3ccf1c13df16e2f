//! Collects everything that must be read before any boat: the records that boats may refer to, and
//! the catalogue record. Boats themselves are only recognised and left to the caller.

use super::Tally;
use super::catalogue::Catalogue;
use super::checked::{Checked, Values};
use super::checker::check;
use super::designer::Designer;
use super::first_look::{begins_like_a_boat, read_kind};
use super::identity::{Clash, Identities, Identity};
use super::manufacturer::Manufacturer;
use super::policy::Policy;
use super::references::{Barred, References, Resolver, Table};
use super::reporter::{self, LineText, Problem, Reporter, text_of};
use super::term::Term;
use crate::finding::{Code, Finding, Findings, Kind, Line, Severity, cut};
use crate::format::{Vocabulary, fields};
use crate::json::Node;

/// The most bytes of lines that boats may refer to, because their contents are held in memory.
const HELD_MAX: usize = 128 * 1024 * 1024;

/// Reads the lines that are not boats and counts those that are.
pub(crate) struct Collector {
    listed_max: usize,
    /// Whether an error in an optional field costs that field and not the record.
    drops_fields: bool,
    identities: IdentitiesByKind,
    catalogue: Option<Catalogue>,
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
    /// Starts before anything was read. If a mapping makes the records, references are made from
    /// keys, and skipping what is invalid costs a manufacturer or a designer its field alone: boats
    /// refer to them, and should not go for a mistyped address. A native record is left out whole.
    pub(crate) fn new(policy: Policy<'_>) -> Self {
        let listed_max = policy.listed_max;
        let mut references = References::default();
        references.are_of_keys = policy.is_mapped;
        Self {
            listed_max,
            drops_fields: policy.is_mapped && policy.skip_invalid,
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

    /// Counts a record from which no line could be made, and records why. Its kind is given if known.
    pub(crate) fn failed(&mut self, kind: Option<Kind>, findings: Vec<Finding>) {
        let Collected {
            references,
            tally,
            findings: all,
            is_empty,
        } = &mut self.collected;
        *is_empty = false;
        match kind.and_then(|kind| tally.of_mut(kind)) {
            Some(tally) => tally.count(false, true),
            None => tally.unreadable += 1,
        }
        for finding in findings {
            if let Some(record) = &finding.record
                && let Some(id) = &record.id
            {
                let (name, why) = (record.name.as_deref(), Barred::by(&finding));
                match record.kind {
                    Kind::Manufacturer => references.manufacturers.bar(id, name, why),
                    Kind::Designer => references.designers.bar(id, name, why),
                    _ => {}
                }
            }
            all.add(finding);
        }
    }

    /// Counts a record that the content system has not published.
    pub(crate) fn unpublished(&mut self, kind: Kind, id: &str, name: Option<&str>) {
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
            Kind::Manufacturer => references.manufacturers.bar(id, name, Barred::Unpublished),
            Kind::Designer => references.designers.bar(id, name, Barred::Unpublished),
            // The term was never mapped, so its vocabulary is unknown.
            Kind::Term => Vocabulary::ALL
                .into_iter()
                .for_each(|of| references.terms_mut(of).bar(id, name, Barred::Unpublished)),
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
        reporter.set_record(kind, Some(node));
        reporter.drops_fields = self.drops_fields;
        if kind == Kind::Catalogue {
            self.catalogue(line, node, reporter);
            return LineOutcome::Valid;
        }
        let is_held = self.hold(length);
        let mut is_published = true;
        if is_held {
            is_published = self.keep(kind, node, &mut reporter);
        } else {
            self.no_room(node, &mut reporter);
        }
        let is_valid = !reporter.has_errors() && is_held;
        if let Some(tally) = self.collected.tally.of_mut(kind) {
            tally.count(is_valid, is_published);
        }
        let mut findings = reporter.into_findings();
        if is_valid {
            let kept = || format!("the {} is kept without this field", kind.as_str());
            findings.set_hints(|finding| (finding.code.severity() == Severity::Error).then(kept));
        }
        self.collected.findings.append(findings);
        if is_valid {
            LineOutcome::Valid
        } else {
            LineOutcome::Rejected
        }
    }

    /// Checks a record that boats may refer to, and keeps it for them; returns whether it is
    /// published.
    fn keep<'n>(&mut self, kind: Kind, node: &'n Node<'n>, reporter: &mut Reporter<'n>) -> bool {
        let mut identity = Identity::of(node);
        match kind {
            Kind::Manufacturer => {}
            // A slug of a designer is an unknown key.
            Kind::Designer => (identity.slug, identity.is_published) = (None, true),
            _ => identity.is_published = true,
        }
        let is_published = identity.is_published;
        let resolver = Resolver {
            references: &self.collected.references,
            is_published,
        };
        let values = check(fields(kind), node, resolver, reporter);
        let vocabulary = match values.at(&["vocabulary"]) {
            Some(Checked::Text(word)) => Vocabulary::parse(word),
            _ => None,
        };
        let identities = match (kind, vocabulary) {
            (Kind::Manufacturer, _) => &mut self.identities.manufacturers,
            (Kind::Designer, _) => &mut self.identities.designers,
            (_, Some(vocabulary)) => &mut self.identities.terms[vocabulary as usize],
            (_, None) => return is_published,
        };
        let id = identity.id.clone();
        for Clash { key, problem } in identities.claim(identity, &reporter.place()) {
            reporter.report_field(node, &[key], problem);
        }
        let Some(id) = id else {
            return is_published;
        };
        let draft = || (!is_published).then_some(Barred::Unpublished);
        let record = match reporter.first_error().map(Barred::by).or_else(draft) {
            Some(why) => Err((text_of(node, kind.name_key()).map(cut), why)),
            None => Ok(values),
        };
        let (id, references) = (id.as_str(), &mut self.collected.references);
        match (kind, vocabulary) {
            (_, Some(vocabulary)) => {
                add(references.terms_mut(vocabulary), id, record, Term::of);
            }
            (Kind::Designer, _) => add(&mut references.designers, id, record, Designer::of),
            _ => add(&mut references.manufacturers, id, record, Manufacturer::of),
        }
        is_published
    }

    fn catalogue<'n>(
        &mut self,
        line: LineText<'n>,
        node: &'n Node<'n>,
        mut reporter: Reporter<'n>,
    ) {
        let resolver = Resolver {
            references: &self.collected.references,
            is_published: true,
        };
        let values = check(fields(Kind::Catalogue), node, resolver, &mut reporter);
        match &self.catalogue {
            Some(first) => {
                let message = format!(
                    "the export has a catalogue record at {} already",
                    first.place()
                );
                reporter.report_span(&node.span, Problem::new(Code::DuplicateCatalogue, message));
            }
            None => self.catalogue = Some(Catalogue::new(line, values)),
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

/// Adds the record that `make` makes of its values, or what people call it and why no published
/// record may refer to it.
fn add<'n, T>(
    table: &mut Table<T>,
    id: &str,
    record: Result<Values<'n>, (Option<String>, Barred)>,
    make: impl FnOnce(Values<'n>) -> Option<T>,
) {
    match record.map(make) {
        Ok(Some(record)) => table.add(id, record),
        // Values without errors make a record.
        Ok(None) => {}
        Err((name, why)) => table.bar(id, name.as_deref(), why),
    }
}
