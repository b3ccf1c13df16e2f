//! Any sequence of requests, restarts and changes, against a count of what was granted.

use std::time::Duration;

use proptest::prelude::*;

use super::*;

#[derive(Clone, Copy, Debug)]
enum Event {
    /// A request that will be a 200.
    Request,
    /// A request whose answer turns out free.
    FreeRequest,
    /// A graceful restart.
    Restart,
    /// Units in memory are lost.
    Crash,
    /// The quota is set.
    Quota(u64),
    /// Less than a second passes.
    Moment,
    /// The period ends.
    Renewal,
    /// The wall clock jumps back by this many seconds.
    BackInTime(i64),
}

fn lease_size() -> impl Strategy<Value = LeaseSize> {
    (1_u64..5, 1_u64..20).prop_map(|(share, max)| LeaseSize { share, max })
}

fn event_of_one_server() -> impl Strategy<Value = Event> {
    prop_oneof![
        30 => Just(Event::Request),
        5 => Just(Event::FreeRequest),
        3 => Just(Event::Restart),
        2 => (0_u64..30).prop_map(Event::Quota),
        3 => Just(Event::Moment),
        1 => Just(Event::Renewal),
        1 => (1_i64..5_000).prop_map(Event::BackInTime),
    ]
}

fn event_of_several() -> impl Strategy<Value = Event> {
    prop_oneof![
        30 => Just(Event::Request),
        3 => Just(Event::Restart),
        2 => Just(Event::Crash),
        3 => Just(Event::Moment),
    ]
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(future)
}

/// One server: granted exactly while fewer than the quota were, whatever happens in between.
async fn one_server(size: LeaseSize, events: Vec<Event>) {
    let ledger = MemoryLedger::with_quota(20);
    let clock = ManualClock::at(START);
    let new_quotas = || Quotas::with_lease_size(Arc::clone(&ledger) as _, size);
    let (mut quotas, mut subscription, mut used) = (new_quotas(), subscription(1, 20), 0);
    for event in events {
        match event {
            Event::Request => {
                let is_left = used < subscription.quota;
                let check = quotas.check(&subscription, clock.now()).await;
                let charge = quotas.charge(&subscription, clock.now()).await;
                assert_eq!((check.is_ok(), charge.is_ok()), (is_left, is_left));
                used += u64::from(is_left);
                let remaining = charge.map_or(0, |usage| usage.remaining);
                assert_eq!(remaining, subscription.quota.saturating_sub(used));
            }
            Event::FreeRequest => {
                let check = quotas.check(&subscription, clock.now()).await;
                assert_eq!(check.is_ok(), used < subscription.quota);
            }
            Event::Restart => {
                quotas.give_back_all().await;
                quotas = new_quotas();
            }
            Event::Quota(quota) => {
                ledger.lock().quota = quota;
                subscription.quota = quota;
            }
            Event::Moment => clock.advance(Duration::from_millis(400)),
            Event::Renewal => {
                // Far enough that no jump back reaches the former period: a new server would
                // not know that it is over.
                let end = subscription.period(clock.now().unix_seconds()).end;
                clock.jump_wall(end - clock.now().unix_seconds() + 1_000_000);
                used = 0;
            }
            Event::BackInTime(seconds) => clock.jump_wall(-seconds),
            Event::Crash => unreachable!("one server is not made to crash here"),
        }
    }
}

/// Several servers: never more than the quota, and in the end all of it but what crashes lost.
async fn several_servers(sizes: Vec<LeaseSize>, events: Vec<(usize, Event)>, quota: u64) {
    let ledger = MemoryLedger::with_quota(quota);
    let clock = ManualClock::at(START);
    let new_server = |size: &LeaseSize| Quotas::with_lease_size(Arc::clone(&ledger) as _, *size);
    let mut servers: Vec<Quotas> = sizes.iter().map(new_server).collect();
    let mut shown = vec![quota; servers.len()];
    let subscription = subscription(1, quota);
    let (mut granted, mut lost) = (0, 0);
    for (index, event) in events {
        let index = index % servers.len();
        match event {
            Event::Request => {
                if let Ok(usage) = servers[index].charge(&subscription, clock.now()).await {
                    granted += 1;
                    assert!(usage.remaining <= shown[index], "what remains has grown");
                    shown[index] = usage.remaining;
                }
            }
            Event::Moment => clock.advance(Duration::from_millis(400)),
            _ => {
                if matches!(event, Event::Crash) {
                    let units = servers[index].take_unused();
                    lost += units.iter().map(|&(_, _, units)| units).sum::<u64>();
                }
                servers[index].give_back_all().await;
                servers[index] = new_server(&sizes[index]);
                shown[index] = quota;
            }
        }
        assert!(granted + lost <= quota);
    }
    for server in &servers {
        server.give_back_all().await;
    }
    assert_eq!(ledger.charged(), granted + lost);
    let final_server = new_server(&sizes[0]);
    while final_server
        .charge(&subscription, clock.now())
        .await
        .is_ok()
    {
        granted += 1;
    }
    assert_eq!(granted + lost, quota);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn one_server_grants_exactly_the_quota(
        size in lease_size(),
        events in prop::collection::vec(event_of_one_server(), 1..80),
    ) {
        run(one_server(size, events));
    }

    #[test]
    fn several_servers_share_one_quota(
        sizes in prop::collection::vec(lease_size(), 1..4),
        events in prop::collection::vec((0_usize..4, event_of_several()), 1..80),
        quota in 0_u64..60,
    ) {
        run(several_servers(sizes, events, quota));
    }
}
