//! Looks after the connections to Redis: makes new ones where the old broke off, and notices when
//! it is no longer the one that counting began in, also while no request comes.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use super::circuit::Circuit;
use super::failure::RedisFailure;
use super::lines::Lines;
use crate::base::primitives::timeout;

/// How long all of the questions may take with which counting begins.
pub(super) const BEGIN_WAIT_MAX: Duration = Duration::from_millis(500);
/// From one connecting to the next at least: several fit into a second, and no more where what is
/// connected breaks off again at once.
const PROBE_INTERVAL: Duration = Duration::from_millis(200);
/// Pause between two looks whether all is as it was.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Looks after the connections until it is dropped.
pub(super) async fn keep(circuit: Arc<Circuit>) {
    let mut turn = interval(PROBE_INTERVAL);
    turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        if let Some(lines) = circuit.lines() {
            look(&circuit, &lines).await;
        } else {
            turn.tick().await;
            // Why not is logged already.
            _ = connect(&circuit).await;
        }
    }
}

/// Connects once.
pub(super) async fn connect(circuit: &Circuit) -> Result<(), RedisFailure> {
    let connecting = circuit.place.connect(&*circuit.clock);
    let (lines, begun) = in_time(circuit, connecting)
        .await
        .inspect_err(|why| circuit.lose(why))?;
    circuit.take_up(lines, begun);
    Ok(())
}

async fn look(circuit: &Circuit, lines: &Arc<Lines>) {
    tokio::select! {
        () = circuit.broken() => return,
        () = tokio::time::sleep(LOOK_INTERVAL) => {}
    }
    let looking = lines.look(&circuit.place, &*circuit.clock);
    match in_time(circuit, looking).await {
        Ok(begun) => circuit.note(begun),
        Err(why) => circuit.break_off(lines, &why),
    }
}

async fn in_time<T>(
    circuit: &Circuit,
    asking: impl Future<Output = Result<T, RedisFailure>>,
) -> Result<T, RedisFailure> {
    let (address, waited) = (circuit.place.address.clone(), BEGIN_WAIT_MAX);
    let too_slow = |_elapsed| Err(RedisFailure::TooSlow { address, waited });
    timeout(BEGIN_WAIT_MAX, asking)
        .await
        .unwrap_or_else(too_slow)
}
