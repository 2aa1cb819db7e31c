//! Apps: their metadata, and the lookup by client id.
//!
//! A client id is the address of a document that the app publishes, or the signed metadata from registration. Nothing is stored for an app
//! before an owner consents.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;
use url::Url;

use super::client_documents::ClientDocuments;
use super::redirect_uri;
use crate::portal::Portal;
use parquote_catalogue::error::{ClientError, ErrorKind};
use parquote_catalogue::unseen::is_unseen;

/// Prefix of signed client ids.
const CLIENT_ID_PREFIX: &str = "pqc_";
/// Longest client id, in bytes.
const LONGEST_ID: usize = 3_000;
/// Longest name, in characters; the rest is cut.
const LONGEST_NAME: usize = 60;
/// Most redirect URIs of one app.
const MOST_REDIRECT_URIS: usize = 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AppClient {
    pub id: String,
    /// Name of the app, from its metadata.
    pub name: String,
    /// Host that vouches for the name; `None` for a registered app.
    pub vouched_by: Option<String>,
    /// Redirect URIs to which its codes may be sent.
    pub redirect_uris: Vec<String>,
}

/// Metadata of an app, from its document or its registration. Other fields are ignored, such as another authentication method than `none`:
/// the reply contains the values that apply.
#[derive(Debug, Deserialize)]
pub(super) struct ClientMetadata {
    #[serde(default)]
    client_id: Option<String>,
    #[serde(default)]
    client_name: Option<String>,
    #[serde(default)]
    redirect_uris: Vec<String>,
    #[serde(default)]
    grant_types: Vec<String>,
    #[serde(default)]
    response_types: Vec<String>,
}

/// Signed content of a registered client id.
#[derive(Serialize, Deserialize)]
struct SignedMetadata {
    /// Name of the app.
    n: String,
    /// Redirect URIs of the app.
    r: Vec<String>,
}

/// Issues client ids, and finds apps by them.
pub(super) struct Clients {
    portal: Arc<Portal>,
    documents: Arc<dyn ClientDocuments>,
    secret: OnceCell<[u8; 32]>,
}

impl Clients {
    pub(super) fn new(portal: Arc<Portal>, documents: Arc<dyn ClientDocuments>) -> Self {
        Self { portal, documents, secret: OnceCell::new() }
    }

    /// Registers an app, and returns it with its client id.
    pub(super) async fn register(&self, requested: ClientMetadata) -> Result<AppClient, ClientError> {
        let (name, redirect_uris) = requested.check_metadata()?;
        let content = SignedMetadata { n: name.clone(), r: redirect_uris.clone() };
        let content = serde_json::to_vec(&content).unwrap_or_default();
        let id = format!(
            "{CLIENT_ID_PREFIX}{}.{}",
            BASE64_URL_SAFE_NO_PAD.encode(&content),
            BASE64_URL_SAFE_NO_PAD.encode(self.signature(&content).await?)
        );
        if id.len() > LONGEST_ID {
            return Err(invalid_client(
                "the name and the redirect_uris are longer than can be registered".to_owned(),
            ));
        }
        Ok(AppClient { id, name, vouched_by: None, redirect_uris })
    }

    /// Finds the app with a client id. If the id is the address of a document, the document is fetched.
    pub(super) async fn find(&self, id: &str) -> Result<AppClient, ClientError> {
        let unknown =
            || invalid_client("this client_id is not known; register at registration_endpoint".to_owned());
        if id.len() > LONGEST_ID {
            return Err(unknown());
        }
        if let Some(signed) = id.strip_prefix(CLIENT_ID_PREFIX) {
            return self.verify_signed_id(id, signed).await?.ok_or_else(unknown);
        }
        let url = document_url(id).ok_or_else(unknown)?;
        let document =
            self.documents.fetch(url.clone()).await.map_err(|why| {
                invalid_client(format!("the document of this client_id cannot be used: {why}"))
            })?;
        let requested: ClientMetadata = serde_json::from_slice(&document).map_err(|_| {
            invalid_client(
                "the document of this client_id is not a JSON object of client metadata".to_owned(),
            )
        })?;
        if requested.client_id.as_deref() != Some(id) {
            return Err(invalid_client("the document of this client_id names another client_id".to_owned()));
        }
        let (name, redirect_uris) = requested.check_metadata()?;
        let vouched_by = url.host_str().map(str::to_owned);
        Ok(AppClient { id: id.to_owned(), name, vouched_by, redirect_uris })
    }

    async fn verify_signed_id(&self, id: &str, signed: &str) -> Result<Option<AppClient>, ClientError> {
        let Some((content, signature)) = signed.split_once('.') else { return Ok(None) };
        let decoded = |text: &str| BASE64_URL_SAFE_NO_PAD.decode(text).ok();
        let (Some(content), Some(signature)) = (decoded(content), decoded(signature)) else {
            return Ok(None);
        };
        // The comparison of blake3 hashes takes constant time.
        let Ok(signature) = <[u8; 32]>::try_from(signature) else { return Ok(None) };
        if blake3::Hash::from_bytes(self.signature(&content).await?) != blake3::Hash::from_bytes(signature) {
            return Ok(None);
        }
        let metadata: Option<SignedMetadata> = serde_json::from_slice(&content).ok();
        Ok(metadata.map(|SignedMetadata { n: name, r: redirect_uris }| AppClient {
            id: id.to_owned(),
            name,
            vouched_by: None,
            redirect_uris,
        }))
    }

    async fn signature(&self, content: &[u8]) -> Result<[u8; 32], ClientError> {
        let read = || self.portal.blocking(parquote_access::Administration::app_secret);
        let secret = self.secret.get_or_try_init(read).await?;
        Ok(*blake3::keyed_hash(secret, content).as_bytes())
    }
}

impl ClientMetadata {
    /// Returns the name and the redirect URIs if they are acceptable.
    fn check_metadata(&self) -> Result<(String, Vec<String>), ClientError> {
        let uris = &self.redirect_uris;
        if uris.is_empty()
            || uris.len() > MOST_REDIRECT_URIS
            || !uris.iter().all(|uri| redirect_uri::is_allowed(uri))
        {
            let message = "redirect_uris: one to five addresses, each with https, or with http on 127.0.0.1, [::1] or localhost, \
                           without a fragment";
            return Err(invalid_client(message.to_owned()));
        }
        let lacks = |list: &[String], word: &str| !list.is_empty() && !list.iter().any(|item| item == word);
        if lacks(&self.grant_types, "authorization_code") || lacks(&self.response_types, "code") {
            return Err(invalid_client(
                "grant_types and response_types: authorization_code and code are what there is".to_owned(),
            ));
        }
        let name = self.client_name.as_deref().unwrap_or_default();
        let name: String = name.chars().filter(|c| !is_unseen(*c)).take(LONGEST_NAME).collect();
        let name = name.trim();
        let name = if name.is_empty() { "An app without a name" } else { name };
        Ok((name.to_owned(), uris.clone()))
    }
}

/// Returns the address of a document if the client id is one: HTTPS, with a path, and a host that is a domain name.
fn document_url(id: &str) -> Option<Url> {
    let url = Url::parse(id).ok()?;
    let is_named = matches!(url.host(), Some(url::Host::Domain(_)));
    let is_bare = url.fragment().is_none() && url.username().is_empty() && url.password().is_none();
    let is_valid = url.scheme() == "https" && is_named && is_bare && url.path() != "/" && url.as_str() == id;
    is_valid.then_some(url)
}

fn invalid_client(message: String) -> ClientError {
    ClientError::new(ErrorKind::BadRequest, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_an_address_of_its_own() {
        assert!(document_url("https://app.example/oauth/client.json").is_some());
        for wrong in [
            "https://app.example",
            "https://app.example/",
            "http://app.example/client.json",
            "https://127.0.0.1/client.json",
            "https://[::1]/client.json",
            "https://0x7f.1/client.json",
            "https://user@app.example/c",
            "https://app.example/c#x",
            "https://app.example/a/../c",
            "HTTPS://app.example/c",
            "file:///etc/passwd",
            "",
        ] {
            assert!(document_url(wrong).is_none(), "{wrong}");
        }
    }
}
