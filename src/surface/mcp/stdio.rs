//! The same tools over standard input and output, for a program on this machine that starts this one.
//!
//! Without a key nothing is counted: whoever can start the program can read the files that it answers from. With one, it is
//! the caller as anywhere else, checked again for each call.

use std::sync::Arc;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;

use super::guarded::Guarded;
use super::handler::{McpHandler, Mode};
use super::local::Local;
use super::settings::McpSettings;
use super::tools::ToolList;
use super::view::ViewError;
use crate::call::Service;
use crate::error::ClientError;

/// Why nothing could be served.
#[derive(Debug, thiserror::Error)]
pub enum StdioError {
    /// The key does not work.
    #[error("the key does not let anyone in")]
    Key(#[source] ClientError),
    /// A toolset or tool that there is not.
    #[error("{0}")]
    View(String),
    /// What came was no handshake.
    #[error("what came on standard input did not begin as the protocol does")]
    Handshake(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// It broke off.
    #[error("serving on standard input and output broke off")]
    Broken(#[source] tokio::task::JoinError),
}

/// Serves until standard input ends.
///
/// # Errors
/// A key or a view that does not fit, or a stream that is not of this protocol.
pub async fn stdio(service: Arc<Service>, settings: &McpSettings, local: Local) -> Result<(), StdioError> {
    local.caller(&service).map_err(StdioError::Key)?;
    let tools = Arc::new(ToolList::new(&service));
    local.view().check(&tools).map_err(|error: ViewError| StdioError::View(error.to_string()))?;
    let mode = match (local.discover, local.view().is_chat()) {
        (true, _) => Mode::Discover,
        (_, true) => Mode::Chat,
        _ => Mode::Whole,
    };
    let handler = McpHandler::new(service, tools, settings, mode).for_local(local);
    let serving = match Box::pin(Guarded(handler).serve(stdio_pipes())).await {
        Ok(serving) => serving,
        // Whoever leaves before a word was said has only looked whether the program is there.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(StdioError::Handshake(Box::new(error))),
    };
    serving.waiting().await.map(|_| ()).map_err(StdioError::Broken)
}
