//! The chat apps: each connects to both paths in its way and lists the tools. A tool is called once for each path, because calls take from
//! the quota of the key.

use reqwest::Method;
use serde_json::{Value as Json, json};

use super::conversation::{Conversation, KeyPlace};
use super::requests::{ExaminedServer, Trouble};
use super::sign_in::Authorization;
use super::{Diagnosis, TOOL_PATHS};

/// A chat app and its way to connect.
struct ChatApp {
    name: &'static str,
    /// The protocol version of its `initialize`.
    version: &'static str,
    /// The place of the key where OAuth is off.
    key_place: KeyPlace,
    /// True if it runs on the web, from where it reaches no address of a home or office.
    is_hosted: bool,
    /// The redirect URI with which it registers; empty if it does not use OAuth here.
    redirect_uri: &'static str,
    /// Maximum number of tools.
    most_tools: usize,
    /// Maximum length of a tool's name.
    longest_name: usize,
}

/// A desktop app that sends the key in a header.
const DESKTOP: ChatApp = ChatApp {
    name: "",
    version: "2025-11-25",
    key_place: KeyPlace::Header,
    is_hosted: false,
    redirect_uri: "http://127.0.0.1:33418/",
    most_tools: usize::MAX,
    longest_name: 64,
};

/// A hosted app with a field for the URL alone.
const HOSTED_APP: ChatApp = ChatApp { key_place: KeyPlace::Url, is_hosted: true, ..DESKTOP };

const APPS: [ChatApp; 6] = [
    ChatApp { name: "claude.ai", redirect_uri: "https://claude.ai/api/mcp/auth_callback", ..HOSTED_APP },
    ChatApp { name: "Claude Code", redirect_uri: "http://localhost:33418/callback", ..DESKTOP },
    // Cursor puts the name of the server, `parquote`, and a separator before the name of a tool.
    ChatApp { name: "Cursor", version: "2025-06-18", redirect_uri: "", longest_name: 51, ..DESKTOP },
    ChatApp { name: "VS Code", most_tools: 128, ..DESKTOP },
    ChatApp {
        name: "ChatGPT",
        version: "2025-06-18",
        redirect_uri: "https://chatgpt.com/connector_platform_oauth_redirect",
        ..HOSTED_APP
    },
    ChatApp {
        name: "Copilot Studio",
        version: "2025-03-26",
        key_place: KeyPlace::Header,
        redirect_uri: "https://global.consent.azure-apim.net/redirect/parquote",
        ..HOSTED_APP
    },
];

/// Tools that answer without arguments, the cheapest first.
const TOOLS_WITHOUT_ARGUMENTS: [&str; 4] =
    ["status", "market_now", "get_market_breadth", "us_get_market_breadth"];

/// Connects as each app.
pub(super) async fn check(server: &ExaminedServer, authorization: Option<&Authorization>) -> Vec<Diagnosis> {
    let mut found = Vec::new();
    let mut calls = TOOL_PATHS.map(|_| None);
    for app in &APPS {
        let authorization = authorization.filter(|_| !app.redirect_uri.is_empty());
        if let Some(authorization) = authorization
            && let Err(trouble) = register(server, authorization, app).await
        {
            found.push(trouble.fault(app.name));
            continue;
        }
        // After a sign-in an app sends a token in the header; this check sends the key in its place.
        let key_place = if authorization.is_some() { KeyPlace::Header } else { app.key_place };
        let mut worked = Vec::new();
        for (path, call) in TOOL_PATHS.into_iter().zip(&mut calls).filter(|_| server.key.is_some()) {
            let client = Conversation { server, path, key_place, version: app.version };
            match try_tools(&client, app, call).await {
                Ok(done) => worked.push(format!("{path} ({done})")),
                Err(trouble) => found.push(trouble.fault(format!("{} at {path}", app.name))),
            }
        }
        found.extend(line(server, app, authorization.is_some(), &worked));
    }
    found
}

/// Describes the working paths of an app; `None` if none was tried or works.
fn line(server: &ExaminedServer, app: &ChatApp, signs_in: bool, worked: &[String]) -> Option<Diagnosis> {
    let way = if signs_in { "signs in by OAuth" } else { "sends the key" };
    let finding = match worked {
        [] if signs_in => way.to_owned(),
        [] => return None,
        paths => format!("{way}, and uses {}", paths.join(" and ")),
    };
    if app.is_hosted && !server.is_on_the_web() {
        let finding = format!("{finding}; but it is hosted, and does not reach {}", server.address());
        let remedy = "--public-url https://HOST on port 443, behind a proxy or tunnel";
        return Some(Diagnosis::warning(app.name, finding, remedy));
    }
    Some(Diagnosis::ok(app.name, finding))
}

/// Registers as an app. The server stores nothing for it: its client id is the signed registration.
async fn register(
    server: &ExaminedServer,
    authorization: &Authorization,
    app: &ChatApp,
) -> Result<(), Trouble> {
    let body = json!({
        "client_name": format!("parquote doctor, as {}", app.name),
        "redirect_uris": [app.redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    });
    let headers = [("content-type", "application/json")];
    let reply = server.send(Method::POST, authorization.register.clone(), &headers, body.to_string()).await?;
    if reply.status < 300 && reply.json().is_some_and(|json| json.get("client_id").is_some()) {
        return Ok(());
    }
    let finding = format!("its registration is answered with {}: {}", reply.status, reply.message());
    let path = authorization.register.path();
    Err(Trouble::new(finding, format!("let the proxy pass POST {path}; or use a key in its place")))
}

/// Result of a call of a tool: the end of the summary, or the reason why no tool answers.
type CallResult = Result<String, Trouble>;

/// Lists the tools as an app does, and calls one unless `call` has the result of an earlier app; returns a summary.
async fn try_tools(
    client: &Conversation<'_>,
    app: &ChatApp,
    call: &mut Option<CallResult>,
) -> Result<String, Trouble> {
    client.result("initialize", &client.initialize(&[]).await?)?;
    let listed = client.tools().await?;
    let tools = listed.get("tools").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool.get("name").and_then(Json::as_str)).collect();
    let count = names.len();
    if count > app.most_tools {
        let finding = format!("it takes {} tools, and {count} are listed", app.most_tools);
        return Err(Trouble::new(finding, "/mcp/chat lists fewer"));
    }
    if let Some(long) = names.iter().find(|name| name.len() > app.longest_name) {
        let remedy = format!("leave it out: {}?exclude_tools={long}", client.path);
        return Err(Trouble::new(format!("it drops the tool {long}, whose name is too long"), remedy));
    }
    let called = match call.take() {
        Some(called) => called,
        None => call_any(client, &names).await,
    };
    call.insert(called).clone().map(|end| format!("{count} tools{end}"))
}

/// Calls the first tool that answers.
async fn call_any(client: &Conversation<'_>, names: &[&str]) -> CallResult {
    let mut refused = None;
    for tool in TOOLS_WITHOUT_ARGUMENTS.into_iter().filter(|name| names.contains(name)) {
        match call_tool(client, tool).await {
            Ok(()) => return Ok(format!(", {tool} answered")),
            Err(trouble) if trouble.finding.contains("429 too_many_requests") => {
                return Ok("; the key has no call left to try one".to_owned());
            }
            Err(trouble) => refused = refused.or(Some(trouble)),
        }
    }
    Err(refused.unwrap_or_else(|| {
        let remedy = "parquote check names the tables that are missing";
        Trouble::new(format!("none of {} tools answers about the market", names.len()), remedy)
    }))
}

/// Calls a tool without arguments.
async fn call_tool(client: &Conversation<'_>, tool: &str) -> Result<(), Trouble> {
    let called = client.ask("tools/call", &json!({"name": tool, "arguments": {}})).await?;
    if called.get("isError") != Some(&Json::Bool(true)) {
        return Ok(());
    }
    let message = called.pointer("/content/0/text").and_then(Json::as_str).unwrap_or_default();
    Err(Trouble::new(format!("{tool} is refused: {message}"), "use a key with calls left, of a higher tier"))
}
