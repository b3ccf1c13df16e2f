//! The images of native records: their sizes are filled in where they were measured, and images
//! without a width or a height are left out, because a size must not be invented. A warning tells
//! each.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::{RawValue, to_raw_value};
use shared::base::field_path::{FieldPath, Step};
use url::Url;

use crate::address::shown;
use crate::finding::{Code, Excerpt, Finding, Kind, Place, RecordName, cut};
use crate::image::{ADDRESS_MAX, ImageSize, ImageTally, MeasuredImages, Unmeasured};

/// What to do about images that were not to be measured.
const MEASURE: &str = "with `images = \"measure\"` at the top of the mapping, an import reads its \
                       size from its address";
/// What to do about an image in a network of one's own.
const ALLOW: &str = "an import asks a host of a private network with --image-host HOST";

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
    path: FieldPath<'static>,
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

/// Whether a member of a record is its images, or one.
pub(super) fn are(kind: Kind, name: &str) -> bool {
    matches!(
        (kind, name),
        (Kind::Boat, "image" | "gallery") | (Kind::Manufacturer, "logo")
    )
}

impl Images {
    /// The addresses of the images that were left out, as far as one can be asked.
    pub(super) fn into_addresses(self) -> impl Iterator<Item = String> {
        let addresses = self.left_out.into_iter().map(|image| image.address);
        addresses.filter(|address| address.len() <= ADDRESS_MAX)
    }

    /// Counts the images.
    pub(super) fn count(&self, tally: &mut ImageTally) {
        tally.all += self.all;
        tally.left_out += self.left_out.len() as u64;
        let whys = self.left_out.iter().map(|image| image.why);
        let may_follow = whys.filter(|why| why.is_none_or(Unmeasured::may_pass));
        tally.may_follow += may_follow.count() as u64;
    }

    /// The findings about those that were left out of a record, which is `json` without them.
    pub(super) fn findings(
        self,
        place: &Place,
        (kind, json): (Kind, &str),
    ) -> impl Iterator<Item = Finding> {
        let is_any = !self.left_out.is_empty();
        let id = is_any.then(|| serde_json::from_str::<Identified>(json).ok());
        let id = id.flatten().map(|Identified { id }| cut(&id));
        let left_out = self.left_out.into_iter();
        left_out.map(move |LeftOut { path, address, why }| {
            let (message, address) = (message(&address, why), cut(&shown(&address)));
            Finding {
                record: Some(RecordName {
                    id: id.clone(),
                    ..RecordName::of_kind(kind)
                }),
                path: Some(path),
                hint: hint(&address, why),
                excerpt: Some(Excerpt::new(&address, &(0..address.len()))),
                value: Some(address),
                ..Finding::new(Code::ImageWithoutSize, Some(place.clone()), message)
            }
        })
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
        let path = || FieldPath::record().then(Step::key(name.to_owned()));
        match name {
            _ if !are(kind, name) => Some(Cow::Borrowed(json)),
            "gallery" => self.gallery(json, measured, path),
            _ => self.sized(json, measured, path),
        }
    }

    fn gallery<'j>(
        &mut self,
        json: &'j str,
        measured: Measured<'_>,
        path: impl Fn() -> FieldPath<'static>,
    ) -> Option<Cow<'j, str>> {
        let Ok(images) = serde_json::from_str::<Vec<&RawValue>>(json) else {
            return Some(Cow::Borrowed(json));
        };
        let count = images.len();
        let sized = images.into_iter().enumerate();
        let sized = sized.filter_map(|(place, image)| {
            self.sized(image.get(), measured, || path().then(Step::Index(place)))
        });
        let sized: Vec<Cow<'_, str>> = sized.collect();
        let is_same = |image: &Cow<'_, str>| matches!(image, Cow::Borrowed(_));
        if sized.len() == count && sized.iter().all(is_same) {
            return Some(Cow::Borrowed(json));
        }
        (!sized.is_empty()).then(|| Cow::Owned(format!("[{}]", sized.join(","))))
    }

    /// An image with its size, unless it has none.
    fn sized<'j>(
        &mut self,
        json: &'j str,
        measured: Measured<'_>,
        path: impl FnOnce() -> FieldPath<'static>,
    ) -> Option<Cow<'j, str>> {
        let Ok(image) = serde_json::from_str::<Image>(json) else {
            return Some(Cow::Borrowed(json));
        };
        self.all += 1;
        let has_size = image.width.is_some() && image.height.is_some();
        if has_size && (measured.is_none() || image.format.is_some()) {
            return Some(Cow::Borrowed(json));
        }
        let found = measured.and_then(OnceLock::get).map(|measured| {
            let is_asked = image.url.len() <= ADDRESS_MAX;
            let found = measured.get(&image.url).copied();
            found.unwrap_or(Err(if is_asked {
                Unmeasured::NoTime
            } else {
                Unmeasured::NoAddress
            }))
        });
        let why = match found {
            Some(Ok(size)) => return filled(json, has_size, size).map(Cow::Owned),
            Some(Err(why)) => Some(why),
            None => None,
        };
        self.left_out.push(LeftOut {
            path: path(),
            address: image.url,
            why,
        });
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

/// The member of a native record that tells it from others.
#[derive(Deserialize)]
struct Identified {
    id: String,
}

fn message(address: &str, why: Option<Unmeasured>) -> String {
    let host = || Url::parse(address).ok()?.host_str().map(cut);
    match why {
        None => "an image without a width or a height is left out".to_owned(),
        // The hosts that would be asked are told apart.
        Some(Unmeasured::NotAsked) if let Some(host) = host() => format!(
            "an image of {host} is left out here, as its size is not known: an import asks for it"
        ),
        Some(why) => format!(
            "an image is left out, as its size is not known: {}",
            why.as_str()
        ),
    }
}

fn hint(address: &str, why: Option<Unmeasured>) -> Option<String> {
    match why {
        None => address.starts_with("http").then(|| MEASURE.to_owned()),
        Some(Unmeasured::NotPublic) => Some(ALLOW.to_owned()),
        Some(_) => None,
    }
}
