//! What the name of a key says of its record: whether it is public.
//!
//! It knows no values: whether they fit is decided where drafts are made.

pub(crate) mod words;

use self::words::{ANSWERS, BY, ENVELOPES, GROUPS, PARTICLES, RECORDS, Says, TIMES, VALUES};
use super::folded;

/// Whether a key surely says whether its record is public.
pub(crate) fn is_named(steps: &[String]) -> bool {
    let says = says(steps).map(|(says, _)| says);
    says.is_some_and(|says| !matches!(says, Says::Perhaps | Says::YesOrNo | Says::Elsewhere))
}

/// Whether a key may say whether something is public.
pub(crate) fn may_say(steps: &[String]) -> bool {
    says(steps).is_some()
}

/// Whether the yes of a flag with this name says that something is public; `None` if it is another.
pub(crate) fn flag_named(name: &str) -> Option<bool> {
    match says(&[name.to_owned()])?.0 {
        Says::Public => Some(true),
        Says::Withheld => Some(false),
        _ => None,
    }
}

/// Whether words of something with this name say whether it is public.
pub(crate) fn is_status(name: &str) -> bool {
    let says = says(&[name.to_owned()]);
    matches!(
        says,
        Some((Says::Public | Says::Withheld | Says::Word, false))
    )
}

/// The path of the object around a key that surely says it.
pub(crate) fn named_around(steps: &[String]) -> Option<&[String]> {
    let mut around = (1..steps.len()).map(|length| &steps[..length]);
    around.find(|around| is_named(around))
}

/// What a key with this path says, and whether its name is that of a time.
pub(crate) fn says(steps: &[String]) -> Option<(Says, bool)> {
    let steps: Vec<String> = steps
        .iter()
        .filter(|step| !step.ends_with(':'))
        .filter_map(|step| step.split(" (product.").next())
        .flat_map(|step| step.split('.'))
        .map(|step| folded::words(step).join(" "))
        .collect();
    let is_value = |step: &&String| VALUES.contains(&step.as_str());
    let values = steps.iter().skip(1).rev().take_while(is_value);
    let (names, values) = steps.split_at(steps.len() - values.count());
    let (last, before) = names.split_last()?;
    let of_time = values.iter().any(|step| TIMES.contains(&step.as_str()));
    let within = before.split_last().and_then(|(outer, before)| {
        let says = words::says(&format!("{outer} {last}"))?;
        Some((says, false, before))
    });
    let is_hint = last.split(' ').any(words::may_tell);
    let alone = || {
        let says = by_name(last).or_else(|| is_hint.then_some((Says::YesOrNo, false)));
        says.map(|(says, is_time)| (says, is_time, before))
    };
    let (says, is_time, before) = within.or_else(alone)?;
    let is_time = is_time || of_time;
    if of_time && says == Says::Word {
        return None;
    }
    let mut around = before.iter().flat_map(|step| step.split(' '));
    let is_of_record = around
        .all(|word| GROUPS.contains(&word) || RECORDS.contains(&word) || ENVELOPES.contains(&word));
    match says {
        _ if is_of_record => Some((says, is_time)),
        Says::Perhaps | Says::YesOrNo => None,
        // An embargo is asked about wherever it is.
        Says::From => Some((Says::Perhaps, is_time)),
        _ => Some((Says::Elsewhere, is_time)),
    }
}

/// What the last name of a key says, and whether it is that of a time.
fn by_name(name: &str) -> Option<(Says, bool)> {
    let plain: Vec<&str> = name
        .split(' ')
        .filter(|word| !RECORDS.contains(word))
        .collect();
    let plain = &plain[..plain.len() - without_telling(&plain)];
    let known = words::says(name).or_else(|| words::says(&plain.join(" ")));
    if let Some(says) = known {
        return Some((says, false));
    }
    let by = plain.split_last().filter(|(last, _)| BY.contains(last));
    let by = by.and_then(|(_, rest)| words::says(&rest.join(" ")));
    if by == Some(Says::Withheld) {
        return Some((Says::By, false));
    }
    let is_inner = |word: &&str| !PARTICLES.contains(word) && !TIMES.contains(word);
    let first = plain.iter().position(is_inner)?;
    let end = plain.iter().rposition(is_inner)? + 1;
    let mut dropped = plain[..first].iter().chain(&plain[end..]);
    let is_time = dropped.any(|word| TIMES.contains(word));
    let Some(says) = words::says(&plain[first..end].join(" ")) else {
        // Among other words, a draft is a depth.
        let mut others = plain.iter().filter(|word| **word != "draft");
        let is_any = others.any(|word| words::says(word).is_some());
        return is_any.then_some((Says::Perhaps, is_time));
    };
    // The time of a status is not the status.
    let fits = !is_time || !matches!(says, Says::Word | Says::OneOrTwo);
    fits.then_some((says, is_time))
}

/// How many words at the end of a name say nothing of what it is about.
fn without_telling(name: &[&str]) -> usize {
    let is_kind = |word: &&&str| VALUES.contains(word) && !TIMES.contains(word);
    let last = name.iter().skip(1).rev();
    match last
        .clone()
        .take_while(|word| ANSWERS.contains(word))
        .count()
    {
        // A lone `no` may be a number.
        1 if name.ends_with(&["no"]) => 0,
        0 => last.take_while(is_kind).count(),
        answers => answers,
    }
}
