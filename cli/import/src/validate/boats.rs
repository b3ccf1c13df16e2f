//! Validates boats. Each is read by itself, on any thread; then all are added in order, which is
//! when their ids and slugs are claimed.

use std::collections::BTreeMap;

use shared::base::render::BodyTooLarge;

use super::boat::{self, Boat};
use super::checker::check;
use super::identity::{Clash, Identities, Identity};
use super::manufacturer::Manufacturer;
use super::references::{References, Resolver};
use super::reporter::{self, LineText, Problem, Reporter};
use super::{Tally, plausibility, rules};
use crate::finding::{Code, Finding, Findings, Kind, Line, Place};
use crate::format::fields;
use crate::json::Node;

/// The result of reading the line of a boat.
pub(crate) struct BoatReading<B> {
    pub(crate) findings: Findings,
    identity: Identity,
    /// The kinds and ids of the invalid records because of which it is left out.
    left_out_with: Vec<(Kind, String)>,
    /// The rendered boat and the index of its manufacturer, if the boat is valid and published.
    pub(crate) boat: Option<(B, usize)>,
}

/// Reads a boat and reports everything that is wrong with it by itself. A boat to be served is
/// rendered with `render`.
pub(crate) fn validate<B>(
    line: Line<'_>,
    references: &References,
    listed_max: usize,
    render: impl FnOnce(&Boat<'_>) -> Result<B, BodyTooLarge>,
) -> BoatReading<B> {
    let (line, node) = match reporter::open(line) {
        Ok(opened) => opened,
        Err(finding) => return unreadable(*finding, listed_max),
    };
    let identity = Identity::of(&node);
    let mut reporter = reporter_of(line, &node, listed_max);
    let resolver = Resolver {
        references,
        is_published: identity.is_published,
    };
    let values = check(fields(Kind::Boat), &node, resolver, &mut reporter);
    rules::check(&values, &node, &mut reporter);
    let is_served = !reporter.has_errors() && identity.is_published;
    let values = is_served.then_some(values);
    let boat = values.and_then(|values| boat::make(values, &identity, references));
    if let Some(boat) = &boat {
        plausibility::check(boat, &node, &mut reporter);
    }
    let boat = boat.and_then(|boat| match render(&boat) {
        Ok(rendered) => Some((rendered, boat.manufacturer)),
        Err(too_large @ BodyTooLarge) => {
            let problem = Problem::new(Code::RecordTooLarge, too_large.to_string());
            let hint = "its references bring in long names: shorten them, or refer to fewer";
            reporter.report_span(&node.span, problem.hint(hint));
            None
        }
    });
    BoatReading {
        left_out_with: reporter.take_left_out_with(),
        findings: reporter.into_findings(),
        identity,
        boat,
    }
}

fn unreadable<B>(finding: Finding, listed_max: usize) -> BoatReading<B> {
    let mut findings = Findings::of_record(listed_max);
    findings.add(finding);
    let identity = Identity {
        id: None,
        slug: None,
        is_published: true,
    };
    BoatReading {
        findings,
        identity,
        left_out_with: Vec::new(),
        boat: None,
    }
}

fn reporter_of<'n>(text: LineText<'n>, node: &'n Node<'n>, listed_max: usize) -> Reporter<'n> {
    let mut reporter = Reporter::new(text, listed_max);
    reporter.set_record(Kind::Boat, Some(node));
    reporter
}

/// What happens to a boat.
#[must_use]
pub(crate) enum BoatOutcome<B> {
    /// It may be served.
    Published(B),
    /// It is a valid draft.
    Unpublished,
    /// It is left out.
    Rejected,
}

/// Adds the boats in the export's order.
pub(crate) struct Boats<'a> {
    references: &'a References,
    listed_max: usize,
    identities: Identities,
    findings: Findings,
    tally: Tally,
    /// The number of boats by the index of their manufacturer.
    counts: Vec<u64>,
    /// The number of boats that are left out by the invalid record to which they refer.
    left_out: BTreeMap<(Kind, String), u64>,
}

impl<'a> Boats<'a> {
    /// Starts without boats, after everything else was collected.
    pub(crate) fn new(
        references: &'a References,
        (findings, tally): (Findings, Tally),
        listed_max: usize,
    ) -> Self {
        Self {
            references,
            listed_max,
            identities: Identities::default(),
            findings,
            tally,
            counts: vec![0; references.manufacturers.records().len()],
            left_out: BTreeMap::new(),
        }
    }

    /// Adds the next boat, unless its id or slug is taken.
    pub(crate) fn add<B>(&mut self, line: Line<'_>, reading: BoatReading<B>) -> BoatOutcome<B> {
        let BoatReading {
            mut findings,
            identity,
            left_out_with,
            boat,
        } = reading;
        for record in left_out_with {
            *self.left_out.entry(record).or_default() += 1;
        }
        let place = Place::at(line.file, line.start);
        let is_published = identity.is_published;
        let clashes = self.identities.claim(identity, &place);
        if !clashes.is_empty() {
            findings.append(report_clashes(line, clashes, self.listed_max));
        }
        let is_valid = findings.errors() == 0;
        self.tally.boat.count(is_valid, is_published);
        self.findings.append(findings);
        match boat {
            _ if !is_valid => BoatOutcome::Rejected,
            None => BoatOutcome::Unpublished,
            Some((boat, manufacturer)) => {
                self.counts[manufacturer] += 1;
                BoatOutcome::Published(boat)
            }
        }
    }

    /// Everything found so far.
    pub(crate) const fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Reports an export without boats to serve, and tells each invalid record what it costs; called
    /// after all were added.
    pub(crate) fn end(&mut self) {
        self.findings.set_left_out(&self.left_out);
        if self.tally.boat.published == 0 {
            let message = "the export has no valid published boat";
            let finding = Finding::new(Code::NoPublishedBoats, None, message);
            self.findings.add(finding);
        }
    }

    /// The manufacturers to be served, each with the number of its boats.
    pub(crate) fn manufacturers(&self) -> impl Iterator<Item = (&'a Manufacturer, u64)> {
        let records = self.references.manufacturers.records().iter();
        records.zip(self.counts.iter().copied())
    }

    /// All findings and the number of records.
    pub(crate) fn into_parts(self) -> (Findings, Tally) {
        (self.findings, self.tally)
    }
}

/// Reports clashes. They are rare, so reading the line again costs less than keeping it parsed.
fn report_clashes(line: Line<'_>, clashes: Vec<Clash>, listed_max: usize) -> Findings {
    let Ok((text, node)) = reporter::open(line) else {
        return Findings::of_record(listed_max);
    };
    let mut reporter = reporter_of(text, &node, listed_max);
    for Clash { key, problem } in clashes {
        reporter.report_field(&node, &[key], problem);
    }
    reporter.into_findings()
}
