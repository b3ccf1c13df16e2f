//! `catalogue releases verify`: checks that every file is unchanged since it was published.

use std::io::Write;

use shared::release::{ReleaseError, ReleaseId, Releases};

use super::document::{VerifiedDocument, VerifiedListDocument, damage};
use super::list::{Listing, no_releases};
use crate::commands::show;
use crate::exit_status::ExitStatus;
use crate::process::context::Context;

/// Checks one release, or all. Damage is reported for every release, not only for the first.
pub(super) fn run(
    releases: &dyn Releases,
    id: Option<&ReleaseId>,
    as_json: bool,
    context: &mut Context,
) -> anyhow::Result<ExitStatus> {
    let listing = match id {
        Some(id) => Listing::of_one(id),
        None => Listing::read(releases)?,
    };
    let mut verified = Vec::new();
    for id in &listing.ids {
        let checked = releases.verify(id);
        if matches!(checked, Err(ReleaseError::Unknown { .. })) && listing.may_vanish(id) {
            continue;
        }
        let damage = checked.err().map(damage);
        if !as_json {
            let outcome = damage.as_deref().unwrap_or("whole");
            writeln!(context.out, "{id}  {outcome}")?;
        }
        let id = id.clone();
        verified.push(VerifiedDocument { id, damage });
    }
    let is_whole = verified.iter().all(|release| release.damage.is_none());
    let status = if is_whole && listing.pointer_damage.is_none() {
        ExitStatus::Done
    } else {
        ExitStatus::Failure
    };
    listing.report_pointer_damage(context);
    if as_json {
        let document = VerifiedListDocument {
            releases: verified,
            pointer_damage: listing.pointer_damage,
        };
        show::json(&document, context)?;
    } else if verified.is_empty() {
        show::report(&no_releases(releases), context)?;
    }
    Ok(status)
}
