//! All tools of chats, in the order in which they are listed.

use std::sync::Arc;

use rmcp::model::{ErrorData, Tool, ToolAnnotations};

use super::super::refused;
use super::tool::ChatTool;
use parquote_catalogue::operation::{Catalogue, DeclarationError, Operation, nearest, shown};

/// The tools of `/mcp/chat`.
#[derive(Debug, Default)]
pub struct ChatTools(Vec<ChatTool>);

impl ChatTools {
    /// Reads the declarations of a catalogue.
    ///
    /// # Errors
    /// The first mistake of each declaration that has one, at its line.
    pub fn of(catalogue: &Catalogue) -> Result<Self, Vec<DeclarationError>> {
        let (mut tools, mut mistakes) = (Vec::new(), Vec::new());
        for (path, text) in catalogue.declarations("chat/") {
            match ChatTool::read(path, text, catalogue) {
                Ok(tool) => tools.push(tool),
                Err(mistake) => mistakes.push(mistake),
            }
        }
        tools.sort_by(|one, other| (one.file.place, &one.name).cmp(&(other.file.place, &other.name)));
        if mistakes.is_empty() { Ok(Self(tools)) } else { Err(mistakes) }
    }

    /// The tool of that name.
    pub(crate) fn find(&self, name: &str) -> Option<&ChatTool> {
        self.0.iter().find(|tool| tool.name == name)
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &ChatTool> {
        self.0.iter()
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|tool| tool.name.as_str())
    }

    /// The columns that are shown of operations' rows: the tool, the operation, and a column.
    pub fn columns(&self) -> Vec<(&str, &Arc<Operation>, &str)> {
        self.0
            .iter()
            .flat_map(|tool| tool.shown().map(|(operation, column)| (tool.name.as_str(), operation, column)))
            .collect()
    }

    /// A name that none of them has.
    pub(crate) fn unknown(&self, name: &str) -> ErrorData {
        let near =
            nearest(name, self.names()).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let names = self.names().collect::<Vec<_>>().join(", ");
        refused::invalid_params(&format!("Unknown tool: {}{near} The tools here are {names}", shown(name)))
    }

    /// Them as they are listed.
    pub(crate) fn listed(&self) -> impl Iterator<Item = Tool> {
        self.0.iter().map(|tool| {
            let hints = ToolAnnotations::new().read_only(!tool.file.changes);
            Tool::new(tool.name.clone(), tool.file.words.clone(), Arc::new(tool.schema()))
                .with_annotations(hints)
        })
    }
}
