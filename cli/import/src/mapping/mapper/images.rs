//! The images of native records: their sizes are filled in where they were measured, and images
//! without a width or a height are left out, because a size must not be invented. One warning
//! counts them, by reason.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::{RawValue, to_raw_value};
use url::Url;

use crate::finding::{Code, Finding, Kind, Place, cut};
use crate::image::{ImageSize, ImageTally, MeasuredImages, Unmeasured};

/// The most hosts that a hint names.
const HOSTS_NAMED: usize = 5;
/// The most hosts that are told apart; the names are the export's.
const HOSTS_MAX: usize = 1_000;

/// What to do about images that were not to be measured.
const MEASURE: &str = "`images = \"measure\"` at the top of the mapping, or --measure-images, has \
                       them measured by their addresses";

/// The images of a native record.
#[derive(Default)]
pub(in crate::mapping) struct Images {
    /// How many it has, those that were left out included.
    all: u64,
    /// Those that were left out.
    left_out: Vec<LeftOut>,
}

/// An image that was left out.
struct LeftOut {
    address: String,
    /// Why it was not measured; `None` if it was not to be.
    why: Option<Unmeasured>,
}

/// The members of an image that matter here.
#[derive(Deserialize)]
struct Image {
    url: String,
    width: Option<IgnoredAny>,
    height: Option<IgnoredAny>,
    format: Option<IgnoredAny>,
}

/// What became of the images that were asked for, if any are to be.
type Measured<'a> = Option<&'a OnceLock<MeasuredImages>>;

impl Images {
    /// The addresses of the images that were left out.
    pub(super) fn into_addresses(self) -> impl Iterator<Item = String> {
        self.left_out.into_iter().map(|image| image.address)
    }

    /// The JSON of a member of the record with sizes that were measured, and without the images
    /// that have none; `None` if nothing else is left. Validation reports any other problem with an
    /// image.
    pub(super) fn with_sizes<'j>(
        &mut self,
        (kind, name): (Kind, &str),
        json: &'j str,
        measured: Measured<'_>,
    ) -> Option<Cow<'j, str>> {
        match (kind, name) {
            (Kind::Boat, "image") | (Kind::Manufacturer, "logo") => self.sized(json, measured),
            (Kind::Boat, "gallery") => self.gallery(json, measured),
            _ => Some(Cow::Borrowed(json)),
        }
    }

    fn gallery<'j>(&mut self, json: &'j str, measured: Measured<'_>) -> Option<Cow<'j, str>> {
        let Ok(images) = serde_json::from_str::<Vec<&RawValue>>(json) else {
            return Some(Cow::Borrowed(json));
        };
        let count = images.len();
        let sized = images.into_iter();
        let sized = sized.filter_map(|image| self.sized(image.get(), measured));
        let sized: Vec<Cow<'_, str>> = sized.collect();
        let is_same = |image: &Cow<'_, str>| matches!(image, Cow::Borrowed(_));
        if sized.len() == count && sized.iter().all(is_same) {
            return Some(Cow::Borrowed(json));
        }
        (!sized.is_empty()).then(|| Cow::Owned(format!("[{}]", sized.join(","))))
    }

    /// An image with its size, unless it has none.
    fn sized<'j>(&mut self, json: &'j str, measured: Measured<'_>) -> Option<Cow<'j, str>> {
        let Ok(image) = serde_json::from_str::<Image>(json) else {
            return Some(Cow::Borrowed(json));
        };
        self.all += 1;
        let has_size = image.width.is_some() && image.height.is_some();
        if has_size && (measured.is_none() || image.format.is_some()) {
            return Some(Cow::Borrowed(json));
        }
        let found = measured.and_then(OnceLock::get).map(|measured| {
            let found = measured.get(&image.url).copied();
            found.unwrap_or(Err(Unmeasured::NoTime))
        });
        let why = match found {
            Some(Ok(size)) => return filled(json, has_size, size).map(Cow::Owned),
            Some(Err(why)) => Some(why),
            None => None,
        };
        let address = image.url;
        self.left_out.push(LeftOut { address, why });
        None
    }
}

/// An image with what was measured in place of what is missing: a width and a height that do not
/// come from one source may be of no shape at all, so both are replaced where one is missing.
fn filled(json: &str, has_size: bool, size: ImageSize) -> Option<String> {
    let mut members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(json).ok()?;
    let mut set = |name: &str, value| Some(members.insert(name.to_owned(), value));
    if !has_size {
        set("width", to_raw_value(&size.width).ok()?);
        set("height", to_raw_value(&size.height).ok()?);
    }
    let has_format = members.get("format").is_some_and(|of| of.get() != "null");
    if !has_format {
        members.insert("format".to_owned(), to_raw_value(size.format).ok()?);
    }
    serde_json::to_string(&members).ok()
}

/// The images of all records, and those that were left out.
#[derive(Default)]
pub(super) struct AllImages {
    pub(super) tally: ImageTally,
    /// The place of the record that had the first, and its address.
    first: Option<(usize, String)>,
    reasons: BTreeMap<Unmeasured, u64>,
    /// The hosts that an import would ask.
    hosts: BTreeSet<String>,
}

impl AllImages {
    /// Adds the images of the record at a place.
    pub(super) fn add(&mut self, place: usize, images: Images) {
        self.tally.all += images.all;
        for LeftOut { address, why } in images.left_out {
            self.tally.left_out += 1;
            self.tally.may_follow += u64::from(why.is_none_or(Unmeasured::may_pass));
            if let Some(why) = why {
                *self.reasons.entry(why).or_default() += 1;
            }
            if why == Some(Unmeasured::NotAsked) && self.hosts.len() < HOSTS_MAX {
                let url = Url::parse(&address).ok();
                let host = url.as_ref().and_then(Url::host_str);
                self.hosts.extend(host.map(str::to_owned));
            }
            self.first.get_or_insert((place, address));
        }
    }

    /// The finding about those that were left out; `place_of` finds the place of a record.
    pub(super) fn finding(&self, place_of: impl Fn(usize) -> Place) -> Option<Finding> {
        let (place, address) = self.first.as_ref()?;
        let what = match self.tally.left_out {
            1 => "1 image was left out, because its width or height is not known: ".to_owned(),
            count => format!(
                "{count} images, from here on, were left out, because their width or height is not known; the first is "
            ),
        };
        let reasons = self.reasons.iter();
        let reasons: Vec<String> = reasons
            .map(|(why, count)| format!("{count} {}", why.as_str()))
            .collect();
        let reasons = if reasons.is_empty() {
            String::new()
        } else {
            format!("; by reason: {}", reasons.join(", "))
        };
        let message = format!("{what}{}{reasons}", cut(address));
        Some(Finding {
            hint: self.hint(address),
            ..Finding::new(Code::ImageWithoutSize, Some(place_of(*place)), message)
        })
    }

    fn hint(&self, address: &str) -> Option<String> {
        if self.reasons.is_empty() {
            return address.starts_with("http").then(|| MEASURE.to_owned());
        }
        if self.reasons.contains_key(&Unmeasured::NotPublic) {
            return Some("--image-host HOST lets a host of a private network be asked".to_owned());
        }
        let named = self.hosts.iter().take(HOSTS_NAMED);
        let named: Vec<String> = named.map(|host| cut(host)).collect();
        let more = match self.hosts.len().saturating_sub(named.len()) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let asks = || {
            format!(
                "nothing is asked here; an import asks {}{more}",
                named.join(", ")
            )
        };
        (!named.is_empty()).then(asks)
    }
}
