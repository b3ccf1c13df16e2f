//! The mapping threads: a pool whose threads have compiled programs, with a watch over them.
//!
//! Their stacks are as large as nested values need. There are fewer threads if the system refuses
//! such stacks: every thread must be able to map the same records.

use std::num::NonZero;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use super::big_stack::{deep_builder, named};
use super::definition::Definition;
use super::index::Index;
use super::mapper::Mapper;
use super::watch::{self, Position, Watch};
use crate::pool::{Output, Pending, Pieces, Pool};

/// The most mapping threads.
const THREADS_MAX: usize = 8;

/// The threads.
pub(super) struct Workers {
    pool: Pool<Mapper>,
    definition: Arc<Definition>,
}

/// Where a task sends its pieces.
pub(super) struct PieceSender<'p, T> {
    pieces: &'p Pieces<T>,
    position: Arc<Position>,
}

impl<T> PieceSender<'_, T> {
    /// Hands over a piece, waiting until the queue has room.
    pub(super) fn send(&self, piece: T) -> anyhow::Result<()> {
        self.position.rest();
        self.pieces.send(piece)
    }
}

impl Workers {
    /// Starts a thread for each processor, as long as the system has room for their stacks.
    pub(super) fn start(
        definition: &Arc<Definition>,
        processors: NonZero<usize>,
        index: &Arc<Index>,
        now: i64,
    ) -> anyhow::Result<Self> {
        let mut watch = Watch::new(definition);
        let wanted = processors.min(NonZero::new(THREADS_MAX).unwrap_or(processors));
        let mut pool = Pool::start(wanted, |thread| {
            let builder = match deep_builder() {
                None if 0 < thread => return None,
                builder => builder.unwrap_or_else(named),
            };
            let (definition, index) = (Arc::clone(definition), Arc::clone(index));
            let position = watch.add();
            // Cannot fail: the mapping was already compiled when it was read.
            let mapper =
                move || Mapper::new(&definition, index, (wanted.get(), now), position).ok();
            Some((builder, mapper))
        })?;
        pool.set_on_tick(move || watch.look());
        Ok(Self {
            pool,
            definition: Arc::clone(definition),
        })
    }

    /// The most tasks that are worth beginning before the first of them ends.
    pub(super) const fn pending_max(&self) -> usize {
        self.pool.pending_max()
    }

    /// Queues a task for the next free thread. If it panics, the error names the record.
    pub(super) fn begin<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut Mapper, &PieceSender<'_, T>) -> anyhow::Result<()> + Send + 'static,
    ) -> Output<T> {
        let definition = Arc::clone(&self.definition);
        self.pool.begin(move |mapper: &mut Mapper, pieces| {
            let position = Arc::clone(mapper.position());
            let sender = PieceSender { pieces, position };
            let acted = panic::catch_unwind(AssertUnwindSafe(|| act(mapper, &sender)));
            sender.position.rest();
            acted.unwrap_or_else(|_payload| Err(watch::panicked(&definition, &sender.position)))
        })
    }

    /// The next piece of a task; `None` once it has ended. Waits as long as the threads make
    /// progress.
    pub(super) fn next<T>(&mut self, output: &Output<T>) -> anyhow::Result<Option<T>> {
        self.pool.next(output)
    }

    /// Hands the pieces of the first tasks to `take` until at most `left` tasks are pending.
    pub(super) fn take<T>(
        &mut self,
        pending: &mut Pending<T>,
        left: usize,
        take: &mut dyn FnMut(T) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.pool.take(pending, left, take)
    }
}
