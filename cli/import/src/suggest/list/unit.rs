//! In which system boats are measured, where no key says it: by the name and the values of the length
//! overall. Where these do not tell, metres are a guess, and no more than that: lengths that boats
//! hardly have in metres are left to a person.

use super::List;
use crate::mapping::UNDECIDED;
use crate::suggest::choose::Choice;
use crate::suggest::named::Named;
use crate::suggest::survey::Key;
use crate::suggest::text::{clean, quoted};

/// The greatest length of recreational craft in metres (Directive 2013/53/EU). A list of which the
/// median is greater is of large yachts, or in feet or centimetres.
const LENGTH_MAX: f64 = 24.0;

impl List<'_> {
    /// The unit system of the lengths, for exports without a key for it.
    pub(super) fn system(&self) -> &'static str {
        let Some(length) = self.choice("lengthOverall") else {
            // What may be chosen for it says it by its name.
            let unsettled = self.choices.unsettled.iter();
            let mut lengths = unsettled.filter(|(wanted, _)| wanted.field == "lengthOverall");
            let is_imperial = |key: &&Key| matches!(Named::new(key).unit, Some("ft" | "in"));
            let is_any = lengths.any(|(_, keys)| keys.iter().any(is_imperial));
            return if is_any { "imperial" } else { "metric" };
        };
        let is_imperial = |value: &str| value.contains(['\'', '′']) || value.contains("ft");
        let is_metric = |value: &str| value.ends_with('m');
        let all_imperial = length
            .key
            .all(|value| is_imperial(value) && !is_metric(value));
        if matches!(length.unit, Some("ft" | "in")) || all_imperial {
            "imperial"
        } else if self
            .guessed()
            .is_some_and(|length| LENGTH_MAX < median(length))
        {
            UNDECIDED
        } else {
            "metric"
        }
    }

    /// The key of the lengths, if nothing says in which unit these are.
    fn guessed(&self) -> Option<&Key> {
        let says_unit =
            |value: &str| value.contains(|c: char| c.is_alphabetic() || "'′’\"″”".contains(c));
        let is_open = |length: &&Choice<'_>| {
            let key = length.key;
            length.unit.is_none() && !key.samples.iter().any(|value| says_unit(value))
        };
        let length = self.choice("lengthOverall").filter(is_open);
        let has_key = self.choice("unit").is_some();
        length.map(|length| length.key).filter(|_| !has_key)
    }

    /// The right-hand side of the line for the system. A trial needs one.
    pub(super) fn unit(&self, is_trial: bool) -> String {
        let system = match self.system() {
            UNDECIDED if is_trial => "metric",
            system => system,
        };
        let remark = match self.guessed() {
            Some(_) if system == UNDECIDED => "      # required",
            Some(_) => "      # a guess: no length says its unit",
            None => "",
        };
        format!("{}{remark}", quoted(&format!("\"{system}\"")))
    }

    /// What a person should know about the system.
    pub(super) fn why_unit(&self) -> String {
        let system = self.system();
        let Some(length) = self.guessed() else {
            return format!("{system} for every boat, by the names and values of lengths");
        };
        let sample = length.samples.first().map_or("", String::as_str);
        let (path, sample) = (clean(&length.path, 60), clean(sample, 20));
        if system == UNDECIDED {
            format!(
                "required, as {path} ({sample}) says no unit, and boats are hardly so long in \
                 metres: write `metric` or `imperial`, and the units in `definitions`"
            )
        } else {
            format!("{system} for every boat, a guess, as {path} ({sample}) says no unit")
        }
    }
}

/// The number in the middle of the values of a key; 0 without numbers.
fn median(key: &Key) -> f64 {
    let numbers = key
        .samples
        .iter()
        .map(|value| value.trim().replace(',', "."));
    let mut numbers: Vec<f64> = numbers.filter_map(|value| value.parse().ok()).collect();
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}
