//! Surveys the records of an export: their keys, with some values of each.
//!
//! A survey is a sample, not a check: it reads the first records of each file, and leaves finding
//! mistakes in them to the check of the resulting mapping.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::path::Path;

use serde_json::{Map, Value};

use super::nested::{Access, Measure, Pair};
use super::photos::{self, Photos};
use super::text::{jq_path, plain_name, stem};
use crate::finding::{Code, CountAndFirst, Finding, Nth, Place};
use crate::mapping::folded::words;
use crate::mapping::status::words::{is_of_withheld, says_withheld};
use crate::mapping::status::{is_named, may_say};
use crate::source::error_cells::is_error;
use crate::source::{self, Export, FailedRecord, Incoming, Original, Plan, ReadContext};

/// How many files of an export are read: an export may have one for each record.
pub(super) const FILES_MAX: usize = 1_000;
/// How many records of a file are looked at.
pub(super) const RECORDS_MAX: u64 = 10_000;
/// How many keys of the records of a file are kept.
pub(super) const KEYS_MAX: usize = 16_384;
/// How many names the pairs of a list may have: more are no attributes.
const PAIRS_MAX: usize = 500;
/// How many levels deep keys are looked for in nested objects.
const DEPTH_MAX: usize = 4;
/// How many levels deep, within lists and deeper objects, names are looked at.
const LISTED_DEPTH_MAX: usize = 8;
/// The longest path of such a name, in bytes.
const LISTED_PATH_MAX: usize = 4096;
/// How many different values of a key are kept.
pub(super) const SAMPLES_MAX: usize = 20;
/// The most values of a row that is perhaps a title or a total.
const SPARSE_MAX: usize = 2;
/// Longest value that is kept, in characters.
const SAMPLE_MAX: usize = 100;

/// A file and the keys of its records.
#[derive(Debug)]
pub(super) struct Surveyed {
    /// Its path within its folder or archive.
    pub(super) path: String,
    /// The name that messages show.
    pub(super) name: String,
    /// The names of the folders that it is in, and its own, that say that its records are not public.
    pub(super) withheld_by: BTreeSet<String>,
    /// How many records it has, including those beyond [`RECORDS_MAX`].
    pub(super) records: u64,
    /// In the order in which records first have them; within a record, by name.
    pub(super) keys: Vec<Key>,
    /// Keys of objects in lists, or in texts of JSON, whose names say whether something is public.
    pub(super) listed: Vec<Key>,
    /// Indexes into `listed`, by path; none for other names.
    listed_places: HashMap<String, Option<usize>>,
    /// Indexes into `keys`, by path, while records are added.
    places: HashMap<String, usize>,
    /// Paths of lists of pairs, and how many names those have.
    pairs: HashMap<String, usize>,
    /// Paths of keys without a value that do not say whether their record is public, as far as
    /// [`KEYS_MAX`].
    untelling: HashSet<String>,
}

/// A key of records.
#[derive(Debug)]
pub(super) struct Key {
    /// Its names, from the outermost object inwards. The prefix of a name in XML is one of its own,
    /// and ends with a colon.
    pub(super) steps: Vec<String>,
    /// What reaches it in jq: a path such as `.hull."Keel type"`, or an expression in parentheses.
    pub(super) path: String,
    access: Access,
    /// How its members are read, if it is a list of photos that are objects.
    pub(super) photos: Option<Photos>,
    /// How many records have a value.
    pub(super) records: u64,
    /// The type of the values.
    pub(super) shape: Shape,
    /// Whether any of them is a number.
    pub(super) has_numbers: bool,
    /// The first different values; for lists, those of their members.
    pub(super) samples: Vec<String>,
    /// How often each of these occurs.
    pub(super) counts: Vec<u64>,
    /// Whether there are other values than these.
    pub(super) has_others: bool,
}

/// The type of the values of a key: the most complex one that occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// True or false.
    Flag,
    /// Numbers.
    Number,
    /// Texts.
    Text,
    /// Lists of any of those.
    List,
    /// Lists of objects or lists, which a single line of a mapping cannot read.
    Deep,
}

/// What a survey of an export found.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) files: Vec<Surveyed>,
    /// What is wrong with the first record that cannot be read.
    pub(super) unread: Option<String>,
    /// What is told of files, by its code.
    pub(super) remarks: BTreeMap<Code, CountAndFirst<String>>,
    /// Rows with hardly any cell.
    pub(super) sparse: CountAndFirst<Nth>,
    /// Whether a record is not UTF-8.
    pub(super) is_not_utf8: bool,
    /// Whether there are more files than [`FILES_MAX`].
    pub(super) is_cut: bool,
    /// Rows that do not fit their header.
    pub(super) bad_rows: CountAndFirst<String>,
}

/// Looks at the records of an export that are taken; taking one may drop members of it. All files
/// count as the first if they are one list.
pub(super) fn survey(
    exports: &[Export],
    plan: &Plan,
    takes: &dyn Fn(&mut Map<String, Value>) -> bool,
    is_one: bool,
    temp_dir: &Path,
) -> anyhow::Result<Survey> {
    let mut survey = Survey::default();
    let (mut header, mut unfit) = (Vec::new(), None::<Surveyed>);
    let context = ReadContext {
        temp_dir,
        progress: &(),
    };
    let read = source::read(exports, &mut io::empty(), context, plan, &mut |incoming| {
        let wrong = match &incoming {
            Incoming::Finding(finding) => Some(finding),
            Incoming::Failed(failed) => failed.findings.first(),
            _ => None,
        };
        if let Some(finding) = wrong {
            survey.note(finding, matches!(incoming, Incoming::Finding(_)));
        }
        match &incoming {
            Incoming::Header(file, of_file) => {
                header.clone_from(&of_file.names);
                unfit.get_or_insert_with(|| Surveyed::new(&file.path, &file.name));
            }
            Incoming::Failed(FailedRecord {
                original: Original::Text(row),
                ..
            }) if let Some(unfit) = unfit
                .as_mut()
                .filter(|unfit| place_of(wrong) == Some(&unfit.name)) =>
            {
                unfit.record(&named(&header, row), takes);
            }
            _ => {}
        }
        if let Incoming::Record(record) = incoming {
            let (file, files) = (record.line.file, &mut survey.files);
            if files
                .last()
                .is_none_or(|last| !is_one && last.name != file.name)
            {
                if files.len() == FILES_MAX {
                    return Err(EnoughFiles.into());
                }
                files.push(Surveyed::new(&file.path, &file.name));
            }
            if let Some(last) = files.last_mut() {
                if is_one {
                    last.is_in(&file.path);
                }
                let is_sparse = last.record(record.line.contents(), takes);
                if let Some(row @ Nth::Row(_)) = record.line.start.nth.filter(|_| is_sparse) {
                    survey.sparse.add(|| row);
                }
            }
        }
        Ok(())
    });
    if survey.files.is_empty() {
        survey.add_unfit(unfit);
    }
    survey.files.iter_mut().for_each(Surveyed::settle);
    survey.is_cut = read.as_ref().is_err_and(anyhow::Error::is::<EnoughFiles>);
    if survey.is_cut {
        return Ok(survey);
    }
    read.map(|_read| survey)
}

/// The name of the file that a finding is about.
fn place_of(finding: Option<&Finding>) -> Option<&String> {
    Some(&finding?.place.as_ref()?.file.name)
}

/// The cells of a row that does not fit the header, as far as they have names.
fn named(header: &[String], row: &[u8]) -> Vec<u8> {
    let cells: Vec<Value> = serde_json::from_slice(row).unwrap_or_default();
    let named = header.iter().cloned().zip(cells);
    let named: Map<String, Value> = named.filter(|(name, _)| !name.is_empty()).collect();
    Value::Object(named).to_string().into_bytes()
}

impl Survey {
    /// Adds rows of which none fits the header: they still show what its columns hold.
    fn add_unfit(&mut self, unfit: Option<Surveyed>) {
        match unfit {
            Some(unfit) if unfit.records == 0 => {
                let none = || format!("{} has a header but no rows", unfit.name);
                self.unread.get_or_insert_with(none);
            }
            unfit => self.files.extend(unfit),
        }
    }

    /// Notes a finding about a record, or about the file of one that was read.
    fn note(&mut self, finding: &Finding, is_about_file: bool) {
        self.is_not_utf8 |= finding.code == Code::InvalidUtf8;
        let nth = finding.place.as_ref().and_then(Place::nth);
        let file = place_of(Some(finding));
        let told = || match (nth, file) {
            (Some(nth), _) => format!("{nth}: {}", finding.message),
            (None, Some(file)) => format!("{file}: {}", finding.message),
            (None, None) => finding.message.clone(),
        };
        if is_about_file {
            let remark = self.remarks.entry(finding.code).or_default();
            remark.add(|| match nth {
                Some(_) => finding.message.clone(),
                None => told(),
            });
        }
        if finding.code == Code::InvalidRow {
            self.bad_rows.add(told);
        }
        self.unread.get_or_insert_with(told);
    }
}

/// Ends the survey after [`FILES_MAX`] files.
#[derive(Debug, thiserror::Error)]
#[error("enough files were looked at")]
struct EnoughFiles;

impl Surveyed {
    fn new(path: &str, name: &str) -> Self {
        let own = stem(plain_name(path)).to_owned();
        let mut surveyed = Self {
            path: path.to_owned(),
            name: name.to_owned(),
            withheld_by: BTreeSet::from_iter(is_of_withheld(&own).then_some(own)),
            records: 0,
            keys: Vec::new(),
            listed: Vec::new(),
            listed_places: HashMap::new(),
            places: HashMap::new(),
            pairs: HashMap::new(),
            untelling: HashSet::new(),
        };
        surveyed.is_in(path);
        surveyed
    }

    /// Notes the folders that one of its files is in.
    fn is_in(&mut self, path: &str) {
        let folders = path.split('/').rev().skip(1);
        let folders = folders.filter(|folder| is_of_withheld(folder));
        self.withheld_by.extend(folders.map(str::to_owned));
    }

    /// How many of its records were looked at.
    pub(super) fn surveyed(&self) -> u64 {
        self.records.min(RECORDS_MAX)
    }

    /// Adds a record if it is taken; returns whether it has hardly any value.
    fn record(&mut self, text: &[u8], takes: &dyn Fn(&mut Map<String, Value>) -> bool) -> bool {
        let record = serde_json::from_slice(text).unwrap_or_default();
        let mut members = match record {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        if !takes(&mut members) {
            return false;
        }
        self.records += 1;
        for (name, value) in &members {
            self.value(&mut vec![name.clone()], value);
        }
        let filled = members.values().filter(|value| !is_blank(value)).count();
        filled <= SPARSE_MAX && 2 * SPARSE_MAX < members.len()
    }

    fn value(&mut self, steps: &mut Vec<String>, value: &Value) {
        match value {
            // A key without a value in any record may have one tomorrow, and one with a value late
            // in a file has it: neither must make what it is about public.
            _ if is_blank(value) => self.without_value(steps),
            Value::Array(list) if let Some(photos) = Photos::of(steps, list) => {
                self.photos(steps, photos, list);
            }
            Value::Object(_)
                if photos::is_in_list(steps)
                    && let list = std::slice::from_ref(value)
                    && let Some(photos) = Photos::of(steps, list) =>
            {
                self.photos(steps, photos, list);
            }
            Value::Array(list) if let Some(pairs) = Pair::all(list) => self.pairs(steps, &pairs),
            Value::Object(_)
                if self.pairs.contains_key(&jq_path(steps))
                    && let Some(pairs) = Pair::all(std::slice::from_ref(value)) =>
            {
                self.pairs(steps, &pairs);
            }
            Value::Object(members) if let Some(measure) = Measure::of(members) => {
                let (own, rest): (Vec<_>, Vec<_>) =
                    members.iter().partition(|(name, _)| measure.has(name));
                let is_any = own.iter().all(|(_, value)| !is_blank(value));
                let value = measure.value(members);
                self.add(steps, &value, Access::within(steps, measure), is_any);
                for (name, value) in rest {
                    steps.push(name.clone());
                    self.value(steps, value);
                    steps.pop();
                }
            }
            Value::Object(members) if steps.len() < DEPTH_MAX => {
                for (name, value) in members {
                    steps.push(name.clone());
                    self.value(steps, value);
                    steps.pop();
                }
            }
            _ => {
                self.add(steps, value, Access::plain(steps), true);
                match value {
                    Value::String(text) if text.starts_with(['{', '[']) => {
                        let within: Value = serde_json::from_str(text).unwrap_or_default();
                        let here = if within.is_array() { "." } else { "" };
                        let path = format!("{} | fromjson | {here}", jq_path(steps));
                        self.look_within(&path, steps, &within);
                    }
                    value if is_scalar(value) => {}
                    _ => self.look_within(&jq_path(steps), steps, value),
                }
            }
        }
    }

    /// Adds what is called like a status within what no single line of a mapping reads; `path` is how
    /// that is reached.
    fn look_within(&mut self, path: &str, steps: &mut Vec<String>, value: &Value) {
        let members = match value {
            _ if LISTED_PATH_MAX < path.len() => return,
            Value::Array(list) if steps.len() <= LISTED_DEPTH_MAX => {
                let path = format!("{path}[]");
                for member in list.iter().filter(|member| !is_scalar(member)) {
                    self.look_within(&path, steps, member);
                }
                return;
            }
            Value::Object(members) if steps.len() <= LISTED_DEPTH_MAX => members,
            value if is_scalar(value) && !is_blank(value) => {
                if let Some(key) = self.listed_key(path, steps) {
                    key.add(value);
                }
                return;
            }
            _ => return,
        };
        for (name, value) in members {
            let path = format!("{path}{}", jq_path(std::slice::from_ref(name)));
            steps.push(name.clone());
            self.look_within(&path, steps, value);
            steps.pop();
        }
    }

    /// The key that is called so, if it is called like a status.
    fn listed_key(&mut self, path: &str, steps: &[String]) -> Option<&mut Key> {
        let place = match self.listed_places.get(path) {
            Some(place) => *place,
            None if KEYS_MAX <= self.listed_places.len() => None,
            None => {
                let names = names(steps);
                let place = may_say(&names).then_some(self.listed.len());
                if place.is_some() {
                    self.listed.push(Key::new(names, path.to_owned(), steps));
                }
                self.listed_places.insert(path.to_owned(), place);
                place
            }
        };
        self.listed.get_mut(place?)
    }

    /// Adds a list of photos, of which the addresses are the values.
    fn photos(&mut self, steps: &[String], photos: Photos, list: &[Value]) {
        self.add(steps, &photos.addresses(list), Access::plain(steps), true);
        if let Some(key) = self.key(steps) {
            key.shape = Shape::Deep;
            match &mut key.photos {
                Some(known) => known.join(photos),
                None => key.photos = Some(photos),
            }
        }
        // What is within is named as that of a record of its own.
        let path = format!("{}[]", jq_path(steps));
        for photo in list {
            self.look_within(&path, &mut Vec::new(), photo);
        }
    }

    /// Drops the keys of what is within photos: where an element of XML is there once, it is no
    /// list, and looks like an object of its own.
    fn settle(&mut self) {
        let lists = self.keys.iter().filter(|key| key.photos.is_some());
        let lists: Vec<Vec<String>> = lists.map(|key| key.steps.clone()).collect();
        let is_within = |key: &Key, list: &Vec<String>| {
            list.len() < key.steps.len() && key.steps.starts_with(list)
        };
        self.keys
            .retain(|key| !lists.iter().any(|list| is_within(key, list)));
    }

    /// Adds pairs of names and values, each as if it were a member of an object.
    fn pairs(&mut self, steps: &mut Vec<String>, pairs: &[(Pair<'_>, &Map<String, Value>)]) {
        let list = jq_path(steps);
        let mut named = self.pairs.remove(&list).unwrap_or_default();
        for (pair, members) in pairs {
            let value = pair.value(members);
            let is_any = !is_blank(&value);
            steps.push(pair.name.to_owned());
            let is_new = !self.places.contains_key(&jq_path(steps));
            named += usize::from(is_new);
            if is_new && PAIRS_MAX < named {
                steps.pop();
                continue;
            }
            self.add(steps, &value, pair.access(&list), is_any);
            steps.pop();
        }
        self.pairs.insert(list, named);
    }

    /// Adds a value of a key.
    fn add(&mut self, steps: &[String], value: &Value, access: Access, is_any: bool) {
        if !is_any || RECORDS_MAX < self.records {
            return self.without_value(steps);
        }
        if let Some(key) = self.key(steps) {
            match key.records {
                0 => key.access = access,
                _ => key.access.join(access),
            }
            key.path = key.access.expression();
            key.add(value);
        }
    }

    /// Adds a key that says whether its record is public, but no value of it.
    fn without_value(&mut self, steps: &[String]) {
        let path = jq_path(steps);
        if self.places.contains_key(&path) || self.untelling.contains(&path) {
            return;
        }
        if is_named(&names(steps)) {
            self.key(steps);
        } else if self.untelling.len() < KEYS_MAX {
            self.untelling.insert(path);
        }
    }

    /// The key with these names, added if it is new; `None` if there is no room for a new one.
    fn key(&mut self, steps: &[String]) -> Option<&mut Key> {
        let path = jq_path(steps);
        let place = match self.places.get(&path) {
            Some(place) => *place,
            None if self.keys.len() == KEYS_MAX => return None,
            None => {
                self.places.insert(path.clone(), self.keys.len());
                self.keys.push(Key::new(names(steps), path, steps));
                self.keys.len() - 1
            }
        };
        self.keys.get_mut(place)
    }
}

impl Key {
    fn new(names: Vec<String>, path: String, steps: &[String]) -> Self {
        Self {
            steps: names,
            path,
            access: Access::plain(steps),
            photos: None,
            records: 0,
            shape: Shape::Flag,
            has_numbers: false,
            samples: Vec::new(),
            counts: Vec::new(),
            has_others: false,
        }
    }

    fn add(&mut self, value: &Value) {
        self.records += 1;
        self.shape = self.shape.max(Shape::of(value));
        self.has_numbers |= value.is_number();
        match value {
            Value::Array(members) => members.iter().for_each(|member| self.sample(member)),
            other => self.sample(other),
        }
    }

    fn sample(&mut self, value: &Value) {
        let sample: String = match value {
            Value::String(text) => text.chars().take(SAMPLE_MAX).collect(),
            other => other.to_string().chars().take(SAMPLE_MAX).collect(),
        };
        let known = self.samples.iter().position(|known| *known == sample);
        if let Some(count) = known.and_then(|place| self.counts.get_mut(place)) {
            *count += 1;
        } else if self.samples.len() == SAMPLES_MAX {
            self.has_others = true;
            // What says that a record is not public is worth more than another value.
            if let (Some(last), Some(count)) = (self.samples.last_mut(), self.counts.last_mut())
                && sample.contains(char::is_alphabetic)
                && says_withheld(&sample)
                && !says_withheld(last)
            {
                (*last, *count) = (sample, 1);
            }
        } else if !sample.trim().is_empty() {
            self.samples.push(sample);
            self.counts.push(1);
        }
    }

    /// The words of all of its names.
    pub(super) fn words(&self) -> Vec<String> {
        self.steps.iter().flat_map(|name| words(name)).collect()
    }

    /// Whether nearly all of its values meet a condition.
    pub(super) fn mostly(&self, is_so: impl Fn(&str) -> bool) -> bool {
        let so = self.samples.iter().filter(|sample| is_so(sample)).count();
        // One value in five may be a typing error.
        !self.samples.is_empty() && self.samples.len() * 4 <= so * 5
    }

    /// Whether all of its values meet a condition.
    pub(super) fn all(&self, is_so: impl Fn(&str) -> bool) -> bool {
        !self.samples.is_empty() && self.samples.iter().all(|sample| is_so(sample))
    }
}

/// The names of a key with this path. The prefix of a namespace is apart from the name behind it.
fn names(path: &[String]) -> Vec<String> {
    let is_name =
        |text: &str| text.starts_with(char::is_alphabetic) && !text.contains(char::is_whitespace);
    let names = path.iter().flat_map(|step| match step.split_once(':') {
        Some((prefix, name)) if is_name(prefix.trim_start_matches('@')) && is_name(name) => {
            vec![format!("{prefix}:"), name.to_owned()]
        }
        _ => vec![step.clone()],
    });
    names.collect()
}

/// Whether a value has no others within.
fn is_scalar(value: &Value) -> bool {
    !value.is_array() && !value.is_object()
}

/// Whether a value is none: null, a blank text, or an error of a spreadsheet.
fn is_blank(value: &Value) -> bool {
    let text = value.as_str();
    value.is_null() || text.is_some_and(|text| text.trim().is_empty() || is_error(text))
}

impl Shape {
    fn of(value: &Value) -> Self {
        match value {
            Value::Null | Value::Bool(_) => Self::Flag,
            Value::Number(_) => Self::Number,
            Value::String(_) => Self::Text,
            Value::Array(members) => {
                let is_deep = |member: &Value| member.is_array() || member.is_object();
                if members.iter().any(is_deep) {
                    Self::Deep
                } else {
                    Self::List
                }
            }
            Value::Object(_) => Self::Deep,
        }
    }
}
