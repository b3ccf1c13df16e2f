//! Releases as JSON. Keys are always present; values that are unknown for a damaged release are
//! null.

use serde::Serialize;
use shared::base::timestamp::Timestamp;
use shared::release::manifest::FileEntry;
use shared::release::{Manifest, ReleaseError, ReleaseId};

use crate::commands::coverage::CoverageDocument;
use crate::terminal::style::Style;

/// The state of a release that the pointer names, but that is not there.
const MISSING: &str = "missing";

/// All releases.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListDocument {
    pub(super) releases: Vec<ReleaseDocument>,
    /// What is wrong with the pointer to the active one, or null.
    pub(super) pointer_damage: Option<String>,
    /// The imports that were refused since one was not, the latest first.
    pub(super) refused_imports: Vec<RefusedDocument>,
}

/// An import that was refused.
#[derive(Serialize)]
pub(super) struct RefusedDocument {
    pub(super) at: Timestamp,
    pub(super) reason: String,
}

/// One release.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReleaseDocument {
    pub(super) id: ReleaseId,
    pub(super) active: bool,
    pub(super) published_at: Option<String>,
    pub(super) boats: Option<u64>,
    pub(super) manufacturers: Option<u64>,
    pub(super) bytes: Option<u64>,
    /// Why it cannot be read, or null.
    damage: Option<String>,
    /// The same in a word.
    #[serde(skip)]
    damaged: Option<&'static str>,
}

impl ReleaseDocument {
    /// A release that has this manifest.
    pub(super) fn new(
        id: &ReleaseId,
        manifest: &Manifest,
        bytes: Option<u64>,
        active: Option<&ReleaseId>,
    ) -> Self {
        Self {
            id: id.clone(),
            active: active == Some(id),
            published_at: Some(manifest.published_at.clone()),
            boats: Some(manifest.boats),
            manufacturers: Some(manifest.manufacturers),
            bytes,
            damage: None,
            damaged: None,
        }
    }

    /// A release whose manifest cannot be read.
    pub(super) fn damaged(
        id: &ReleaseId,
        error: ReleaseError,
        bytes: Option<u64>,
        active: Option<&ReleaseId>,
    ) -> Self {
        Self {
            id: id.clone(),
            active: active == Some(id),
            published_at: None,
            boats: None,
            manufacturers: None,
            bytes,
            damaged: Some(match error {
                ReleaseError::Unknown { .. } => MISSING,
                ReleaseError::OtherFormat { .. } => "other format",
                _ => "damaged",
            }),
            damage: Some(damage(error)),
        }
    }

    /// Whether it is missing although the pointer names it.
    pub(super) fn is_missing(&self) -> bool {
        self.damaged == Some(MISSING)
    }

    /// The style of its state.
    pub(super) const fn style(&self) -> Style {
        match (&self.damage, self.active) {
            (Some(_), _) => Style::Bad,
            (None, true) => Style::Good,
            (None, false) => Style::Plain,
        }
    }

    /// Its state, for a list.
    pub(super) fn state(&self) -> String {
        let states = [self.active.then_some("active"), self.damaged];
        states.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// What is wrong with a release, with the causes.
pub(super) fn damage(error: ReleaseError) -> String {
    format!("{:#}", anyhow::Error::new(error))
}

/// One release with its files.
#[derive(Serialize)]
pub(super) struct ShownDocument<'a> {
    #[serde(flatten)]
    pub(super) release: ReleaseDocument,
    pub(super) coverage: CoverageDocument<'a>,
    pub(super) files: &'a [FileEntry],
}

/// What is served from now on.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ActiveDocument<'a> {
    pub(super) active: &'a ReleaseId,
    /// Later releases that a rollback could not go to.
    pub(super) passed_over: Vec<VerifiedDocument>,
}

/// The results of verifying releases.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct VerifiedListDocument {
    pub(super) releases: Vec<VerifiedDocument>,
    /// What is wrong with the pointer to the active release, or null.
    pub(super) pointer_damage: Option<String>,
}

/// The result of verifying one release.
#[derive(Serialize)]
pub(super) struct VerifiedDocument {
    pub(super) id: ReleaseId,
    /// What is wrong with it, or null.
    pub(super) damage: Option<String>,
}
