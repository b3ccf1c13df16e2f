//! A database with our tables, and what a transaction of it is.

use tokio_postgres::IsolationLevel;

use crate::keys::postgres::client::PgClient;
use crate::keys::postgres::connection::Connection;
use crate::keys::postgres::failure::{Failure, Reach, Stop};
use crate::keys::postgres::patience::Patience;
use crate::keys::postgres::schema;
use crate::keys::postgres::tables::Session;
use crate::keys::store::{CHANGE, KeyStoreError};
use crate::keys::tables::{Tables, Transactions};

/// A database with our tables, on one connection that is made anew where it broke.
#[derive(Debug)]
pub struct Database {
    client: PgClient,
    patience: Patience,
    connection: Option<Connection>,
}

impl Database {
    /// The database that `client` reaches, in which nothing takes longer than `patience`.
    pub(super) fn open(client: &PgClient, patience: Patience) -> Result<Self, KeyStoreError> {
        let mut database = Self::unchecked(client, patience);
        let connection = database.connect();
        let connection = connection.and_then(|connection| database.check(connection));
        database.connection = Some(database.explained("open", connection)?);
        Ok(database)
    }

    /// The same, whatever it holds.
    pub(super) fn unchecked(client: &PgClient, patience: Patience) -> Self {
        Self {
            client: client.clone(),
            patience,
            connection: None,
        }
    }

    /// Runs `work` in a transaction, which is undone unless all of it succeeds.
    pub(super) fn transact<T>(
        &mut self,
        attempt: &'static str,
        work: impl FnOnce(&Session<'_>) -> Result<T, Stop>,
    ) -> Result<T, KeyStoreError> {
        let connection = match self.connection.take() {
            Some(connection) if !connection.client.is_closed() => Ok(connection),
            _ => self.connect(),
        };
        let mut connection = self.explained(attempt, connection)?;
        let mut reach = Reach::Surely;
        let done = self.work_on(&mut connection, attempt, work, &mut reach);
        let is_broken = matches!(&done, Err(Stop::Failure(failure)) if failure.breaks());
        self.connection = (!is_broken).then_some(connection);
        done.map_err(|stop| stop.explained(attempt, reach, self.client.address()))
    }

    fn work_on<T>(
        &self,
        connection: &mut Connection,
        attempt: &'static str,
        work: impl FnOnce(&Session<'_>) -> Result<T, Stop>,
        reach: &mut Reach,
    ) -> Result<T, Stop> {
        let is_change = attempt == CHANGE;
        let isolation = if is_change {
            IsolationLevel::ReadCommitted
        } else {
            IsolationLevel::RepeatableRead
        };
        let begin = connection.client.build_transaction();
        let begin = begin.isolation_level(isolation).read_only(!is_change);
        let transaction = self.wait(async { Ok(begin.start().await?) })?;
        let session = Session::new(&self.client, self.patience, &transaction);
        let value = work(&session)?;
        if is_change {
            *reach = Reach::Perhaps;
        }
        self.wait(async { Ok(transaction.commit().await?) })?;
        Ok(value)
    }

    fn connect(&self) -> Result<Connection, Stop> {
        Ok(Connection::open(&self.client, self.patience, None)?)
    }

    /// Refuses a database without our tables, or with such as this program cannot work with.
    fn check(&self, connection: Connection) -> Result<Connection, Stop> {
        let found = self.wait(schema::find(&connection.client))?;
        found.usable(self.client.address())?;
        Ok(connection)
    }

    fn wait<T>(&self, asked: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        self.client.wait(self.patience, asked)
    }

    fn explained<T>(
        &self,
        attempt: &'static str,
        outcome: Result<T, Stop>,
    ) -> Result<T, KeyStoreError> {
        outcome.map_err(|stop| stop.explained(attempt, Reach::Surely, self.client.address()))
    }
}

impl Transactions for Database {
    type Stop = Stop;

    fn read<T>(
        &mut self,
        work: impl FnOnce(&dyn Tables<Stop = Stop>) -> Result<T, Stop>,
    ) -> Result<T, KeyStoreError> {
        self.transact("read", |session| work(session))
    }

    fn change<T>(
        &mut self,
        work: impl FnOnce(&dyn Tables<Stop = Stop>) -> Result<T, Stop>,
    ) -> Result<T, KeyStoreError> {
        self.transact(CHANGE, |session| {
            session.take_turn()?;
            work(session)
        })
    }
}
