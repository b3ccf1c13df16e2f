//! S3 as a model: objects in memory with conditions of writes, and calls that fare as the weather
//! is. Beside that it follows who writes the pointer and who removes what.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use async_trait::async_trait;
use bytes::Bytes;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use shared::release::ReleaseId;
use shared::release::pointer::Pointer;
use simulation::turns::{self, Process};

use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt, TryStreamExt};

use super::made::Made;
use crate::clock::START;
use crate::weather::{Fate, Weather};

/// A fault put in, to see that it is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// The pointer is replaced whatever is there.
    NoCondition,
    /// Marks are never listed.
    MarksNotSeen,
}

/// Old enough for a release to be removed.
const OLD_SECONDS: i64 = 2 * 24 * 60 * 60;

pub(crate) struct State {
    modified: BTreeMap<Path, i64>,
    weather: BTreeMap<Process, Weather>,
    /// What is active, by the pointer.
    pub(crate) active: Option<ReleaseId>,
    /// What an operator found active before it decided what to activate.
    pub(crate) decided_on: BTreeMap<Process, Option<ReleaseId>>,
    /// Files that were removed.
    pub(crate) removed: Vec<(Process, String)>,
    /// The first promise that a write broke.
    pub(crate) broken: Option<String>,
}

/// The objects.
pub(crate) struct Store {
    objects: InMemory,
    state: Mutex<State>,
    fault: Fault,
}

impl Store {
    pub(crate) fn new(fault: Fault) -> Arc<Self> {
        Arc::new(Self {
            objects: InMemory::new(),
            state: Mutex::new(State {
                modified: BTreeMap::new(),
                weather: BTreeMap::new(),
                active: None,
                decided_on: BTreeMap::new(),
                removed: Vec::new(),
                broken: None,
            }),
            fault,
        })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_weather(&self, process: Process, weather: Weather) {
        self.state().weather.insert(process, weather);
    }

    pub(crate) fn calm(&self) {
        self.state().weather.clear();
    }

    /// Publishes a file of a release; days ago, or now.
    pub(crate) fn publish(&self, id: &ReleaseId, name: &str, bytes: &[u8], is_old: bool) {
        let path = Path::from(format!("live/releases/{id}/{name}"));
        let bytes = Bytes::copy_from_slice(bytes);
        at_once(
            self.objects
                .put_opts(&path, bytes.into(), PutOptions::default()),
        )
        .unwrap();
        let age = if is_old { OLD_SECONDS } else { 0 };
        self.state().modified.insert(path, now() - age);
    }

    /// The files of a release that are missing.
    pub(crate) fn missing(&self, made: &Made) -> Vec<String> {
        let state = self.state();
        let is_missing = |name: &&String| {
            let path = Path::from(format!("live/releases/{}/{name}", made.id));
            !state.modified.contains_key(&path)
        };
        let names = made.files.iter().map(|(name, _)| name);
        names.filter(is_missing).cloned().collect()
    }

    /// One call: `work` is what S3 does.
    fn call<T>(&self, what: impl fmt::Display, work: impl Fn() -> Result<T>) -> Result<T> {
        let process = turns::process();
        let failed = || Error::Generic {
            store: "model",
            source: "the connection broke".into(),
        };
        if turns::is_gone() {
            return Err(failed());
        }
        let weather = self.state().weather.get(&process).copied();
        let weather = weather.unwrap_or(Weather::Calm);
        let fate = weather.fate();
        turns::pass(weather.way());
        if matches!(fate, Fate::Refused | Fate::Unreached | Fate::LostBefore) {
            return Err(failed());
        }
        if fate == Fate::Late {
            turns::pass(weather.way() * 10);
        }
        let done = work();
        turns::note(|| format!("{what}: {fate:?}, {}", done.is_ok()));
        turns::pass(weather.way());
        match fate {
            Fate::Answered => done,
            _ => Err(failed()),
        }
    }

    fn put_now(&self, path: &Path, payload: PutPayload, mut mode: PutMode) -> Result<PutResult> {
        let is_pointer = path.as_ref() == "live/current";
        if is_pointer && self.fault == Fault::NoCondition && matches!(mode, PutMode::Update(_)) {
            mode = PutMode::Overwrite;
        }
        let text: Vec<u8> = payload.iter().flat_map(|part| part.to_vec()).collect();
        let put = at_once(self.objects.put_opts(path, payload, mode.into()))?;
        let mut state = self.state();
        state.modified.insert(path.clone(), now());
        if is_pointer {
            state.activate(turns::process(), &text);
        }
        Ok(put)
    }

    fn remove_now(&self, path: &Path) -> Result<Path> {
        at_once(object_store::ObjectStoreExt::delete(&self.objects, path))?;
        let mut state = self.state();
        state.modified.remove(path);
        state.removed.push((turns::process(), path.to_string()));
        Ok(path.clone())
    }

    fn dated(&self, mut meta: ObjectMeta) -> ObjectMeta {
        let seconds = self.state().modified.get(&meta.location).copied();
        let seconds = u64::try_from(seconds.unwrap_or_default()).unwrap_or(0);
        meta.last_modified = (UNIX_EPOCH + Duration::from_secs(seconds)).into();
        meta
    }

    fn list_now(&self, prefix: Option<&Path>) -> Result<Vec<ObjectMeta>> {
        let is_of_marks = prefix.is_some_and(|prefix| prefix.as_ref().starts_with("live/in-use"));
        if is_of_marks && self.fault == Fault::MarksNotSeen {
            return Ok(Vec::new());
        }
        let listed = at_once(self.objects.list(prefix).try_collect::<Vec<_>>())?;
        Ok(listed.into_iter().map(|meta| self.dated(meta)).collect())
    }
}

impl State {
    /// The pointer is written.
    fn activate(&mut self, process: Process, text: &[u8]) {
        let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let pointer: Pointer = serde_json::from_slice(line).unwrap();
        turns::note(|| format!("{} is active", pointer.release));
        let decided_on = self.decided_on.get(&process);
        if decided_on.is_some_and(|before| *before != self.active) {
            self.broken = Some(format!(
                "{} is activated after {:?}, which was not what it was decided on: {decided_on:?}",
                pointer.release, self.active
            ));
        }
        self.active = Some(pointer.release);
    }
}

fn now() -> i64 {
    START + i64::try_from(turns::now().as_secs()).unwrap()
}

/// What memory does is done when it is asked.
fn at_once<T>(work: impl Future<Output = T>) -> T {
    work.now_or_never().unwrap()
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Store")
    }
}

impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the model")
    }
}

/// The store as servers and operators reach it.
#[derive(Clone, Debug)]
pub(crate) struct Reached(pub(crate) Arc<Store>);

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[async_trait]
impl ObjectStore for Reached {
    async fn put_opts(
        &self,
        location: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        let put = || {
            let (payload, mode) = (payload.clone(), options.mode.clone());
            self.0.put_now(location, payload, mode)
        };
        self.0.call(format_args!("put {location}"), put)
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.0.objects.put_multipart_opts(location, options).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        self.0.call(format_args!("get {location}"), || {
            let mut got = at_once(self.0.objects.get_opts(location, options.clone()))?;
            got.meta = self.0.dated(got.meta);
            Ok(got)
        })
    }

    fn delete_stream(
        &self,
        locations: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        let store = Arc::clone(&self.0);
        let removed = locations.map(move |path| {
            let path = path?;
            store.call(format_args!("remove {path}"), || store.remove_now(&path))
        });
        removed.boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let what = prefix.map(ToString::to_string).unwrap_or_default();
        let listed = self
            .0
            .call(format_args!("list {what}"), || self.0.list_now(prefix));
        match listed {
            Ok(listed) => stream::iter(listed.into_iter().map(Ok)).boxed(),
            Err(error) => stream::iter([Err(error)]).boxed(),
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.0.objects.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.0.objects.copy_opts(from, to, options).await
    }
}
