//! The caller over stdio: its key and its view of the tools.

use super::view::ToolView;
use parquote_access::Secret;
use parquote_call::{Caller, Service};
use parquote_catalogue::error::{ClientError, ErrorKind};

/// The caller over stdio.
#[derive(Debug, Clone, Default)]
pub struct StdioCaller {
    /// API key; `None` for an unmetered caller.
    pub key: Option<Secret>,
    /// Toolsets to list, comma-separated; all if empty.
    pub toolsets: String,
    /// Tools to list in addition, comma-separated.
    pub tools: String,
    /// Tools to exclude from the list, comma-separated.
    pub exclude_tools: String,
    /// True if only the three tools that find and call the others are listed.
    pub discover: bool,
}

impl StdioCaller {
    /// Identifies the caller by the key; an error if the key is invalid.
    pub(super) fn caller(&self, service: &Service) -> Result<Caller, ClientError> {
        match &self.key {
            Some(key) if key.reveal().is_empty() => {
                let message = "the key of `--key` or PARQUOTE_KEY is empty; put your key there, or leave the setting out";
                Err(ClientError::new(ErrorKind::Unauthorized, message))
            }
            Some(key) => service.identify([key.reveal()], None),
            None => Ok(Caller::unmetered()),
        }
    }

    pub(super) fn view(&self) -> ToolView {
        let option = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        ToolView::read(&[
            option("toolsets", &self.toolsets),
            option("tools", &self.tools),
            option("exclude_tools", &self.exclude_tools),
        ])
    }
}
