//! Fetching the exports that a command names, and where temporary files lie meanwhile.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::ValueHint;
use import::source::{Export, UNPACKED_MAX};

use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::context::Context;
use crate::remote::{Address, BYTES_MAX_DEFAULT, FetchError, Fetching, Remote, Source};
use crate::terminal::progress::Progress;
use crate::terminal::quantity::{ANY_MEMORY, InvalidQuantity, MEMORY};

/// Arguments for fetching and reading.
#[derive(Debug, clap::Args)]
pub struct FetchArgs {
    /// Directory for temporary files: downloads, and what does not fit into memory [default: the data directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    #[arg(env = "CATALOGUE_TEMP_DIR", hide_env_values = true)]
    pub temp_dir: Option<PathBuf>,
    /// Fetch at most this much from each address
    #[arg(long, value_name = "SIZE", default_value = "8GiB", value_parser = parse_memory)]
    pub max_bytes: u64,
    /// Unpack each compressed file to at most this much, and beyond 100 MiB to at most 200 times
    /// its size
    #[arg(long, value_name = "SIZE", default_value = "32GiB", value_parser = parse_memory)]
    pub max_unpacked_bytes: u64,
}

fn parse_memory(text: &str) -> Result<u64, InvalidQuantity> {
    MEMORY.read(text, &ANY_MEMORY)
}

impl Default for FetchArgs {
    fn default() -> Self {
        Self {
            temp_dir: None,
            max_bytes: BYTES_MAX_DEFAULT,
            max_unpacked_bytes: UNPACKED_MAX,
        }
    }
}

impl FetchArgs {
    /// The directory of temporary files: the data directory unless set otherwise, and as long as
    /// there is none, the directory in which it will be.
    pub fn temp_dir<'a>(&'a self, data: &'a Path) -> &'a Path {
        self.temp_dir.as_deref().unwrap_or_else(|| existing(data))
    }
}

/// The directory, or the nearest one on the way to it that is there.
fn existing(directory: &Path) -> &Path {
    let mut all = directory.ancestors().map(|path| match path.as_os_str() {
        // The parent of a single name.
        name if name.is_empty() => Path::new("."),
        _ => path,
    });
    all.find(|path| path.is_dir()).unwrap_or(directory)
}

/// How exports are fetched.
pub(super) struct Gathering<'a> {
    pub(super) args: &'a FetchArgs,
    pub(super) temp_dir: &'a Path,
    pub(super) progress: &'a Progress,
}

impl Gathering<'_> {
    /// The exports; those at addresses are fetched.
    pub(super) fn exports(
        &self,
        sources: &[Source],
        context: &mut Context,
    ) -> anyhow::Result<Vec<Export>> {
        let export = |source: &Source| -> anyhow::Result<Export> {
            let export = match source {
                Source::Path(path) => Export::from(path.clone()),
                Source::Address(address) => self.fetch(address, context)?,
            };
            Ok(export.unpacking_at_most(self.args.max_unpacked_bytes))
        };
        sources.iter().map(export).collect()
    }

    fn fetch(&self, address: &Address, context: &mut Context) -> anyhow::Result<Export> {
        let settings = context.remote.clone();
        let remote = connect(&settings)?;
        let mut fetching = Fetching {
            bytes_max: self.args.max_bytes,
            temp_dir: self.temp_dir,
            progress: self.progress,
            clock: &*context.clock,
            pause: &mut context.pause,
        };
        let fetched = remote.fetch(address, &mut fetching).map_err(hinted)?;
        Ok(Export::fetched(fetched.file, fetched.origin))
    }
}

/// Fetches from addresses.
pub(super) fn connect(settings: &crate::remote::RemoteSettings) -> anyhow::Result<Remote<'_>> {
    Remote::new(settings).context("could not start the threads that fetch exports")
}

/// The error with its hint. A wrong environment is wrong usage.
pub(super) fn hinted(error: FetchError) -> anyhow::Error {
    let status = if error.is_usage() {
        ExitStatus::WrongUsage
    } else {
        ExitStatus::Failure
    };
    match error.hint() {
        Some(hint) => Hinted::new(error.into(), hint, status).into(),
        None => error.into(),
    }
}

/// The paths among sources.
pub(super) fn paths(sources: &[Source]) -> impl Iterator<Item = &Path> {
    sources.iter().filter_map(Source::path)
}

/// The exports that are paths.
pub(super) fn local(sources: &[Source]) -> Vec<Export> {
    paths(sources)
        .map(PathBuf::from)
        .map(Export::from)
        .collect()
}
