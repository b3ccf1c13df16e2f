//! What a server runs on: made before anything is opened, so that a server that cannot have its
//! threads says so at once, and one that starts is not ended by a signal that is not meant to.

use server::catalogue::OpenSettings;
use server::threads;
use tokio::runtime::Runtime;

use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::stop::outlive_others;

/// What a server runs on that opens releases with these settings: all threads that requests need.
/// From now on, signals that are not to end it do not.
pub fn start(settings: OpenSettings) -> anyhow::Result<Runtime> {
    let runtime = threads::runtime(settings).map_err(|why| {
        let error = anyhow::Error::new(why).context("could not start the threads of the server");
        let hint =
            "allow more: ulimit -u, TasksMax= of the unit, or the pids limit of the container";
        Hinted::new(error, hint, ExitStatus::Failure)
    })?;
    {
        let _entered = runtime.enter();
        outlive_others()?;
    }
    Ok(runtime)
}
