//! Lists of photos that are objects: JSON such as `[{"src": "https://…", "alt": "…"}]`, and elements
//! of XML.
//!
//! It finds the address in each, and writes the line that reads them. Which field the list is the
//! source of is not decided here.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::nested::{TEXT, called};
use super::text::{jq_path, quoted};
use crate::mapping::folded::words;
use crate::mapping::status::words::{flag_of, is_word_public};
use crate::mapping::status::{flag_named, is_status};

/// What lists of photos, and the photos in them, are called.
const NAMES: [&str; 20] = [
    "afbeelding",
    "afbeeldingen",
    "bild",
    "bilder",
    "foto",
    "fotos",
    "galerie",
    "gallery",
    "image",
    "imagen",
    "imagenes",
    "images",
    "immagine",
    "immagini",
    "media",
    "photo",
    "photos",
    "picture",
    "pictures",
    "thumbnails",
];
/// What members for the address of a photo are called; likelier ones come first.
const ADDRESSES: [&str; 8] = [
    "url",
    "src",
    "href",
    "uri",
    "link",
    "content url",
    "image url",
    "photo url",
];
/// What members are called that describe it.
const TEXTS: [&str; 4] = ["alt", "alt text", "caption", "title"];
/// What members for its size are called, as the fields of an image are.
const SIDES: [&str; 2] = ["width", "height"];
/// What members are called that say what each of several kinds of media is.
const TYPES: [&str; 5] = ["type", "kind", "media type", "mime type", "mime"];
/// How addresses of images end.
const ENDINGS: [&str; 8] = [
    ".avif", ".gif", ".heic", ".jpeg", ".jpg", ".png", ".svg", ".webp",
];

/// How the photos of a list are read.
#[derive(Clone, Debug)]
pub(super) struct Photos {
    /// The path of the list.
    list: String,
    /// Which member of each is its address.
    address: String,
    text: Option<String>,
    /// The member for each of [`SIDES`], and whether it is a number.
    sides: Option<[(String, bool); 2]>,
    /// The members that say by yes or no whether each is public, and whether yes says that it is.
    flags: BTreeMap<String, bool>,
    /// The members that say it by words, and whether a word that is known says that it is.
    words: BTreeMap<String, BTreeMap<String, Option<bool>>>,
    /// The values of the member that says what each is, and whether it is an image.
    types: BTreeMap<(String, String), bool>,
}

impl Photos {
    /// What is read of the objects in a list that is called like one of photos. An element of XML
    /// that is there once stands for itself.
    pub(super) fn of(steps: &[String], photos: &[Value]) -> Option<Self> {
        let is_called_so = steps.last().is_some_and(|name| names_any(name));
        let mut objects = photos.iter().filter_map(Value::as_object);
        let first = objects.next().filter(|_| is_called_so)?;
        let address = called(first, &ADDRESSES);
        let address = address.or_else(|| first.contains_key(TEXT).then_some(TEXT))?;
        let side = |name: &str| {
            let member = called(first, &[name])?;
            Some((member.to_owned(), first.get(member)?.is_number()))
        };
        let [width, height] = SIDES.map(side);
        let photos = Self {
            list: jq_path(steps),
            address: address.to_owned(),
            text: called(first, &TEXTS).map(str::to_owned),
            sides: width.zip(height).map(|(width, height)| [width, height]),
            flags: flags(photos),
            words: words_of(photos),
            types: types(photos),
        };
        photos.address_of(first).map(|_any| photos)
    }

    /// The addresses of the photos in a list.
    pub(super) fn addresses(&self, photos: &[Value]) -> Value {
        let objects = photos.iter().filter_map(Value::as_object);
        objects
            .filter_map(|photo| self.address_of(photo).cloned())
            .collect()
    }

    fn address_of<'p>(&self, photo: &'p Map<String, Value>) -> Option<&'p Value> {
        let address = photo.get(&self.address)?;
        let is_web = address.as_str()?.starts_with("http");
        is_web.then_some(address)
    }

    /// Takes over what only another list has.
    pub(super) fn join(&mut self, other: Self) {
        self.text = self.text.take().or(other.text);
        self.flags.extend(other.flags);
        for (name, words) in other.words {
            self.words.entry(name).or_default().extend(words);
        }
        self.types.extend(other.types);
    }

    /// Whether it decides by this member whether a photo is left out.
    pub(super) fn decides_by(&self, member: &str) -> bool {
        self.flags.contains_key(member) || self.words.contains_key(member)
    }

    /// Whether a path is that of something within the photos.
    pub(super) fn is_around(&self, path: &str) -> bool {
        let within = path.strip_prefix(&*self.list);
        within.is_some_and(|path| path.starts_with("[]"))
    }

    /// By which members it decides, if any is left out.
    pub(super) fn deciding(&self) -> Vec<&str> {
        let of_words = self
            .words
            .keys()
            .filter(|name| !self.flags.contains_key(*name));
        let names = self.flags.keys().chain(of_words);
        let types = self.types.keys().filter(|_| self.is_mixed());
        let mut names: Vec<&str> = names.map(String::as_str).collect();
        names.extend(types.map(|(name, _)| name.as_str()));
        names.dedup();
        names
    }

    /// Whether some of the media are images and others are not.
    fn is_mixed(&self) -> bool {
        self.types.values().any(|is| *is) && self.types.values().any(|is| !*is)
    }

    /// The right-hand side of the field.
    pub(super) fn line(&self) -> String {
        let path = |member: &String| jq_path(std::slice::from_ref(member));
        let address = path(&self.address);
        let url = if self.address == TEXT {
            // Without attributes, an element is its text.
            format!("if type == \"object\" then {address} else . end")
        } else {
            address
        };
        let mut fields = vec![("url", url.clone())];
        let optional = if self.address == TEXT {
            "? // null"
        } else {
            ""
        };
        let text = self.text.as_ref();
        fields.extend(text.map(|text| ("alt", format!("{}{optional}", path(text)))));
        for (name, (member, is_number)) in SIDES.iter().zip(self.sides.iter().flatten()) {
            let read = if *is_number { "" } else { " | number" };
            fields.push((*name, format!("{}{optional}{read}", path(member))));
        }
        if self.sides.is_some() {
            fields.push(("format", format_of(&url)));
        }
        let fields = fields.iter();
        let fields: Vec<String> = fields
            .map(|(name, read)| format!("{name} = {}", quoted(read)))
            .collect();
        let each = quoted(&format!("{} | many{}", self.list, self.selection()));
        format!("{{ each = {each}, fields = {{ {} }} }}", fields.join(", "))
    }

    /// What leaves out members that are not public, or no images.
    fn selection(&self) -> String {
        let member = |name: &String| format!("({}? // null", jq_path(std::slice::from_ref(name)));
        let flags = self.flags.iter().map(|(name, says_public)| {
            let is_public = if *says_public { "== true" } else { "!= true" };
            format!("{} | flag) {is_public}", member(name))
        });
        let images = self.types.iter().filter(|(_, is_image)| **is_image);
        let images = images.map(|((name, kind), _)| {
            let kind = Value::from(kind.as_str());
            format!("{}) == {kind}", member(name))
        });
        let images: Vec<String> = images.collect();
        let images = self
            .is_mixed()
            .then(|| format!("({})", images.join(" or ")));
        let by_words = self.words.iter();
        let by_words = by_words.filter(|(name, _)| !self.flags.contains_key(*name));
        let by_words = by_words.map(|(name, words)| by_words_of(&member(name), words));
        let tests: Vec<String> = flags.chain(by_words).chain(images).collect();
        if tests.is_empty() {
            return String::new();
        }
        format!(" | map(select({}))", tests.join(" and "))
    }
}

/// An expression for the format of the image at an address: the ending of its name, null without one.
pub(super) fn format_of(address: &str) -> String {
    let name = "values | split(\"?\")[0] | split(\"/\") | last | split(\".\")[1:] | last";
    format!("({address} | {name} | values | ascii_downcase) // null")
}

/// The members of photos that say by yes or no whether each is public.
fn flags(photos: &[Value]) -> BTreeMap<String, bool> {
    let members = photos.iter().filter_map(Value::as_object).flatten();
    let is_flag = |value: &Value| match value {
        Value::String(text) => flag_of(text).is_some(),
        other => flag_of(&other.to_string()).is_some(),
    };
    let flags = members.filter(|(_, value)| is_flag(value));
    flags
        .filter_map(|(name, _)| Some((name.clone(), flag_named(name)?)))
        .collect()
}

/// The members of photos that say by words whether each is public.
fn words_of(photos: &[Value]) -> BTreeMap<String, BTreeMap<String, Option<bool>>> {
    let mut found: BTreeMap<String, BTreeMap<String, Option<bool>>> = BTreeMap::new();
    for (name, value) in photos.iter().filter_map(Value::as_object).flatten() {
        let text = value.as_str().filter(|text| flag_of(text).is_none());
        let text = text.filter(|_| is_status(name));
        if let Some(text) = text.filter(|text| !text.bytes().any(|byte| byte.is_ascii_digit())) {
            let words = found.entry(name.clone()).or_default();
            words.insert(text.to_owned(), is_word_public(text));
        }
    }
    found
}

/// The test for photos whose word says that they are public. One that is not known is an error,
/// which names it, so that a person decides.
fn by_words_of(member: &str, words: &BTreeMap<String, Option<bool>>) -> String {
    let is_one_of = |wanted: bool| {
        let words = words.iter().filter(|(_, is)| **is == Some(wanted));
        let tests = words.map(|(word, _)| format!(". == {}", Value::from(word.as_str())));
        let tests: Vec<String> = tests.collect();
        match tests.as_slice() {
            [] => "false".to_owned(),
            tests => tests.join(" or "),
        }
    };
    let (public, withheld) = (is_one_of(true), is_one_of(false));
    format!(
        "{member} | if {public} then true elif {withheld} then false else \
         error(\"decide whether a photo with \" + tojson + \" is public\") end)"
    )
}

/// The values of the member of media that says what each is, and whether it is an image.
fn types(media: &[Value]) -> BTreeMap<(String, String), bool> {
    let objects = media.iter().filter_map(Value::as_object);
    let of_object = |object: &Map<String, Value>| {
        let name = called(object, &TYPES)?;
        let kind = object.get(name)?.as_str()?.to_owned();
        let is_image = names_any(&kind) || words(&kind).iter().any(|word| is_ending(word));
        Some(((name.to_owned(), kind), is_image))
    };
    objects.filter_map(of_object).collect()
}

/// Whether a word is how addresses of images end, without its dot.
fn is_ending(word: &str) -> bool {
    let mut endings = ENDINGS.iter();
    endings.any(|ending| ending.trim_start_matches('.') == word)
}

/// Whether a name says that these are photos, among other words.
fn names_any(name: &str) -> bool {
    words(name)
        .iter()
        .any(|word| NAMES.contains(&word.as_str()))
}

/// The names of a list, without that of each photo in it: `photos.photo` are the photos.
pub(super) fn list_of(steps: &[String]) -> &[String] {
    match steps.split_last() {
        Some((_, around)) if is_in_list(steps) => around,
        _ => steps,
    }
}

/// Whether these names are those of a photo in a list: the last two say so.
pub(super) fn is_in_list(steps: &[String]) -> bool {
    let is_name = |name: &String| {
        let words = words(name);
        !words.is_empty() && words.iter().all(|word| NAMES.contains(&word.as_str()))
    };
    matches!(steps, [.., list, photo] if is_name(list) && is_name(photo))
}

/// Whether values look like photos, by the names of their key or by themselves.
pub(super) fn look_like(steps: &[String], values: &[String]) -> bool {
    let is_called_so = steps.iter().any(|name| names_any(name));
    let is_image = |value: &str| {
        let lower = value.to_ascii_lowercase();
        ENDINGS.iter().any(|ending| lower.contains(ending))
    };
    // Addresses without a host or a scheme, alone or in objects, are of the same site.
    let is_address = |value: &&String| {
        value.contains("http") || value.starts_with('/') || value.contains("\":\"/")
    };
    let mut web = values.iter().filter(is_address);
    web.any(|value| is_called_so || is_image(value))
}
