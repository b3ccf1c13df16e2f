//! Admission: counts the open connections, of all clients and of each address.
//!
//! `refusing` handles a connection that is not admitted.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::metrics::Connections;

/// Most connections at a time.
const CONNECTIONS_MAX: usize = 10_000;
/// One address may use this fraction of all connections: three such addresses leave room for
/// others, and it is more than reverse proxies keep open.
const ADDRESSES_TO_FILL_ALL: usize = 4;
/// Files and sockets reserved for everything except connections: the key store, releases, refused
/// clients.
const OTHER_FILES: usize = 256;
/// Lower bound of the limit, however few files may be open.
const CONNECTIONS_MIN: usize = 16;

/// How many connections may be open at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Of all clients together.
    pub total: usize,
    /// Of one IPv4 address or one IPv6 /64 network, since that is what one client has. A reverse
    /// proxy counts as one address, even on this machine.
    pub per_address: usize,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self::of_total(CONNECTIONS_MAX)
    }
}

impl ConnectionLimits {
    fn of_total(total: usize) -> Self {
        Self {
            total,
            per_address: total.div_ceil(ADDRESSES_TO_FILL_ALL),
        }
    }

    /// The default limits, or less if so few files may be open.
    pub fn within_open_files(open_files_max: usize) -> Self {
        let left = open_files_max.saturating_sub(OTHER_FILES);
        Self::of_total(left.clamp(CONNECTIONS_MIN, CONNECTIONS_MAX))
    }
}

/// The connections of one server.
pub(crate) struct Admission {
    limits: ConnectionLimits,
    taken: Arc<Mutex<Taken>>,
    counts: Arc<Connections>,
}

#[derive(Debug, Default)]
struct Taken {
    total: usize,
    /// Only clients that have connections.
    by_client: HashMap<IpAddr, usize>,
}

/// Why a connection is not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    Total,
    Address,
}

/// The right to one connection, given back when dropped.
#[derive(Debug)]
pub(crate) struct ConnectionSlot {
    client: IpAddr,
    taken: Arc<Mutex<Taken>>,
    counts: Arc<Connections>,
}

impl Admission {
    pub(crate) fn new(limits: ConnectionLimits, counts: Arc<Connections>) -> Self {
        counts.allow(limits.total);
        Self {
            limits,
            taken: Arc::default(),
            counts,
        }
    }

    /// A slot for a connection from that address.
    pub(crate) fn admit(&self, address: IpAddr) -> Result<ConnectionSlot, Full> {
        let client = client_of(address);
        let mut taken = self.taken.lock();
        if self.limits.total <= taken.total {
            self.counts.refuse_of_total();
            return Err(Full::Total);
        }
        let of_client = taken.by_client.get(&client).copied().unwrap_or(0);
        if self.limits.per_address <= of_client {
            self.counts.refuse_of_address();
            return Err(Full::Address);
        }
        self.counts.open();
        taken.total += 1;
        taken.by_client.insert(client, of_client + 1);
        Ok(ConnectionSlot {
            client,
            taken: Arc::clone(&self.taken),
            counts: Arc::clone(&self.counts),
        })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.counts.close();
        let mut taken = self.taken.lock();
        taken.total -= 1;
        if let Some(of_client) = taken.by_client.get_mut(&self.client) {
            *of_client -= 1;
            if *of_client == 0 {
                taken.by_client.remove(&self.client);
            }
        }
    }
}

/// The network of an address: a client with one IPv6 address has its whole /64.
fn client_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        version_4 @ IpAddr::V4(_) => version_4,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn admission(total: usize, per_address: usize) -> Admission {
        let limits = ConnectionLimits { total, per_address };
        Admission::new(limits, Arc::default())
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_network_of_64_bits_is_one_client_and_a_mapped_address_is_that_address() {
        for (first, second, is_same) in [
            ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("192.0.2.1", "::ffff:192.0.2.1", true),
            ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true),
            ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
            ("::1", "127.0.0.1", false),
        ] {
            let admission = admission(9, 1);
            let _slot = admission.admit(address(first)).unwrap();
            let is_refused = admission.admit(address(second)).is_err();
            assert_eq!(is_refused, is_same, "{first} and {second}");
        }
    }

    #[test]
    fn open_files_leave_room_for_fewer_connections() {
        for (open_files, total, per_address) in [
            (0, 16, 4),
            (256, 16, 4),
            (1024, 768, 192),
            (10_256, 10_000, 2_500),
            (1_000_000, 10_000, 2_500),
        ] {
            let limits = ConnectionLimits::within_open_files(open_files);
            assert_eq!(limits, ConnectionLimits { total, per_address });
        }
    }

    proptest! {
        /// Compared with a list of connected clients.
        #[test]
        fn places_are_never_more_than_the_limits_and_never_fewer(
            steps in prop::collection::vec((0u8..4, any::<bool>(), any::<prop::sample::Index>()), 0..80)
        ) {
            let admission = admission(6, 3);
            let mut slots: Vec<(u8, ConnectionSlot)> = Vec::new();
            for (client, leaves, which) in steps {
                if leaves && !slots.is_empty() {
                    slots.swap_remove(which.index(slots.len()));
                    continue;
                }
                let of_client = slots.iter().filter(|(other, _)| *other == client).count();
                let expected = if slots.len() == 6 {
                    Some(Full::Total)
                } else {
                    (of_client == 3).then_some(Full::Address)
                };
                match admission.admit(IpAddr::from([192, 0, 2, client])) {
                    Ok(slot) => {
                        prop_assert_eq!(expected, None);
                        slots.push((client, slot));
                    }
                    Err(full) => prop_assert_eq!(expected, Some(full)),
                }
            }
            drop(slots);
            prop_assert_eq!(admission.taken.lock().total, 0);
            prop_assert!(admission.taken.lock().by_client.is_empty());
        }
    }
}
