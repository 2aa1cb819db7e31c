//! Who is let in, to which operations, and what a call takes of an allowance: before anything is known of its arguments.

use std::net::IpAddr;
use std::sync::Arc;

use super::not_let_in::not_let_in;
use super::{Caller, MeteredCall, Service, SignedIn};
use parquote_access::{Actor, Allowance, CallEnd};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::operation::{Access, Effect, Operation};
use parquote_engine::LoadProgress;

/// Seconds after which a call may be made again that came before any market was loaded: loading a large one takes some.
const LOADING_S: i64 = 2;

impl Service {
    /// A guest, where there are guests.
    pub fn guest(&self) -> Option<Caller> {
        let (number, tier) = self.guests?;
        let key = self.access.as_ref()?.key(number)?;
        Some(Caller { tier, key: Some(key) })
    }

    /// Who presents these keys, from this address if it is known.
    ///
    /// # Errors
    /// 401 for no key or one that does not work, 400 for several that differ, 429 for too many wrong ones.
    pub fn identify(
        &self,
        keys: impl IntoIterator<Item: AsRef<str>>,
        from: Option<IpAddr>,
    ) -> Result<Caller, ClientError> {
        let Some(access) = &self.access else { return Ok(Caller::unmetered()) };
        let key = access.identify(keys, from).map_err(|refused| not_let_in(&refused))?;
        Ok(Caller { tier: key.tier, key: Some(key) })
    }

    /// Waits until it is known whom other servers on the same state let in by now, where there are others.
    pub async fn follow_others(&self) {
        if let Some(access) = &self.access {
            access.follows_others().await;
        }
    }

    /// Who is signed in with this token of a session; `None` for nobody. Where there are no keys, everybody is.
    pub fn identify_session(&self, token: Option<&str>) -> Option<SignedIn> {
        let Some(access) = &self.access else {
            return Some(SignedIn { caller: Caller::unmetered(), actor: None });
        };
        let (key, session) = access.identify_session(token?)?;
        let caller = Caller { tier: key.tier, key: Some(Arc::clone(&key)) };
        Some(SignedIn { caller, actor: Some(Actor { key, session: session.number }) })
    }

    /// The app that calls with this access token; `None` if there is none.
    pub fn identify_app(&self, token: &str) -> Option<Caller> {
        let key = self.access.as_ref()?.identify_app(token)?;
        Some(Caller { tier: key.tier, key: Some(key) })
    }

    /// The allowance of a caller now.
    pub fn allowance(&self, caller: &Caller) -> Allowance {
        match (&self.access, &caller.key) {
            (Some(access), Some(key)) => access.allowance(key),
            _ => Allowance { limit: caller.tier.quota(), left: caller.tier.quota() },
        }
    }

    /// Lets a caller in to an operation, and takes what a call costs.
    ///
    /// # Errors
    /// 403 naming the tier that is needed, 429 with the time after which there is room again, 503 where nobody knows whether there is.
    pub async fn enter(
        &self,
        operation: &Arc<Operation>,
        caller: &Caller,
    ) -> Result<MeteredCall, ClientError> {
        let entered = match self.check_entry(operation, caller) {
            Ok(()) => self.reserved(operation, caller).await,
            Err(refused) => Err(refused),
        };
        self.told(operation, caller, entered)
    }

    /// Lets a call in that belongs to one that was paid, such as another part of a page: it costs nothing of its own.
    ///
    /// # Errors
    /// 403 and 503 as [`Service::enter`].
    pub fn enter_beside(
        &self,
        operation: &Arc<Operation>,
        caller: &Caller,
    ) -> Result<MeteredCall, ClientError> {
        let free = || MeteredCall::free(Arc::clone(operation), caller.clone(), self.allowance(caller));
        self.told(operation, caller, self.check_entry(operation, caller).map(|()| free()))
    }

    /// What is refused is counted.
    fn told(
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
        let is_account = operation.group == "Account" && operation.effect != Effect::Reads;
        if is_account && caller.key.as_ref().is_some_and(|key| !key.may_account) {
            let message = "insufficient_scope: this app or key was let in without `mcp:account`, and does not save, remove, \
                           prefer or test keys of model providers; the owner does that in the portal, or lets the app in again \
                           with that box set";
            return Err(ClientError::new(ErrorKind::Forbidden, message));
        }
        self.check_loaded(operation)
    }

    async fn reserved(
        &self,
        operation: &Arc<Operation>,
        caller: &Caller,
    ) -> Result<MeteredCall, ClientError> {
        let (operation, of) = (Arc::clone(operation), caller.clone());
        let (Some(access), Some(key)) = (&self.access, &caller.key) else {
            return Ok(MeteredCall::free(operation, of, self.allowance(caller)));
        };
        let reserved = access.reserve(key, operation.cost).await.map_err(|refused| not_let_in(&refused))?;
        Ok(MeteredCall::counted(operation, of, Arc::clone(access), reserved))
    }

    /// Refuses calls until a market is loaded, but for those that a Rust function answers without tables.
    fn check_loaded(&self, operation: &Operation) -> Result<(), ClientError> {
        let snapshot = self.snapshot();
        let handler = operation.run.as_deref().and_then(|name| self.handlers.get(name));
        if !snapshot.is_empty() || handler.is_some_and(|handler| !handler.needs_data()) {
            return Ok(());
        }
        let message = not_loaded(snapshot.engine().progress());
        Err(ClientError::new(ErrorKind::Unavailable, message).after(LOADING_S))
    }

    /// Counts a request that reached no operation and was told so, as one; where nothing is left, it is told all the same.
    pub async fn count_lost(&self, caller: &Caller) {
        if let (Some(access), Some(key)) = (&self.access, &caller.key) {
            let _ = access.reserve(key, 1).await;
        }
    }
}

/// What callers are told while no market is loaded, and how far loading is.
fn not_loaded(progress: &LoadProgress) -> String {
    let far = progress.words().unwrap_or_else(|| "tables are being loaded, or none were admitted".to_owned());
    format!("no data is served yet: {far}; try again shortly")
}
