//! The provider keys that callers store: saved encrypted, listed masked, and decrypted only for a request that they pay for.

use std::sync::{Arc, Mutex, PoisonError};

use super::key::{KeyForm, ProviderKey};
use super::providers::Providers;
use super::vault::{MasterKey, VaultError};
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_state::{NewProviderKey, ProviderKeyRow, StateError, Store};

/// A longer name than this is not a typing error.
const SHORT_NAME: usize = 16;

/// The keys of all owners, over a connection of their own to the state file.
#[derive(Clone)]
pub struct ProviderKeys {
    inner: Arc<Inner>,
}

/// A stored key as its owner may see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedKey {
    /// The provider's name.
    pub provider: String,
    /// What is shown of the key.
    pub masked: String,
    /// Whether it is used when no provider is named.
    pub preferred: bool,
    /// When it was saved, in Unix seconds.
    pub saved_at: i64,
    /// When it was tested last.
    pub tested_at: Option<i64>,
    /// The result of that test.
    pub test_result: Option<String>,
}

/// The page on which a person saves keys: no chat keeps them there.
pub const KEYS_PAGE: &str = "/india/models";

/// Why a key cannot be saved or chosen.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// There is no such provider.
    #[error("`{name}` is not a provider; the providers are {known}")]
    UnknownProvider {
        /// The name that the caller sent.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// The text is no key.
    #[error(transparent)]
    Form(#[from] KeyForm),
    /// The owner stored no key at all.
    #[error(
        "you have saved no key of a provider; save one in a browser, on the page {KEYS_PAGE} of this server, and not in a chat; the providers are {known}"
    )]
    NothingSaved {
        /// The providers that there are.
        known: String,
    },
    /// The owner stored no key for this provider.
    #[error(
        "you have saved no key for {provider}, but for {saved}; save one in a browser, on the page {KEYS_PAGE} of this server, and not in a chat"
    )]
    NotSaved {
        /// The provider.
        provider: String,
        /// Those with a key, or `none`.
        saved: String,
    },
    /// The owner stored several keys and prefers none.
    #[error("you have saved keys for {saved} and prefer none; name one of them, or set one as preferred")]
    NonePreferred {
        /// Those with a key.
        saved: String,
    },
    /// The state file fails.
    #[error(transparent)]
    State(#[from] StateError),
    /// The key cannot be sealed or opened.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// The request was abandoned because the server stops.
    #[error("the server is stopping; try again")]
    Stopped,
}

impl From<KeysError> for ClientError {
    fn from(error: KeysError) -> Self {
        let kind = match &error {
            KeysError::UnknownProvider { .. } | KeysError::Form(_) | KeysError::NonePreferred { .. } => {
                ErrorKind::BadRequest
            }
            KeysError::State(_) | KeysError::Stopped => ErrorKind::Unavailable,
            // One that cannot be opened any more is as good as none, and mended in the same way: by saving it.
            KeysError::NothingSaved { .. }
            | KeysError::NotSaved { .. }
            | KeysError::Vault(VaultError::OtherMaster | VaultError::Damaged) => ErrorKind::NotFound,
            KeysError::Vault(_) => ErrorKind::Internal,
        };
        match kind {
            ErrorKind::Unavailable | ErrorKind::Internal => {
                ClientError::caused(kind, "the saved keys cannot be read now; the fault is logged", error)
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
    /// Keys in a state file, encrypted with a master key; `clock` tells the time as Unix seconds.
    pub fn new(
        store: Store,
        master: MasterKey,
        providers: Arc<Providers>,
        clock: Arc<dyn Fn() -> i64 + Send + Sync>,
    ) -> Self {
        Self { inner: Arc::new(Inner { store: Mutex::new(store), master, providers, clock }) }
    }

    /// An owner's keys, by the provider's name.
    ///
    /// # Errors
    /// What the state file reports.
    pub async fn list(&self, owner: &str) -> Result<Vec<SavedKey>, KeysError> {
        let owner = owner.to_owned();
        let rows = self.blocking(move |_, store| Ok(store.provider_keys(&owner)?)).await?;
        Ok(rows.into_iter().map(SavedKey::from).collect())
    }

    /// Saves a key in the place of the one for the same provider. The first one is preferred from then on.
    ///
    /// # Errors
    /// An unknown provider, or a file that cannot be written.
    pub async fn save(&self, owner: &str, provider: &str, key: &ProviderKey) -> Result<SavedKey, KeysError> {
        let (owner, provider) = (owner.to_owned(), self.known(provider)?);
        let key = key.clone();
        self.blocking(move |inner, store| {
            let sealed = inner.master.seal(&owner, &provider, &key)?;
            let (masked, saved_at) = (key.masked(), (inner.clock)());
            store.save_provider_key(&NewProviderKey {
                owner: owner.clone(),
                provider: provider.clone(),
                sealed,
                masked,
                saved_at,
            })?;
            let saved = store.provider_keys(&owner)?.into_iter().find(|row| row.provider == provider);
            saved.map(SavedKey::from).ok_or(KeysError::Stopped)
        })
        .await
    }

    /// Removes a key; `false` if there was none.
    ///
    /// # Errors
    /// An unknown provider, or a file that cannot be written.
    pub async fn remove(&self, owner: &str, provider: &str) -> Result<bool, KeysError> {
        let (owner, provider) = (owner.to_owned(), self.known(provider)?);
        self.blocking(move |_, store| Ok(store.remove_provider_key(&owner, &provider)?)).await
    }

    /// Has a provider used where none is named.
    ///
    /// # Errors
    /// An unknown provider, one without a key, or a file that cannot be written.
    pub async fn set_preferred(&self, owner: &str, provider: &str) -> Result<(), KeysError> {
        let (owner, provider) = (owner.to_owned(), self.known(provider)?);
        self.blocking(move |inner, store| {
            if store.prefer_provider_key(&owner, &provider)? {
                return Ok(());
            }
            Err(inner.not_saved(provider, &store.provider_keys(&owner)?))
        })
        .await
    }

    /// Records the result of a test of this key; `false` if it was removed or replaced while the test ran.
    ///
    /// # Errors
    /// An unknown provider, or a file that cannot be written.
    pub async fn record_test(
        &self,
        owner: &str,
        provider: &str,
        key: &ProviderKey,
        result: &str,
    ) -> Result<bool, KeysError> {
        let (owner, provider) = (owner.to_owned(), self.known(provider)?);
        let (masked, result) = (key.masked(), super::scrub::words(result, key));
        self.blocking(move |inner, store| {
            let test = ((inner.clock)(), result.as_str());
            Ok(store.record_provider_test(&owner, &provider, &masked, test)?)
        })
        .await
    }

    /// The provider that a request of an owner goes to, and the key for it: the one that is named, else the preferred,
    /// else the only one.
    ///
    /// # Errors
    /// No such key, or one that does not open.
    pub async fn choose(
        &self,
        owner: &str,
        provider: Option<&str>,
    ) -> Result<(String, ProviderKey), KeysError> {
        let owner = owner.to_owned();
        let provider = provider.map(|name| self.known(name)).transpose()?;
        self.blocking(move |inner, store| {
            let row = inner.chosen(provider, store.provider_keys(&owner)?)?;
            let key = inner.master.open(&owner, &row.provider, &row.sealed)?;
            Ok((row.provider, key))
        })
        .await
    }

    /// The name of a provider, however it is written.
    pub fn known(&self, name: &str) -> Result<String, KeysError> {
        let name = name.trim().to_ascii_lowercase();
        if self.inner.providers.get(&name).is_some() {
            return Ok(name);
        }
        // A caller may put anything here, even a key: what is as long as one does not come back.
        let name = if name.len() < SHORT_NAME { name } else { "...".to_owned() };
        Err(KeysError::UnknownProvider { name, known: self.inner.providers.names() })
    }

    /// Runs work on the file on a thread that may wait.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner, &mut Store) -> Result<T, KeysError> + Send + 'static,
    ) -> Result<T, KeysError> {
        let inner = Arc::clone(&self.inner);
        let done = tokio::task::spawn_blocking(move || {
            // Every change is one transaction, so that a panic of another caller leaves nothing half done.
            let mut store = inner.store.lock().unwrap_or_else(PoisonError::into_inner);
            store.take_up()?;
            work(&inner, &mut store)
        });
        done.await.unwrap_or(Err(KeysError::Stopped))
    }
}

impl Inner {
    fn chosen(
        &self,
        provider: Option<String>,
        mut rows: Vec<ProviderKeyRow>,
    ) -> Result<ProviderKeyRow, KeysError> {
        // What was stored for a provider that is no longer declared cannot be used.
        rows.retain(|row| self.providers.get(&row.provider).is_some());
        let at = match &provider {
            Some(name) => rows.iter().position(|row| row.provider == *name),
            None => rows.iter().position(|row| row.preferred).or_else(|| (rows.len() == 1).then_some(0)),
        };
        match (at, provider) {
            (Some(at), _) => Ok(rows.swap_remove(at)),
            (None, Some(provider)) => Err(self.not_saved(provider, &rows)),
            (None, None) if rows.is_empty() => Err(self.nothing_saved()),
            (None, None) => Err(KeysError::NonePreferred { saved: names(&rows) }),
        }
    }

    fn not_saved(&self, provider: String, rows: &[ProviderKeyRow]) -> KeysError {
        if rows.is_empty() {
            self.nothing_saved()
        } else {
            KeysError::NotSaved { provider, saved: names(rows) }
        }
    }

    fn nothing_saved(&self) -> KeysError {
        KeysError::NothingSaved { known: self.providers.names() }
    }
}

fn names(rows: &[ProviderKeyRow]) -> String {
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
