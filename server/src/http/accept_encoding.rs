//! `Accept-Encoding`: the best encoding for a response (RFC 9110 section 12.5.3).
//!
//! A pure function of the header. If nothing is acceptable, the response is still sent
//! uncompressed: the contract has no 406, and any client can read it.

#[cfg(test)]
mod tests;

use shared::base::etag::Coding;

/// Our preference among equally acceptable encodings. On our records and lists zstd is up to a
/// fifth longer than brotli, but takes at most an eighth of its time; brotli is shorter than gzip.
const PREFERENCE: [Coding; 3] = [Coding::Zstd, Coding::Brotli, Coding::Gzip];

/// A weight of 1, in thousandths.
const WHOLE: u16 = 1000;

/// The encodings that a request accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Accepted {
    /// The best of those that we have.
    pub(crate) best: Coding,
    /// Whether it refuses an uncompressed body.
    pub(crate) refuses_identity: bool,
}

impl Accepted {
    /// Reads the header's values, several lines being one list. Without any, nothing is compressed:
    /// a client that says nothing may not support it.
    pub(crate) fn parse<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> Self {
        Self::among(&PREFERENCE, lines)
    }

    /// The same where a body is to be had in these encodings only, the preferred ones first.
    pub(crate) fn among<'a>(
        preference: &[Coding],
        lines: impl IntoIterator<Item = &'a [u8]>,
    ) -> Self {
        let mut weights = Weights::default();
        for line in lines {
            for member in line.split(|&byte| byte == b',') {
                weights.add(member);
            }
        }
        Self {
            best: weights.best(preference),
            refuses_identity: weights.of(Coding::Identity) == Some(0),
        }
    }
}

/// The weights of a header, in thousandths. If an encoding is named twice, the first one counts.
#[derive(Default)]
struct Weights {
    /// By the places of [`Coding::ALL`].
    named: [Option<u16>; Coding::ALL.len()],
    /// The weight of `*`: all that are not named.
    others: Option<u16>,
}

impl Weights {
    /// Adds a member of the list. What is malformed or unknown to us is ignored.
    fn add(&mut self, member: &[u8]) {
        let mut parts = member.splitn(2, |&byte| byte == b';');
        let name = parts.next().unwrap_or_default().trim_ascii();
        let Some(weight) = parts.next().map_or(Some(WHOLE), weight_of) else {
            return;
        };
        let place = match (name, coding_of(name)) {
            (b"*", _) => &mut self.others,
            (_, Some(coding)) => &mut self.named[coding as usize],
            (_, None) => return,
        };
        place.get_or_insert(weight);
    }

    fn of(&self, coding: Coding) -> Option<u16> {
        self.named[coding as usize].or(self.others)
    }

    /// An encoding that is not named is not accepted, except that a body may always be
    /// uncompressed: that is the last choice, unless its weight says otherwise.
    fn best(&self, preference: &[Coding]) -> Coding {
        let (mut best, mut best_weight) = (Coding::Identity, 0);
        for &coding in preference {
            let weight = self.of(coding).unwrap_or(0);
            if best_weight < weight {
                (best, best_weight) = (coding, weight);
            }
        }
        match self.of(Coding::Identity) {
            Some(weight) if best_weight < weight => Coding::Identity,
            _ => best,
        }
    }
}

fn coding_of(name: &[u8]) -> Option<Coding> {
    // Section 8.4.1.3: another name of gzip.
    if name.eq_ignore_ascii_case(b"x-gzip") {
        return Some(Coding::Gzip);
    }
    let is_named = |coding: &Coding| name.eq_ignore_ascii_case(coding.name().as_bytes());
    Coding::ALL.into_iter().find(is_named)
}

/// The thousandths of a weight such as `q=0.5`, with white space around it; none if malformed.
fn weight_of(parameter: &[u8]) -> Option<u16> {
    let [b'q' | b'Q', b'=', whole @ (b'0' | b'1'), rest @ ..] = parameter.trim_ascii() else {
        return None;
    };
    let digits = match rest {
        [] => rest,
        [b'.', digits @ ..] => digits,
        _ => return None,
    };
    let is_number = digits.len() <= 3 && digits.iter().all(u8::is_ascii_digit);
    if !is_number {
        return None;
    }
    let mut weight = u16::from(whole - b'0');
    for place in 0..3 {
        let digit = digits.get(place).map_or(0, |digit| digit - b'0');
        weight = weight * 10 + u16::from(digit);
    }
    (weight <= WHOLE).then_some(weight)
}
