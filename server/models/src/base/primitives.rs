//! What the sources of `server` find under the names of its `primitives`, made by the model
//! checker.

use std::fmt;
use std::sync::{Arc, PoisonError};

pub(crate) use loom::sync::atomic;

/// A value that is replaced as a whole, as by `arc-swap`: what orders memory is the one atomic, as
/// there. The model checker does not see the lock of the standard library.
pub(crate) struct Swap<T> {
    current: atomic::AtomicUsize,
    all: std::sync::Mutex<Vec<Option<Arc<T>>>>,
}

impl<T> Swap<T> {
    pub(crate) fn load(&self) -> Option<Arc<T>> {
        let current = self.current.load(atomic::Ordering::Acquire);
        self.all()[current].clone()
    }

    pub(crate) fn store(&self, value: Option<Arc<T>>) {
        let new = {
            let mut all = self.all();
            all.push(value);
            all.len() - 1
        };
        self.current.store(new, atomic::Ordering::Release);
    }

    fn all(&self) -> std::sync::MutexGuard<'_, Vec<Option<Arc<T>>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Default for Swap<T> {
    fn default() -> Self {
        Self {
            current: atomic::AtomicUsize::new(0),
            all: std::sync::Mutex::new(vec![None]),
        }
    }
}

impl<T> fmt::Debug for Swap<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Swap(..)")
    }
}
