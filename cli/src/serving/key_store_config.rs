//! Where keys, subscriptions and usage are kept: in the data directory, or in the database that
//! `--store` names. Nothing is opened until it is needed.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use shared::base::data_dir::DataDir;
use shared::keys::last_use::LastUses;
use shared::keys::ledger::QuotaLedger;
use shared::keys::postgres::{
    PgClient, PostgresAddress, PostgresKeySource, PostgresLastUses, PostgresLedger,
};
use shared::keys::sqlite::{SqliteKeySource, SqliteLastUses, SqliteLedger};
use shared::keys::store::KeySource;

/// Where keys are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyStoreConfig {
    data: DataDir,
    store: Option<PostgresAddress>,
}

/// The parts of a key store that a server uses.
pub struct Followed {
    /// Keys and subscriptions.
    pub source: Box<dyn KeySource>,
    /// Charges against quotas.
    pub ledger: Arc<dyn QuotaLedger>,
    /// Where the last uses are written.
    pub last_uses: Arc<dyn LastUses>,
}

impl KeyStoreConfig {
    /// The named database, or else the data directory.
    pub fn new(data: &Path, store: Option<&PostgresAddress>) -> Self {
        Self {
            data: DataDir::new(data),
            store: store.cloned(),
        }
    }

    /// The data directory, in which releases are too.
    pub fn data(&self) -> &DataDir {
        &self.data
    }

    /// Whether keys are in a database that several servers may share.
    pub fn is_shared(&self) -> bool {
        self.store.is_some()
    }

    /// The client of the database, if one is named.
    pub fn client(&self) -> anyhow::Result<Option<PgClient>> {
        let client = self.store.clone().map(PgClient::new).transpose();
        client.context("could not get ready to reach the key store")
    }

    /// Prepares to follow the keys. The store need not exist yet.
    pub fn follow(&self) -> anyhow::Result<Followed> {
        Ok(match self.client()? {
            None => {
                let file = self.data.keys_database();
                Followed {
                    source: Box::new(SqliteKeySource::new(file.clone())),
                    ledger: Arc::new(SqliteLedger::new(file.clone())),
                    last_uses: Arc::new(SqliteLastUses::new(file)),
                }
            }
            Some(client) => Followed {
                source: Box::new(PostgresKeySource::new(&client)),
                ledger: Arc::new(PostgresLedger::new(&client)),
                last_uses: Arc::new(PostgresLastUses::new(&client)),
            },
        })
    }
}

/// For people: where to look.
impl fmt::Display for KeyStoreConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.store {
            None => write!(f, "{}", self.data.path().display()),
            Some(address) => write!(f, "{address}"),
        }
    }
}
