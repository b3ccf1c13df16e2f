//! Whether servers can count minute limits in the Redis that they share.

use anyhow::Context as _;
use server::limits::RedisLimits;
use tokio::runtime::Builder;

use super::inputs::Inputs;
use super::observation::Observation;
use crate::serving::rate_limit_backend::RateLimitBackend;

/// What servers do meanwhile.
const ALONE: &str = "until it answers, each server counts alone";

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
            let hint = failure.hint();
            let next = hint.as_ref().map_or(ALONE, |hint| &**hint);
            failed.message = format!("{}; {next}", failed.message);
            return Ok(vec![failed]);
        }
    };
    let (server, software) = (examined.server, examined.software);
    Ok(vec![Observation::ok(format!("{server}, {software}"))])
}
