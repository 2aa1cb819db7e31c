//! Admission before the arguments are read: authentication, access to operations, and the quota that a call takes.

use std::net::IpAddr;
use std::sync::Arc;

use super::access_refusal::access_refusal;
use super::{Caller, MeteredCall, Service, SignedIn};
use parquote_access::{Actor, Allowance, CallEnd};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Access, Effect, Operation};

/// Retry delay in seconds for calls that arrive before any market is loaded. Loading a large market takes several seconds.
const LOADING_S: i64 = 2;

impl Service {
    /// Returns a guest, if guests are enabled.
    pub fn guest(&self) -> Option<Caller> {
        let (number, tier) = self.guests?;
        let key = self.access.as_ref()?.key(number)?;
        Some(Caller { tier, key: Some(key) })
    }

    /// Identifies the caller by the presented keys. `from` is the client's address, if known.
    ///
    /// # Errors
    /// 401 for no key or an invalid one, 400 for several that differ, 429 for too many wrong ones.
    pub fn identify(
        &self,
        keys: impl IntoIterator<Item: AsRef<str>>,
        from: Option<IpAddr>,
    ) -> Result<Caller, ClientError> {
        let Some(access) = &self.access else { return Ok(Caller::unmetered()) };
        let key = access.identify(keys, from).map_err(|refused| access_refusal(&refused))?;
        Ok(Caller { tier: key.tier, key: Some(key) })
    }

    /// Waits until changes to keys by other servers that share the state are loaded, if there are other servers.
    pub async fn follow_others(&self) {
        if let Some(access) = &self.access {
            access.wait_for_other_servers().await;
        }
    }

    /// Returns the signed-in user of this session token; `None` without one. Without access control everybody is signed in.
    pub fn identify_session(&self, token: Option<&str>) -> Option<SignedIn> {
        let Some(access) = &self.access else {
            return Some(SignedIn { caller: Caller::unmetered(), actor: None });
        };
        let (key, session) = access.identify_session(token?)?;
        let caller = Caller { tier: key.tier, key: Some(Arc::clone(&key)) };
        Some(SignedIn { caller, actor: Some(Actor { key, session: session.number }) })
    }

    /// Returns the app that calls with this access token; `None` if the token is invalid.
    pub fn identify_app(&self, token: &str) -> Option<Caller> {
        let key = self.access.as_ref()?.identify_app(token)?;
        Some(Caller { tier: key.tier, key: Some(key) })
    }

    /// Returns the current quota of a caller.
    pub fn allowance(&self, caller: &Caller) -> Allowance {
        match (&self.access, &caller.key) {
            (Some(access), Some(key)) => access.allowance(key),
            _ => Allowance { limit: caller.tier.quota(), left: caller.tier.quota() },
        }
    }

    /// Admits a caller to an operation, and takes the cost of a call.
    ///
    /// # Errors
    /// 403 naming the required tier, 429 with the time until quota is free, 503 if the quota is unknown.
    pub async fn enter(
        &self,
        operation: &Arc<Operation>,
        caller: &Caller,
    ) -> Result<MeteredCall, ClientError> {
        let entered = match self.check_entry(operation, caller) {
            Ok(()) => self.reserve_cost(operation, caller).await,
            Err(refused) => Err(refused),
        };
        self.count_refusal(operation, caller, entered)
    }

    /// Admits a further call that belongs to a paid one, such as another part of a page: it has no cost.
    ///
    /// # Errors
    /// 403 and 503 as [`Service::enter`].
    pub fn enter_beside(
        &self,
        operation: &Arc<Operation>,
        caller: &Caller,
    ) -> Result<MeteredCall, ClientError> {
        let free = || MeteredCall::unmetered(Arc::clone(operation), caller.clone(), self.allowance(caller));
        self.count_refusal(operation, caller, self.check_entry(operation, caller).map(|()| free()))
    }

    /// Counts a refusal in the usage of the caller's key.
    fn count_refusal(
        &self,
        operation: &Operation,
        caller: &Caller,
        entered: Result<MeteredCall, ClientError>,
    ) -> Result<MeteredCall, ClientError> {
        if let (Err(_), Some(access), Some(key)) = (&entered, &self.access, &caller.key) {
            access.count_use(key, &operation.name, CallEnd::Refused);
        }
        entered
    }

    fn check_entry(&self, operation: &Operation, caller: &Caller) -> Result<(), ClientError> {
        if let Access::From(needed) = operation.access
            && !caller.tier.reaches(needed)
        {
            let message =
                format!("this operation needs the tier {needed} or higher; this key has {}", caller.tier);
            return Err(ClientError::new(ErrorKind::Forbidden, message));
        }
        if caller.is_guest() && operation.effect != Effect::Reads {
            let message = "a guest looks and changes nothing; sign in with a key of this server to do that";
            return Err(ClientError::new(ErrorKind::Forbidden, message));
        }
        if operation.needs_account_scope && caller.key.as_ref().is_some_and(|key| !key.may_account) {
            let message = "insufficient_scope: this app or key was let in without `mcp:account`, and does not save, remove, \
                           prefer or test keys of model providers; the owner does that in the portal, or lets the app in again \
                           with that box set";
            return Err(ClientError::new(ErrorKind::Forbidden, message));
        }
        self.check_loaded(operation)
    }

    async fn reserve_cost(
        &self,
        operation: &Arc<Operation>,
        caller: &Caller,
    ) -> Result<MeteredCall, ClientError> {
        let (operation, payer) = (Arc::clone(operation), caller.clone());
        let (Some(access), Some(key)) = (&self.access, &caller.key) else {
            return Ok(MeteredCall::unmetered(operation, payer, self.allowance(caller)));
        };
        let reserved = access.reserve(key, operation.cost).await.map_err(|refused| access_refusal(&refused));
        let (reservation, allowance) = reserved?;
        Ok(MeteredCall::with_reservation(operation, payer, Arc::clone(access), reservation, allowance))
    }

    /// Refuses calls until a market is loaded, except those that a handler answers without tables.
    fn check_loaded(&self, operation: &Operation) -> Result<(), ClientError> {
        let snapshot = self.snapshot();
        if !snapshot.is_empty() || self.handler_of(operation).is_some_and(|handler| !handler.needs_data()) {
            return Ok(());
        }
        let progress = snapshot.engine().progress().describe();
        let progress =
            progress.unwrap_or_else(|| "tables are being loaded, or none were admitted".to_owned());
        let message = format!("no data is served yet: {progress}; try again shortly");
        Err(ClientError::new(ErrorKind::Unavailable, message).with_retry_after(LOADING_S))
    }

    /// Counts a request that reached no operation as one call. The request is answered even if no quota is left.
    pub async fn count_unrouted(&self, caller: &Caller) {
        if let (Some(access), Some(key)) = (&self.access, &caller.key) {
            let _ = access.reserve(key, 1).await;
        }
    }
}
