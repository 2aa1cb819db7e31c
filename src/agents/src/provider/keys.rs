//! Provider keys of callers: saved encrypted, listed masked, and decrypted only for a request that they pay for.

use std::sync::{Arc, Mutex, PoisonError};

use super::key::{InvalidProviderKey, ProviderKey};
use super::providers::Providers;
use super::vault::{MasterKey, VaultError};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_state::{NewProviderKey, ProviderKeyRow, StateError, Store};

/// Maximum length, in bytes, of an unknown name that messages repeat.
const SHORT_NAME: usize = 16;

/// The keys of all owners, over a separate connection to the state.
#[derive(Clone)]
pub struct ProviderKeys {
    inner: Arc<Inner>,
}

/// A saved key in the form that its owner may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedKey {
    /// The provider's name.
    pub provider: String,
    /// Masked form of the key.
    pub masked: String,
    /// True if it is used when no provider is named.
    pub preferred: bool,
    /// Time when it was saved, in Unix seconds.
    pub saved_at: i64,
    /// Time of the last test, in Unix seconds; `None` before the first one.
    pub tested_at: Option<i64>,
    /// The result of that test, in words; `None` before the first one.
    pub test_result: Option<String>,
}

/// Path of the page on which a person saves keys; chats cannot save keys.
pub const KEYS_PAGE: &str = "/india/models";

/// Reason why a key cannot be saved or chosen.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// The provider is unknown.
    #[error("`{name}` is not a provider; the providers are {known}")]
    UnknownProvider {
        /// The name that the caller sent.
        name: String,
        /// Names of all providers.
        known: String,
    },
    /// The text does not have the form of a key.
    #[error(transparent)]
    Form(#[from] InvalidProviderKey),
    /// The owner has saved no key.
    #[error(
        "you have saved no key of a provider; save one in a browser, on the page {KEYS_PAGE} of this server, and not in a chat; the providers are {0}"
    )]
    NothingSaved(String),
    /// The owner has saved no key for this provider.
    #[error(
        "you have saved no key for {provider}, but for {saved}; save one in a browser, on the page {KEYS_PAGE} of this server, and not in a chat"
    )]
    NotSaved {
        /// Name of the provider.
        provider: String,
        /// Providers with a key, or `none`.
        saved: String,
    },
    /// The owner has saved several keys and prefers none.
    #[error("you have saved keys for {0} and prefer none; name one of them, or set one as preferred")]
    NonePreferred(String),
    /// The state failed.
    #[error(transparent)]
    State(#[from] StateError),
    /// The key cannot be encrypted or decrypted.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// The request was abandoned at shutdown.
    #[error("the server is stopping; try again")]
    Stopped,
}

impl From<KeysError> for ClientError {
    fn from(error: KeysError) -> Self {
        let kind = match &error {
            KeysError::UnknownProvider { .. } | KeysError::Form(_) | KeysError::NonePreferred(_) => {
                ErrorKind::BadRequest
            }
            KeysError::State(_) | KeysError::Stopped => ErrorKind::Unavailable,
            // A key that cannot be decrypted is treated as missing, with the same remedy: save it again.
            KeysError::NothingSaved(_)
            | KeysError::NotSaved { .. }
            | KeysError::Vault(VaultError::OtherMaster | VaultError::Damaged) => ErrorKind::NotFound,
            KeysError::Vault(_) => ErrorKind::Internal,
        };
        match kind {
            ErrorKind::Unavailable | ErrorKind::Internal => {
                ClientError::from_cause(kind, "the saved keys cannot be read now; the fault is logged", error)
            }
            ErrorKind::NotFound => {
                ClientError { page: Some(KEYS_PAGE), ..ClientError::new(kind, error.to_string()) }
            }
            _ => ClientError::new(kind, error.to_string()),
        }
    }
}

struct Inner {
    store: Mutex<Store>,
    master: MasterKey,
    providers: Arc<Providers>,
    clock: Arc<dyn Fn() -> i64 + Send + Sync>,
}

impl ProviderKeys {
    /// Builds the keys of a state, encrypted with a master key; `clock` returns Unix seconds.
    pub fn new(
        store: Store,
        master: MasterKey,
        providers: Arc<Providers>,
        clock: Arc<dyn Fn() -> i64 + Send + Sync>,
    ) -> Self {
        Self { inner: Arc::new(Inner { store: Mutex::new(store), master, providers, clock }) }
    }

    /// Returns the keys of an owner, sorted by provider name.
    ///
    /// # Errors
    /// Errors of the state.
    pub async fn list(&self, owner: &str) -> Result<Vec<SavedKey>, KeysError> {
        let owner = owner.to_owned();
        let rows = self.blocking(move |_, store| Ok(store.provider_keys(&owner)?)).await?;
        Ok(rows.into_iter().map(SavedKey::from).collect())
    }

    /// Saves a key, or replaces the one for the same provider. An owner's first key becomes preferred.
    ///
    /// # Errors
    /// The provider is unknown, or the state cannot be written.
    pub async fn save(&self, owner: &str, provider: &str, key: &ProviderKey) -> Result<SavedKey, KeysError> {
        let (owner, provider) = (owner.to_owned(), self.canonical_name(provider)?);
        let key = key.clone();
        self.blocking(move |inner, store| {
            let sealed = inner.master.seal(&owner, &provider, &key)?;
            let (masked, saved_at) = (key.masked_text(), (inner.clock)());
            store.save_provider_key(&NewProviderKey {
                owner: owner.clone(),
                provider: provider.clone(),
                sealed,
                masked,
                saved_at,
            })?;
            let row = store.provider_keys(&owner)?.into_iter().find(|row| row.provider == provider);
            row.map(SavedKey::from).ok_or(KeysError::Stopped)
        })
        .await
    }

    /// Removes a key; returns `false` if there was none.
    ///
    /// # Errors
    /// The provider is unknown, or the state cannot be written.
    pub async fn remove(&self, owner: &str, provider: &str) -> Result<bool, KeysError> {
        let (owner, provider) = (owner.to_owned(), self.canonical_name(provider)?);
        self.blocking(move |_, store| Ok(store.remove_provider_key(&owner, &provider)?)).await
    }

    /// Makes a provider the preferred one of an owner, which is used when none is named.
    ///
    /// # Errors
    /// The provider is unknown or has no key, or the state cannot be written.
    pub async fn set_preferred(&self, owner: &str, provider: &str) -> Result<(), KeysError> {
        let (owner, provider) = (owner.to_owned(), self.canonical_name(provider)?);
        self.blocking(move |inner, store| {
            if store.prefer_provider_key(&owner, &provider)? {
                return Ok(());
            }
            Err(inner.not_saved_error(provider, &store.provider_keys(&owner)?))
        })
        .await
    }

    /// Records a test result for this key; returns `false` if it was removed or replaced during the test.
    ///
    /// # Errors
    /// The provider is unknown, or the state cannot be written.
    pub async fn record_test(
        &self,
        owner: &str,
        provider: &str,
        key: &ProviderKey,
        result: &str,
    ) -> Result<bool, KeysError> {
        let (owner, provider) = (owner.to_owned(), self.canonical_name(provider)?);
        let (masked, result) = (key.masked_text(), super::scrub::clean_line(result, key));
        self.blocking(move |inner, store| {
            let now = (inner.clock)();
            Ok(store.record_provider_test(&owner, &provider, &masked, now, &result)?)
        })
        .await
    }

    /// Returns the provider and key for a request of an owner: the named provider, else the preferred, else the only one.
    ///
    /// # Errors
    /// There is no such key, or it cannot be decrypted.
    pub async fn choose(
        &self,
        owner: &str,
        provider: Option<&str>,
    ) -> Result<(String, ProviderKey), KeysError> {
        let owner = owner.to_owned();
        let provider = provider.map(|name| self.canonical_name(name)).transpose()?;
        self.blocking(move |inner, store| {
            let row = inner.select_key(provider, store.provider_keys(&owner)?)?;
            let key = inner.master.open(&owner, &row.provider, &row.sealed)?;
            Ok((row.provider, key))
        })
        .await
    }

    /// Returns the canonical name of a provider; `name` may have blanks around it and capitals.
    pub fn canonical_name(&self, name: &str) -> Result<String, KeysError> {
        let name = name.trim().to_ascii_lowercase();
        if self.inner.providers.get(&name).is_some() {
            return Ok(name);
        }
        // The text may be anything, even a key, so a text as long as a key is not repeated.
        let name = if name.len() < SHORT_NAME { name } else { "...".to_owned() };
        Err(KeysError::UnknownProvider { name, known: self.inner.providers.names() })
    }

    /// Runs work on the state on a thread that may block.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner, &mut Store) -> Result<T, KeysError> + Send + 'static,
    ) -> Result<T, KeysError> {
        let inner = Arc::clone(&self.inner);
        let result = tokio::task::spawn_blocking(move || {
            // Every change is one transaction, so a panic of another caller leaves nothing half done.
            let mut store = inner.store.lock().unwrap_or_else(PoisonError::into_inner);
            store.reopen_if_replaced()?;
            work(&inner, &mut store)
        });
        result.await.unwrap_or(Err(KeysError::Stopped))
    }
}

impl Inner {
    fn select_key(
        &self,
        provider: Option<String>,
        mut rows: Vec<ProviderKeyRow>,
    ) -> Result<ProviderKeyRow, KeysError> {
        // Keys of a provider that is not declared cannot be used.
        rows.retain(|row| self.providers.get(&row.provider).is_some());
        let index = match &provider {
            Some(name) => rows.iter().position(|row| row.provider == *name),
            None => rows.iter().position(|row| row.preferred).or_else(|| (rows.len() == 1).then_some(0)),
        };
        match (index, provider) {
            (Some(index), _) => Ok(rows.swap_remove(index)),
            (None, Some(provider)) => Err(self.not_saved_error(provider, &rows)),
            (None, None) if rows.is_empty() => Err(self.nothing_saved_error()),
            (None, None) => Err(KeysError::NonePreferred(provider_names(&rows))),
        }
    }

    fn not_saved_error(&self, provider: String, rows: &[ProviderKeyRow]) -> KeysError {
        if rows.is_empty() {
            self.nothing_saved_error()
        } else {
            KeysError::NotSaved { provider, saved: provider_names(rows) }
        }
    }

    fn nothing_saved_error(&self) -> KeysError {
        KeysError::NothingSaved(self.providers.names())
    }
}

fn provider_names(rows: &[ProviderKeyRow]) -> String {
    let names: Vec<_> = rows.iter().map(|row| row.provider.as_str()).collect();
    names.join(", ")
}

impl From<ProviderKeyRow> for SavedKey {
    fn from(row: ProviderKeyRow) -> Self {
        let ProviderKeyRow { provider, masked, preferred, saved_at, tested_at, test_result, .. } = row;
        Self { provider, masked, preferred, saved_at, tested_at, test_result }
    }
}

#[cfg(test)]
mod tests;
