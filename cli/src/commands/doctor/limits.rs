//! Whether servers can count minute limits in the Redis that they use, and what a restart or
//! failover of it costs.

use anyhow::Context as _;
use server::limits::RedisLimits;
use tokio::runtime::Builder;

use super::inputs::Inputs;
use super::observation::Observation;
use crate::serving::rate_limit_backend::RateLimitBackend;

/// Whether requests can be counted there; no result without an address.
pub(super) fn usable(inputs: &Inputs<'_>) -> anyhow::Result<Vec<Observation>> {
    let address = match &inputs.limits {
        None => return Ok(Vec::new()),
        Some(RateLimitBackend::Memory) => {
            return Ok(vec![Observation::ok("in the memory of the server")]);
        }
        Some(RateLimitBackend::Redis(address)) => address.clone(),
    };
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("could not start to ask")?;
    let examined = match runtime.block_on(RedisLimits::examine(address)) {
        Ok(examined) => examined,
        Err(failure) => {
            let mut failed = Observation::failed(&failure);
            if let Some(hint) = failure.hint() {
                failed.message = format!("{}; {hint}", failed.message);
            }
            return Ok(vec![failed]);
        }
    };
    let (server, software) = (examined.server, examined.software);
    let after = if examined.keeps_all {
        "goes on where it was after a restart"
    } else {
        "may forget counts in a restart or a failover, after which requests get 503 for a minute"
    };
    Ok(vec![Observation::ok(format!(
        "{server}, {software}, {after}"
    ))])
}
