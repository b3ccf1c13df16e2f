//! Reading one boat: a pure function of its line and of what it refers to, for any thread.

use shared::base::render::BodyTooLarge;

use super::Consumer;
use crate::finding::Kind;
use crate::finding::Line;
use crate::finding::{Code, Finding, Findings, RecordName, cut};
use crate::json::Node;
use crate::validate::fields::object;
use crate::validate::identity::{Identity, text_of};
use crate::validate::references::References;
use crate::validate::reporter::{LineText, Problem, Reporter};
use crate::validate::{boat, reporter};

/// What reading a line comes to.
pub(super) struct BoatReading<B> {
    pub(super) findings: Findings,
    pub(super) identity: Identity,
    /// A valid, published boat and the place of its manufacturer.
    pub(super) boat: Option<(B, usize)>,
}

/// Reads a boat: its shapes made ready, and everything that is wrong with it by itself.
pub(super) fn read_boat<C: Consumer>(
    line: Line<'_>,
    references: &References,
    listed_max: usize,
) -> BoatReading<C::Boat> {
    let (text, node) = match reporter::open(line) {
        Ok(opened) => opened,
        Err(finding) => return unreadable(finding, listed_max),
    };
    let identity = Identity::of(&node);
    let mut reporter = reporter_of(text, &node, listed_max);
    let boat = object(&node, &mut reporter, |record| {
        boat::read(record, &identity, references)
    });
    let boat = boat
        .unwrap_or(None)
        .filter(|_boat| !reporter.has_errors() && identity.is_published);
    let boat = boat.and_then(|boat| match C::render(&boat.summary, &boat.details) {
        Ok(ready) => Some((ready, boat.manufacturer)),
        Err(too_large @ BodyTooLarge) => {
            let problem = Problem::new(Code::RecordTooLarge, too_large.to_string());
            let hint = "its references bring in long names: shorten them, or refer to fewer";
            reporter.place_of(&node.span, problem.hint(hint));
            None
        }
    });
    BoatReading {
        findings: reporter.into_findings(),
        identity,
        boat,
    }
}

fn unreadable<B>(finding: Box<Finding>, listed_max: usize) -> BoatReading<B> {
    let mut findings = Findings::new(listed_max);
    findings.add(*finding);
    let identity = Identity {
        id: None,
        slug: None,
        is_published: true,
    };
    BoatReading {
        findings,
        identity,
        boat: None,
    }
}

pub(super) fn reporter_of<'n>(
    text: LineText<'n>,
    node: &Node<'_>,
    listed_max: usize,
) -> Reporter<'n> {
    let mut reporter = Reporter::new(text, listed_max);
    reporter.set_record(RecordName {
        kind: Kind::Boat,
        id: text_of(node, "id").map(cut),
    });
    reporter
}
