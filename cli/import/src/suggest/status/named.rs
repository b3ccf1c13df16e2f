//! What the name of a key says of its record.
//!
//! It knows no values: whether they fit is decided beside them.

use super::words::{self, ENVELOPES, PARTICLES, RECORDS, Says, TIMES, VALUES};
use crate::suggest::names::GROUPS;
use crate::suggest::text;

/// Whether a key surely says whether its record is public.
pub(in crate::suggest) fn is_named(steps: &[String]) -> bool {
    let says = says(steps).map(|(says, _)| says);
    says.is_some_and(|says| !matches!(says, Says::Perhaps | Says::Elsewhere))
}

/// What a key with this path says, and whether its name is that of a time.
pub(super) fn says(steps: &[String]) -> Option<(Says, bool)> {
    let steps: Vec<String> = steps
        .iter()
        .flat_map(|step| step.split('.'))
        .map(|step| text::words(step).join(" "))
        .collect();
    let is_value = |step: &&String| VALUES.contains(&step.as_str());
    let values = steps.iter().skip(1).rev().take_while(is_value).count();
    let (last, before) = steps[..steps.len() - values].split_last()?;
    let (says, is_time) = by_name(last)?;
    let mut around = before.iter().flat_map(|step| step.split(' '));
    let is_of_record = around
        .all(|word| GROUPS.contains(&word) || RECORDS.contains(&word) || ENVELOPES.contains(&word));
    match says {
        _ if is_of_record => Some((says, is_time)),
        Says::Perhaps => None,
        _ => Some((Says::Elsewhere, is_time)),
    }
}

/// What the last name of a key says, and whether it is that of a time.
fn by_name(name: &str) -> Option<(Says, bool)> {
    let plain: Vec<&str> = name
        .split(' ')
        .filter(|word| !RECORDS.contains(word))
        .collect();
    let known = words::says(name).or_else(|| words::says(&plain.join(" ")));
    if let Some(says) = known {
        return Some((says, false));
    }
    let is_inner = |word: &&str| !PARTICLES.contains(word) && !TIMES.contains(word);
    let first = plain.iter().position(is_inner)?;
    let end = plain.iter().rposition(is_inner)? + 1;
    let mut dropped = plain[..first].iter().chain(&plain[end..]);
    let is_time = dropped.any(|word| TIMES.contains(word));
    let says = words::says(&plain[first..end].join(" "))?;
    // The time of a status is not the status.
    let fits = !is_time || matches!(says, Says::Public | Says::Withheld | Says::Perhaps);
    fits.then_some((says, is_time))
}
