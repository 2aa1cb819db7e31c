//! The tools over standard input and output, for a program on this machine that starts this one.
//!
//! Without a key nothing is counted: a program that can start this one can read its files anyway. With a key, the caller is authenticated
//! as over HTTP, again for each call.

use std::sync::Arc;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncReadExt as _, duplex};

use super::guarded::PanicGuard;
use super::handler::{McpHandler, Mode, ServiceReceiver};
use super::local::StdioCaller;
use super::settings::McpSettings;
use super::tools::ToolList;
use super::view::ViewError;
use parquote_call::Service;
use parquote_catalogue::error::ClientError;

/// Reason why the server did not start or stopped.
#[derive(Debug, thiserror::Error)]
pub enum StdioError {
    /// The key is invalid.
    #[error("the API key is not accepted")]
    Key(#[source] ClientError),
    /// The toolset or tool is unknown.
    #[error("{0}")]
    View(String),
    /// The input did not begin with a handshake.
    #[error("standard input did not begin with the handshake of MCP")]
    Handshake(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The task of the server panicked or was cancelled.
    #[error("serving on standard input and output failed")]
    Broken(#[source] tokio::task::JoinError),
}

/// Serves until standard input ends. Requests that need no data are answered at once, calls after the data is loaded.
///
/// # Errors
/// The key or the view is invalid, or the stream is not of this protocol.
pub async fn stdio(
    service: Arc<Service>,
    later: ServiceReceiver,
    settings: &McpSettings,
    local: StdioCaller,
) -> Result<(), StdioError> {
    local.caller(&service).map_err(StdioError::Key)?;
    let tools = Arc::new(ToolList::new(&service));
    let is_chat = local.view().is_chat(&tools) && !local.discover;
    local.view().check(&tools, is_chat).map_err(|error: ViewError| StdioError::View(error.to_string()))?;
    let mode = match (local.discover, is_chat) {
        (true, _) => Mode::Discover,
        (_, true) => Mode::Chat,
        _ => Mode::Whole,
    };
    // The SDK gives calls in progress a few seconds after the input ends, so the end is held back until their data is loaded.
    let (delayed_end, end) = duplex(1);
    let mut loaded = later.clone();
    tokio::spawn(async move {
        let _ = loaded.wait_for(Option::is_some).await;
        drop(end);
    });
    let handler = McpHandler::new(service, tools, settings, mode).for_local(local, later);
    let (input, output) = stdio_pipes();
    let serving = match Box::pin(PanicGuard(handler).serve((input.chain(delayed_end), output))).await {
        Ok(serving) => serving,
        // A client that disconnects before the handshake only probes that the program exists.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(StdioError::Handshake(Box::new(error))),
    };
    serving.waiting().await.map(|_| ()).map_err(StdioError::Broken)
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, split};
    use tokio::sync::watch;

    use super::*;
    use parquote_catalogue::operation::Catalogue;
    use parquote_engine::{Engine, QueryLimits, Snapshot};

    #[tokio::test]
    async fn a_client_is_greeted_and_sees_the_tools_before_there_is_data_and_its_calls_wait_for_it() {
        let catalogue = Arc::new(Catalogue::with_overlay(&[]).unwrap());
        let engine = Engine::new(Arc::clone(&catalogue), &QueryLimits::default());
        let service = || Arc::new(Service::new(Arc::clone(&catalogue), Snapshot::from_markets(&engine, [])));
        let (send, later) = watch::channel(None);
        let before = service();
        let tools = Arc::new(ToolList::new(&before));
        let handler = McpHandler::new(before, tools, &McpSettings::default(), Mode::Whole)
            .for_local(StdioCaller::default(), later);
        let (ours, theirs) = duplex(1 << 22);
        let serving = tokio::spawn(async move {
            Box::pin(PanicGuard(handler).serve(split(theirs))).await.unwrap().waiting().await
        });
        let (reader, mut writer) = split(ours);
        let mut lines = BufReader::new(reader).lines();
        let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}"#;
        let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_market_breadth"}}"#;
        let list = r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#;
        writer.write_all(format!("{hello}\n").as_bytes()).await.unwrap();
        assert!(lines.next_line().await.unwrap().unwrap().contains("protocolVersion"));
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        writer.write_all(format!("{initialized}\n{call}\n{list}\n").as_bytes()).await.unwrap();
        let mut next =
            async || serde_json::from_str::<Json>(&lines.next_line().await.unwrap().unwrap()).unwrap();
        let listed = next().await;
        assert_eq!(listed["id"], 3, "the call waits, the list does not");
        assert!(listed["result"]["tools"].as_array().is_some_and(|tools| tools.len() > 80));
        send.send_replace(Some(service()));
        assert_eq!(next().await["id"], 2);
        drop((lines, writer));
        serving.await.unwrap().unwrap();
    }
}
