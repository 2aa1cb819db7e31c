//! Location of the state, which `--state` names: a file or a PostgreSQL server.

use std::convert::Infallible;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::database::PostgresServer;

/// Location of the state.
#[derive(Clone, PartialEq, Eq)]
pub struct StateLocation(pub(super) StateTarget);

#[derive(Clone, PartialEq, Eq)]
pub(super) enum StateTarget {
    /// A SQLite file.
    File(PathBuf),
    /// A database on a server.
    Server(Box<PostgresServer>),
    /// An invalid location: the reason why, without a password. Opening it fails with that reason.
    Invalid(String),
}

impl StateLocation {
    /// Returns the location of a file, without parsing its name.
    pub fn from_file(path: &Path) -> Self {
        Self(StateTarget::File(path.to_owned()))
    }

    /// Returns the path of the file; `None` for a database.
    pub fn file(&self) -> Option<&Path> {
        if let StateTarget::File(path) = &self.0 { Some(path) } else { None }
    }

    /// Returns the path with its extension replaced by `ending`; for a database, the path `state/parquote` with that extension.
    pub fn with_extension(&self, ending: &str) -> PathBuf {
        self.file().unwrap_or(Path::new("state/parquote.db")).with_extension(ending)
    }
}

impl FromStr for StateLocation {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(match text.split_once("://") {
            Some(("postgres" | "postgresql", _)) => PostgresServer::parse(text)
                .map_or_else(StateTarget::Invalid, |server| StateTarget::Server(server.into())),
            Some(("sqlite", path)) if !path.is_empty() => StateTarget::File(path.into()),
            Some((scheme, _)) => {
                StateTarget::Invalid(format!("`{scheme}://` is not one of postgres://, sqlite://"))
            }
            None => StateTarget::File(text.into()),
        }))
    }
}

// There is no `From<&str>`: clap would use it and take every URL for a file name.
impl From<&Path> for StateLocation {
    fn from(path: &Path) -> Self {
        #[cfg(all(test, feature = "postgres"))]
        if let Some(location) = super::on_postgres::schema_for_file(path) {
            return location;
        }
        Self::from_file(path)
    }
}

impl From<&PathBuf> for StateLocation {
    fn from(path: &PathBuf) -> Self {
        path.as_path().into()
    }
}

impl From<&Self> for StateLocation {
    fn from(location: &Self) -> Self {
        location.clone()
    }
}

impl fmt::Display for StateLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            StateTarget::File(path) => path.display().fmt(f),
            StateTarget::Server(server) => server.fmt(f),
            StateTarget::Invalid(_) => f.write_str("--state"),
        }
    }
}

impl fmt::Debug for StateLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StateLocation({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    #[test]
    fn a_place_is_a_file_or_a_server_and_what_is_neither_is_refused_without_its_password() {
        let of = |text: &str| text.parse::<StateLocation>().unwrap();
        for (text, file) in [
            ("state/parquote.db", "state/parquote.db"),
            ("sqlite:///srv/state.db", "/srv/state.db"),
            ("sqlite://state.db", "state.db"),
        ] {
            assert_eq!(of(text).file(), Some(Path::new(file)));
        }
        if crate::HAS_POSTGRES {
            assert_eq!(
                of("postgres://ann:secret@db.lan/market").to_string(),
                "postgres://ann@db.lan:5432/market"
            );
        }
        assert_eq!(of("state/own.db").with_extension("master-key"), Path::new("state/own.master-key"));
        for (text, says) in [
            ("mysql://ann:secret@db.lan/market", "postgres://"),
            ("postgres://ann:secret@x", if crate::HAS_POSTGRES { "database" } else { "`postgres-state`" }),
        ] {
            let refused = Store::open(of(text)).unwrap_err().to_string();
            assert!(refused.contains(says) && !refused.contains("secret"), "{refused}");
            assert!(!format!("{:?}", of(text)).contains("secret"));
        }
    }
}
