//! Sign-in by OAuth: the challenge of a 401, the document of the resource (RFC 9728), that of the authorization server (RFC 8414), and the
//! token endpoint.

use reqwest::Method;
use reqwest::header::WWW_AUTHENTICATE;
use serde_json::Value as Json;
use url::Url;

use super::Diagnosis;
use super::conversation::Conversation;
use super::requests::{ExaminedServer, Trouble};

const SUBJECT: &str = "sign-in";
/// The path for which apps look the documents up.
const PATH: &str = "/mcp/chat";
/// The remedy for documents that do not arrive.
const WELL_KNOWN: &str = "let the proxy pass /.well-known/ to the server, unchanged";

/// An authorization server whose documents passed the checks.
pub(super) struct Authorization {
    /// The endpoint at which apps register.
    pub(super) register: Url,
}

/// Checks the documents; returns the authorization server if there is one.
pub(super) async fn check(server: &ExaminedServer) -> (Diagnosis, Option<Authorization>) {
    match authorization(server).await {
        Ok(Some(found)) => (Diagnosis::ok(SUBJECT, "apps find OAuth, and may register"), Some(found)),
        Ok(None) => (Diagnosis::ok(SUBJECT, "by key alone: OAuth is off without --public-url"), None),
        Err(line) => (line, None),
    }
}

async fn authorization(server: &ExaminedServer) -> Result<Option<Authorization>, Diagnosis> {
    let Some(challenge) = challenge(server).await.map_err(|trouble| trouble.fault(SUBJECT))? else {
        return Ok(None);
    };
    let Some(named) = parameter(&challenge, "resource_metadata") else {
        return check_missing_documents(server)
            .await
            .map(|()| None)
            .map_err(|trouble| trouble.fault(SUBJECT));
    };
    let url = Url::parse(named).ok();
    let origin = url.as_ref().map(|url| url.origin().ascii_serialization()).unwrap_or_default();
    match url.filter(|_| origin == server.address()) {
        Some(url) => documents(server, url).await.map(Some).map_err(|trouble| trouble.fault(SUBJECT)),
        None if server.is_local() => {
            let finding = format!("OAuth is set up for {origin}, not for this address");
            Err(Diagnosis::warning(SUBJECT, finding, format!("parquote doctor {origin}")))
        }
        None => Err(wrong_host(server, "the 401", named).fault(SUBJECT)),
    }
}

/// Returns the challenge to a request without a key; `None` if the request is answered.
async fn challenge(server: &ExaminedServer) -> Result<Option<String>, Trouble> {
    let reply = Conversation::initialize_without_key(server, PATH).await?;
    Ok((reply.status == 401).then(|| reply.header(WWW_AUTHENTICATE.as_str()).to_owned()))
}

/// Checks that a server without OAuth answers a search for its documents with an error in JSON: apps fail on a page of HTML.
async fn check_missing_documents(server: &ExaminedServer) -> Result<(), Trouble> {
    let path = format!("/.well-known/oauth-protected-resource{PATH}");
    let reply = server.get(server.url_of(&path), &[]).await?;
    if reply.status < 300 || reply.is_html() {
        let finding = format!("{path} is answered ({}), though no 401 names it", reply.status);
        return Err(Trouble::new(finding, WELL_KNOWN));
    }
    Ok(())
}

/// Reads both documents, and compares them with the address.
async fn documents(server: &ExaminedServer, url: Url) -> Result<Authorization, Trouble> {
    let resource = document(server, url).await?;
    let resource_url = text(&resource, "resource");
    let is_ours = Url::parse(resource_url).is_ok_and(|url| {
        url.origin().ascii_serialization() == server.address()
            && PATH.starts_with(url.path().trim_end_matches('/'))
    });
    if !is_ours {
        return Err(wrong_host(server, "the document of the resource", resource_url));
    }
    let issuer = resource.pointer("/authorization_servers/0").and_then(Json::as_str).unwrap_or_default();
    let Ok(issuer_url) = Url::parse(issuer) else {
        return Err(wrong_host(server, "the list of authorization servers", issuer));
    };
    let issuer_path = issuer_url.path().trim_end_matches('/');
    let well_known = issuer_url.join(&format!("/.well-known/oauth-authorization-server{issuer_path}"));
    let found = document(server, well_known.unwrap_or_else(|_| issuer_url.clone())).await?;
    if text(&found, "issuer").trim_end_matches('/') != issuer.trim_end_matches('/') {
        return Err(wrong_host(server, "the issuer", text(&found, "issuer")));
    }
    let endpoint = |name: &str| {
        let url = Url::parse(text(&found, name)).ok();
        let url = url.ok_or_else(|| Trouble::new(format!("{name} is missing"), WELL_KNOWN))?;
        if url.scheme() == "https" || server.is_local() {
            Ok(url)
        } else {
            Err(wrong_host(server, name, url.as_str()))
        }
    };
    endpoint("authorization_endpoint")?;
    let (token, register) = (endpoint("token_endpoint")?, endpoint("registration_endpoint")?);
    let methods = found.get("code_challenge_methods_supported").and_then(Json::as_array);
    if !methods.is_some_and(|methods| methods.iter().any(|method| method == "S256")) {
        return Err(Trouble::new("S256 is not offered", WELL_KNOWN));
    }
    token_errors(server, token).await?;
    Ok(Authorization { register })
}

/// Checks that the token endpoint answers a wrong code with an error in JSON.
async fn token_errors(server: &ExaminedServer, token: Url) -> Result<(), Trouble> {
    const FORM: &str =
        "grant_type=authorization_code&code=none&client_id=none&redirect_uri=none&code_verifier=none";
    let path = token.path().to_owned();
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let reply = server.send(Method::POST, token, &headers, FORM.to_owned()).await?;
    if reply.json().is_some_and(|json| json.get("error").is_some()) {
        return Ok(());
    }
    let finding = format!("{path} answers a wrong code with {} and no error in JSON", reply.status);
    Err(Trouble::new(finding, format!("let the proxy pass POST {path} to the server")))
}

/// Reads a document of JSON.
async fn document(server: &ExaminedServer, url: Url) -> Result<Json, Trouble> {
    let path = url.path().to_owned();
    let reply = server.get(url, &[("accept", "application/json")]).await?;
    if reply.status != 200 {
        return Err(Trouble::new(format!("{path} is answered with {}", reply.status), WELL_KNOWN));
    }
    let json = reply.json().filter(Json::is_object);
    json.ok_or_else(|| Trouble::new(format!("{path} is answered without a JSON object"), WELL_KNOWN))
}

fn wrong_host(server: &ExaminedServer, what: &str, named: &str) -> Trouble {
    let address = server.address();
    let finding = format!("{what} names `{named}`, but clients know {address}: apps refuse to sign in");
    Trouble::new(finding, format!("start the server with --public-url {address}"))
}

fn text<'a>(document: &'a Json, name: &str) -> &'a str {
    document.get(name).and_then(Json::as_str).unwrap_or_default()
}

/// Returns a parameter of a challenge.
fn parameter<'a>(challenge: &'a str, name: &str) -> Option<&'a str> {
    let (_, behind) = challenge.split_once(&format!("{name}=\""))?;
    behind.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_names_its_document() {
        let challenge = r#"Bearer realm="parquote", resource_metadata="https://a.b/c", scope="mcp""#;
        assert_eq!(parameter(challenge, "resource_metadata"), Some("https://a.b/c"));
        assert_eq!(parameter("Bearer", "resource_metadata"), None);
    }
}
