//! Requests that wait for Redis together.

use std::pin::pin;

use super::faults::behind;
use super::proxy::{Mode, Proxy};
use super::*;
use crate::limits::redis::calls::REQUESTS_MAX;

/// Counts requests that all wait while Redis is held, until `then` is what the proxy does.
fn together(
    (rig, proxy): (&Rig, &Proxy),
    requests: &[(KeyId, u32)],
    then: Mode,
) -> Vec<Result<Usage, Usage>> {
    let now = rig.now();
    proxy.set(Mode::Hold);
    rig.wait(async {
        let all = requests.iter();
        let all = all.map(|one| rig.limits.count(&one.0, one.1, now, WAIT_MAX));
        let mut counting = pin!(join_all(all));
        assert!(timeout(Duration::ZERO, &mut counting).await.is_err());
        proxy.set(then);
        counting.await
    })
}

#[test]
#[ignore = "needs Redis"]
fn requests_that_wait_together_share_few_calls_and_each_is_counted_by_its_own_limit() {
    const EACH: u32 = 100;
    let proxy = Proxy::new(Mode::Pass);
    let rig = behind(&proxy);
    let other = rig.another_server();
    let keys = (1..=10).map(|number| (family(number), EACH + number));
    let keys: Vec<_> = keys.collect();
    for (key, limit) in &keys {
        for _request in 0..6 * (limit - EACH) {
            assert!(rig.count_at(&other, key, *limit));
        }
    }
    let before = rig.calls();
    let requests: Vec<_> = (0..EACH).flat_map(|_| keys.clone()).collect();
    let counted = together((&rig, &proxy), &requests, Mode::Pass);
    // The first of them may have gone before the others came.
    let fewest = requests.len().div_ceil(REQUESTS_MAX);
    let calls = rig.calls() - before;
    assert!((fewest..=fewest + 1).contains(&calls), "{calls}");
    for (index, (_key, limit)) in keys.iter().enumerate() {
        let of_key = counted.iter().skip(index).step_by(keys.len());
        let granted = of_key.filter(|counted| counted.is_ok()).count();
        assert_eq!(granted, (limit - 6 * (limit - EACH)) as usize);
    }
}

#[test]
#[ignore = "needs Redis"]
fn a_window_that_is_no_list_of_times_harms_no_request_that_waits_too() {
    let proxy = Proxy::new(Mode::Pass);
    let rig = behind(&proxy);
    let keys = [1, 2, 3, 4].map(family);
    rig.spoil(&keys[1], "SET");
    rig.spoil(&keys[2], "RPUSH");
    let requests = keys.clone().map(|key| (key, 1));
    let counted = together((&rig, &proxy), &requests, Mode::Pass);
    assert!(counted.iter().all(Result::is_ok));
    assert!(!rig.limits.is_alone());
    let other = rig.another_server();
    let is_counted = keys.map(|key| !rig.count_at(&other, &key, 1));
    assert_eq!(is_counted, [true, false, false, true]);
}

#[test]
#[ignore = "needs Redis"]
fn a_request_that_leaves_takes_none_that_waits_with_it_along() {
    let proxy = Proxy::new(Mode::Pass);
    let rig = behind(&proxy);
    let (now, keys) = (rig.now(), [1, 2, 3].map(family));
    proxy.set(Mode::Hold);
    let counted = rig.wait(async {
        let [first, leaving, last] = keys
            .each_ref()
            .map(|key| Box::pin(rig.limits.count(key, 1, now, WAIT_MAX)));
        let mut all = join_all([first, last]);
        assert!(timeout(Duration::ZERO, &mut all).await.is_err());
        assert!(timeout(Duration::ZERO, leaving).await.is_err());
        proxy.set(Mode::Pass);
        all.await
    });
    assert!(counted.iter().all(Result::is_ok));
    assert_eq!([rig.held(&keys[0]), rig.held(&keys[2])], [1, 1]);
}

#[test]
#[ignore = "needs Redis"]
fn all_that_wait_when_the_connection_breaks_are_counted_alone() {
    let proxy = Proxy::new(Mode::Pass);
    let rig = behind(&proxy);
    let requests = vec![(family(1), 2); 3];
    let counted = together((&rig, &proxy), &requests, Mode::Cut);
    let is_granted = counted.iter().map(Result::is_ok).collect::<Vec<_>>();
    assert_eq!(is_granted, [true, true, false]);
    rig.wait_until_alone(true);
}
