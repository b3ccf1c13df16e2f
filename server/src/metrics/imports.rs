//! When exports were imported, and whether the last import was refused.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use super::families::Families;

/// What is known of imports. Times are Unix seconds, 0 where none is known.
#[derive(Default)]
pub(crate) struct Imports {
    tried: AtomicI64,
    succeeded: AtomicI64,
    is_refused: AtomicBool,
}

impl Imports {
    /// When the last one was tried that is known of.
    pub(crate) fn tried(&self) -> i64 {
        self.tried.load(Ordering::Relaxed)
    }

    /// One was tried, and perhaps it succeeded.
    pub(crate) fn see(&self, tried: i64, has_succeeded: bool) {
        self.tried.fetch_max(tried, Ordering::Relaxed);
        if has_succeeded {
            self.succeeded.fetch_max(tried, Ordering::Relaxed);
        }
    }

    /// Whether the last one was refused, and nothing was activated since.
    pub(crate) fn refuse(&self, is_refused: bool) {
        self.is_refused.store(is_refused, Ordering::Relaxed);
    }

    /// Adds them. What is served was imported when it was `published`, even where the log of
    /// releases does not say so any more.
    pub(crate) fn collect(&self, published: i64, families: &mut Families) {
        let succeeded = self.succeeded.load(Ordering::Relaxed).max(published);
        families.gauge(
            "catalogue_import_attempt_timestamp_seconds",
            "When an import was last tried, by the log of releases, Unix time.",
            self.tried().max(succeeded),
        );
        families.gauge(
            "catalogue_import_success_timestamp_seconds",
            "When an import last succeeded, or found nothing new, Unix time.",
            succeeded,
        );
        families.gauge(
            "catalogue_import_refused",
            "1 if the last import was refused and nothing was activated since, else 0.",
            u8::from(self.is_refused.load(Ordering::Relaxed)),
        );
    }
}
