//! Who calls: from the first message of a connection to its password, which is an API key.

use std::net::IpAddr;
use std::sync::Arc;

use pgwire::messages::startup::Authentication;
use pgwire::messages::{PgWireBackendMessage as Told, PgWireFrontendMessage as Asked};

use super::answer::Asking;
use super::door::PostgresDoor;
use super::failure::SqlFailure;
use super::wire::{Wire, WireError};
use crate::access::Secret;
use crate::operation::Market;

/// Why a session ends before its client leaves.
pub(super) enum SessionEnd {
    Wire(WireError),
    Told(SqlFailure),
}

impl From<WireError> for SessionEnd {
    fn from(error: WireError) -> Self {
        Self::Wire(error)
    }
}

impl From<SqlFailure> for SessionEnd {
    fn from(failure: SqlFailure) -> Self {
        Self::Told(failure)
    }
}

/// Finds out who calls. `None` where there is nobody to serve: the client left, or asked for a cancellation.
pub(super) async fn start(
    door: &PostgresDoor,
    wire: &mut Wire,
    peer: IpAddr,
    is_encrypted: bool,
) -> Result<Option<(Secret, Asking)>, SessionEnd> {
    let parameters = match wire.first().await? {
        Some(Asked::Startup(startup)) => startup.parameters,
        Some(Asked::CancelRequest(request)) => {
            door.places.cancel(request.pid, &request.secret_key.to_bytes());
            return Ok(None);
        }
        None => return Ok(None),
        Some(_) => return Err(WireError::Unread.into()),
    };
    if door.is_encryption_needed(peer) && !is_encrypted {
        let message = "this server encrypts: a key is not sent in clear text over a network; connect with sslmode=require";
        return Err(SqlFailure::fatal("28000", message).into());
    }
    let user = parameters.get("user").cloned().unwrap_or_default();
    let database = parameters.get("database").cloned().unwrap_or(user);
    let market = match database.to_lowercase().as_str() {
        "india" | "parquote" | "postgres" | "" => Market::India,
        other => other.parse::<Market>().map_err(|_| {
            let other: String = other.chars().take(40).collect();
            SqlFailure::fatal(
                "3D000",
                format!("there is no database `{other}`; the databases are `india` and `us`"),
            )
        })?,
    };
    wire.send(&Told::Authentication(Authentication::CleartextPassword)).await?;
    wire.flush().await?;
    let password = match wire.password().await? {
        Some(Asked::PasswordMessageFamily(password)) => {
            password.into_password().map_err(|_| WireError::Unread)?.password
        }
        None => return Ok(None),
        Some(_) => return Err(WireError::Unread.into()),
    };
    let Ok(secret) = password.parse::<Secret>();
    let mut caller = door.service.identify([secret.reveal()], None);
    if caller.is_err() {
        door.service.follow_others().await;
        caller = door.service.identify([secret.reveal()], Some(peer));
    }
    let caller = caller.map_err(|refused| {
        let refused = SqlFailure::of(&refused);
        let message = format!(
            "{}; the password is an API key of this server, and the user name is free",
            refused.message
        );
        SqlFailure::fatal(refused.state, if refused.state == "28P01" { message } else { refused.message })
    })?;
    let asking = Asking { service: Arc::clone(&door.service), caller, market, database: database.into() };
    Ok(Some((secret, asking)))
}
