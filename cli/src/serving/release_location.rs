//! Where this run's releases are published: in the data directory, or in S3.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use rand::RngCore;
use shared::base::data_dir::DataDir;
use shared::release::s3::{NoTransferListener, S3Error, TransferListener};
use shared::release::{ReleaseError, ReleaseStore, Releases, S3Address, S3Releases};

use crate::hints::Hinted;
use crate::process::context::Context;
use crate::terminal::progress::Progress;

/// The location of releases, as typed or set.
#[derive(Clone, Copy)]
pub struct ReleaseLocation<'a> {
    /// The data directory.
    pub data: &'a Path,
    /// The address in S3, if they are there.
    pub address: Option<&'a S3Address>,
}

impl<'a> ReleaseLocation<'a> {
    /// The data directory, whatever else is set.
    pub const fn in_directory(data: &'a Path) -> Self {
        Self {
            data,
            address: None,
        }
    }

    /// Opens the releases. If `is_shown`, shows the progress of large files at a terminal.
    pub fn open(self, is_shown: bool, context: &mut Context) -> anyhow::Result<Box<dyn Releases>> {
        let data = DataDir::new(self.data);
        let Some(address) = self.address else {
            return Ok(Box::new(ReleaseStore::new(data)));
        };
        let listener: Box<dyn TransferListener> = if is_shown && context.terminal.err {
            Box::new(Progress::new(true))
        } else {
            Box::new(NoTransferListener)
        };
        let who = format!("{:016x}", context.random.next_u64());
        let address = address.clone();
        let clock = Arc::clone(&context.clock);
        let releases = S3Releases::open(address, &context.s3, &data, who, listener, clock);
        Ok(Box::new(releases.map_err(hinted)?))
    }
}

/// The error, as wrong usage if an environment variable is wrong.
fn hinted(error: ReleaseError) -> anyhow::Error {
    let is_usage = matches!(
        &error,
        ReleaseError::S3 {
            source: S3Error::Setting { .. },
            ..
        }
    );
    if is_usage {
        let hint = error.hint().unwrap_or_default();
        return Hinted::wrong_usage(error.into(), hint).into();
    }
    error.into()
}

impl fmt::Display for ReleaseLocation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address {
            Some(address) => address.fmt(f),
            None => self.data.display().fmt(f),
        }
    }
}
