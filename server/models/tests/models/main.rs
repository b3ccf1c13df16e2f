//! What holds in whatever order threads meet.

mod confirmed;

/// Tries every order in which the threads of `model` may meet, but those with more than
/// `preemptions` switches away from a thread that could go on: three find nearly all faults there
/// are, and keep the number of orders bearable.
fn check(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}
