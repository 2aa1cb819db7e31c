//! A PostgreSQL server, which `--state postgres://...` names. Its password is never displayed.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;
use url::Url;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// A connection without an acknowledgement for this long is closed.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(10);

/// A PostgreSQL database and its connection settings.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PostgresServer {
    pub(super) config: Config,
    /// File of the root certificates; `None` for those of the system.
    pub(super) root_certificate: Option<PathBuf>,
    /// The URL for display: user, host, port and database, without the password.
    display_name: String,
}

impl PostgresServer {
    /// Parses `postgres://user:password@host:port/database?sslmode=...`.
    ///
    /// # Errors
    /// The reason, without the password.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| error.to_string())?;
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let mut config = Config::new();
        let (mut host, mut mode, mut root_certificate) =
            (decoded(url.host_str().unwrap_or_default()), None, None);
        for (name, value) in url.query_pairs() {
            match name.as_ref() {
                "sslmode" => mode = Some(value.into_owned()),
                "sslrootcert" => root_certificate = Some(PathBuf::from(value.as_ref())),
                "host" => host = value.into_owned(),
                "options" => {
                    config.options(value.as_ref());
                }
                name => {
                    return Err(format!("`{name}` is not one of sslmode, sslrootcert, host, options"));
                }
            }
        }
        let database = decoded(url.path().trim_start_matches('/'));
        if host.is_empty() || database.is_empty() {
            return Err("it needs a host and the name of a database".to_owned());
        }
        let is_local = host.starts_with('/') || ["localhost", "127.0.0.1", "[::1]"].contains(&host.as_str());
        // Remote connections are encrypted and verify the certificate, unless the operator disables it.
        let tls = match mode.as_deref() {
            None => !is_local || root_certificate.is_some(),
            Some("disable") => false,
            Some("require" | "verify-full") => true,
            Some(mode) => {
                return Err(format!("sslmode `{mode}` is not one of disable, require, verify-full"));
            }
        };
        let port = url.port().unwrap_or(5432);
        config
            .host(host.trim_matches(['[', ']']))
            .port(port)
            .dbname(&database)
            .application_name("parquote")
            .ssl_mode(if tls { SslMode::Require } else { SslMode::Disable })
            .connect_timeout(CONNECT_TIMEOUT)
            .keepalives_idle(SILENCE_TIMEOUT)
            .tcp_user_timeout(SILENCE_TIMEOUT);
        let user = decoded(url.username());
        if !user.is_empty() {
            config.user(&user);
        }
        if let Some(password) = url.password() {
            config.password(decoded(password));
        }
        let user_prefix = if user.is_empty() { String::new() } else { format!("{user}@") };
        Ok(Self {
            config,
            root_certificate,
            display_name: format!("postgres://{user_prefix}{host}:{port}/{database}"),
        })
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.config.get_ssl_mode() == SslMode::Require
    }
}

impl fmt::Display for PostgresServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display_name)
    }
}

impl fmt::Debug for PostgresServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display_name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_and_its_password_is_never_shown() {
        let server = PostgresServer::parse("postgres://ann:se%20cret@db.lan:6000/market").unwrap();
        assert_eq!(server.config.get_password(), Some(b"se cret".as_slice()));
        assert_eq!((server.config.get_user(), server.config.get_dbname()), (Some("ann"), Some("market")));
        for shown in [server.to_string(), format!("{server:?}")] {
            assert_eq!(shown, "postgres://ann@db.lan:6000/market");
        }
        assert!(!format!("{:?}", server.config).contains("se cret"));
        let is_encrypted = |text| PostgresServer::parse(text).unwrap().is_encrypted();
        assert!(is_encrypted("postgres://db.lan/market"));
        assert!(!is_encrypted("postgres://db.lan/market?sslmode=disable"));
        assert!(!is_encrypted("postgres://[::1]/market"));
        assert!(is_encrypted("postgres://localhost/market?sslmode=verify-full"));
        assert!(is_encrypted("postgres://localhost/market?sslmode=require"));
        assert!(is_encrypted("postgres://localhost/market?sslrootcert=ca.pem"));
        assert!(!is_encrypted("postgresql:///market?host=/var/run/postgresql"));
    }

    #[test]
    fn an_address_that_is_wrong_says_what_is_allowed() {
        for (text, says) in [
            ("postgres://ann:secret@db.lan", "the name of a database"),
            ("postgres://ann:secret@db.lan/market?sslmode=allow", "`allow` is not one of disable, require"),
            ("postgres://ann:secret@db.lan/market?sslmode=prefer", "`prefer` is not one of disable, require"),
            ("postgres://ann:secret@db.lan/market?sslmode=verify-ca", "verify-full"),
            ("postgres://ann:secret@db.lan/market?sslmode=", "`` is not one of"),
            ("postgres://ann:secret@db.lan/market?mode=1", "sslrootcert"),
            ("postgres://ann:secret@db.lan:many/market", "port"),
        ] {
            let why = PostgresServer::parse(text).unwrap_err();
            assert!(why.contains(says) && !why.contains("secret"), "{why}");
        }
    }
}
