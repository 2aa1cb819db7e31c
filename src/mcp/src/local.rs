//! The caller on this machine, who starts the program that answers it: its key, and what of the list it wants to see.

use super::view::ToolView;
use parquote_access::Secret;
use parquote_call::{Caller, Service};
use parquote_catalogue::error::ClientError;

/// The caller on this machine.
#[derive(Debug, Clone, Default)]
pub struct Local {
    /// Its key, if it has one.
    pub key: Option<Secret>,
    /// Toolsets to list, comma-separated; all without one.
    pub toolsets: String,
    /// Tools to list beside them.
    pub tools: String,
    /// Tools to leave out.
    pub exclude_tools: String,
    /// Whether three tools find and call the others.
    pub discover: bool,
}

impl Local {
    /// Who calls.
    ///
    /// # Errors
    /// A key that does not work.
    pub(super) fn caller(&self, service: &Service) -> Result<Caller, ClientError> {
        match &self.key {
            Some(key) => service.identify([key.reveal()], None),
            None => Ok(Caller::unmetered()),
        }
    }

    /// What of the list it wants to see.
    pub(super) fn view(&self) -> ToolView {
        let option = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        ToolView::read(&[
            option("toolsets", &self.toolsets),
            option("tools", &self.tools),
            option("exclude_tools", &self.exclude_tools),
        ])
    }
}
