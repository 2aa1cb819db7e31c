//! One question over REST with the key.

use super::Diagnosis;
use super::requests::{ExaminedServer, Trouble};
use crate::access::is_key;
use crate::digits::counted;

/// The question, for a server of each market.
const INDIA: &str = "/v1/market/breadth";
const US: &str = "/v1/us/market/breadth";

/// Calls a route, and forgets a key that the server refuses: each later request would repeat the fault.
pub(super) async fn check(server: &mut ExaminedServer) -> Diagnosis {
    const SUBJECT: &str = "question";
    if let Some(trouble) = server.key.as_deref().and_then(check_key_text) {
        server.key = None;
        return trouble.fault("key");
    }
    let has_key = server.key.is_some();
    let trouble = match call(server, INDIA).await {
        Ok(line) => return line,
        Err(trouble) => trouble,
    };
    match call(server, US).await {
        Ok(line) => line,
        Err(_) if has_key => trouble.fault(SUBJECT),
        Err(_) => Diagnosis::warning(
            SUBJECT,
            "without a key, the server answers no question and no tool is called",
            "parquote doctor URL --key KEY, or PARQUOTE_KEY in the environment",
        ),
    }
}

async fn call(server: &mut ExaminedServer, path: &str) -> Result<Diagnosis, Trouble> {
    let headers: Vec<(&str, &str)> = server.key.iter().map(|key| ("x-api-key", key.as_str())).collect();
    let reply = server.get(server.url_of(path), &headers).await?;
    let message = reply.message();
    match reply.status {
        403 if !message.is_empty() => Err(Trouble::new(
            message,
            "issue a key of a higher tier: parquote keys issue --tier api_max --owner NAME",
        )),
        503 if !message.is_empty() => {
            Err(Trouble::new(message, "parquote check says what is refused or missing"))
        }
        status => {
            let trouble = server.trouble(path, &reply);
            if status == 401 {
                server.key = None;
            }
            let finding = match reply.header("x-sessions-behind") {
                "" => format!("{path} answers"),
                behind => {
                    let behind = counted(behind, "session", "sessions");
                    format!("{path} answers; its data is {behind} behind")
                }
            };
            trouble.map_or_else(|| Ok(Diagnosis::ok("question", finding)), Err)
        }
    }
}

/// Describes a text that cannot be a key, as clients send it by mistake.
fn check_key_text(key: &str) -> Option<Trouble> {
    if key.contains("${") || key.starts_with('$') || key.starts_with('<') {
        let remedy = "write the key itself, or the form that this client fills in: Cursor `${env:NAME}`, VS Code `${input:NAME}`";
        return Some(Trouble::new("the key is a placeholder, which was not filled in", remedy));
    }
    if key.to_ascii_lowercase().starts_with("bearer") {
        return Some(Trouble::new("the key begins with `Bearer`", "leave the word out"));
    }
    (!is_key(key)).then(|| {
        Trouble::new(
            "this is no key of Parquote: `pq_` and 32 digits",
            "copy it whole, as `keys issue` printed it",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_no_keys_are_described() {
        assert_eq!(check_key_text(&format!("pq_{}", "0a".repeat(16))), None);
        for (key, word) in [
            ("${env:PARQUOTE_KEY}", "placeholder"),
            ("$PARQUOTE_KEY", "placeholder"),
            ("<API_KEY>", "placeholder"),
            ("Bearer pq_0123", "`Bearer`"),
            ("pq_0123", "no key"),
            ("sk-0123", "no key"),
        ] {
            assert!(check_key_text(key).unwrap().finding.contains(word), "{key}");
        }
    }
}
