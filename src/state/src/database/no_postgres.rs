//! PostgreSQL in a build without the feature: its locations are refused, so nothing else here is ever called.

use std::convert::Infallible;
use std::fmt;
use std::time::{Instant, SystemTime};

use parquote_catalogue::features::missing_feature;

use super::Result;
use super::value::DatabaseValue;

pub(crate) type PostgresError = Infallible;

/// Returns 0: there is no database clock.
pub const fn clock_ahead_ms() -> i64 {
    0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "its namesake takes a large one")]
pub(crate) const fn is_lock_timeout(error: &PostgresError) -> bool {
    match *error {}
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PostgresServer(Infallible);

impl PostgresServer {
    pub(crate) fn parse(_: &str) -> std::result::Result<Self, String> {
        Err(missing_feature("a state in PostgreSQL", "postgres-state"))
    }
}

impl fmt::Display for PostgresServer {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {}
    }
}

pub(crate) struct PostgresRow(Infallible);

impl PostgresRow {
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        match self.0 {}
        #[expect(unreachable_code, reason = "gives the type of what is never returned")]
        std::iter::empty()
    }

    pub(crate) const fn value(&self, _: usize) -> Result<DatabaseValue<'_>> {
        match self.0 {}
    }
}

#[derive(Debug)]
pub(crate) struct PostgresConnection(Infallible);

impl PostgresConnection {
    pub(crate) const fn open(server: &PostgresServer) -> Result<Self> {
        match server.0 {}
    }

    pub(crate) const fn expect_version(&mut self, _: i64) {
        match self.0 {}
    }

    pub(crate) const fn batch(&self, _: &str) -> Result<()> {
        match self.0 {}
    }

    pub(super) const fn execute(&self, _: &str, _: &[DatabaseValue<'_>]) -> Result<usize> {
        match self.0 {}
    }

    pub(super) const fn execute_later(&self, _: &str, _: &[DatabaseValue<'_>]) -> Result<()> {
        match self.0 {}
    }

    pub(super) const fn query(&self, _: &str, _: &[DatabaseValue<'_>]) -> Result<Vec<PostgresRow>> {
        match self.0 {}
    }

    pub(super) const fn query_all(
        &self,
        _: &[(&str, &[DatabaseValue<'_>])],
    ) -> Result<Vec<Vec<PostgresRow>>> {
        match self.0 {}
    }

    pub(super) fn write<T>(&self, _: impl FnOnce() -> Result<T>) -> Result<T> {
        match self.0 {}
    }

    pub(super) fn snapshot<T>(&self, _: impl FnOnce() -> Result<T>) -> Result<T> {
        match self.0 {}
    }

    pub(crate) const fn note_clock(_: (Instant, SystemTime), _: i64) {}
}
