//! The async runtime of a server. It is created before anything is opened, so that a server that
//! cannot have its threads fails at once, and unrelated signals do not end one that starts.

use server::catalogue::OpenSettings;
use server::threads;
use tokio::runtime::Runtime;

use crate::exit_status::ExitStatus;
use crate::hints::Hinted;
use crate::process::stop::outlive_others;

/// The runtime of a server that opens releases with these settings, with all threads that requests
/// need. From now on, signals that should not end a server do not.
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
