//! All chat tools, in the order of the list.

use std::sync::Arc;

use rmcp::model::{ErrorData, MetaObject, Tool, ToolAnnotations};

use super::super::refused;
use super::tool::ChatTool;
use parquote_catalogue::operation::{Catalogue, DeclarationError, Operation, nearest, shown};

/// The tools of `/mcp/chat`.
#[derive(Debug, Default)]
pub struct ChatTools(Vec<ChatTool>);

impl ChatTools {
    /// Parses the declarations of a catalogue.
    ///
    /// # Errors
    /// The first mistake of each faulty declaration, with its line.
    pub fn from_catalogue(catalogue: &Catalogue) -> Result<Self, Vec<DeclarationError>> {
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

    /// Returns the tool of that name.
    pub(crate) fn find(&self, name: &str) -> Option<&ChatTool> {
        self.0.iter().find(|tool| tool.name == name)
    }

    /// Returns all tools.
    pub(super) fn all(&self) -> impl Iterator<Item = &ChatTool> {
        self.0.iter()
    }

    /// Returns the names of all tools.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|tool| tool.name.as_str())
    }

    /// Returns the shown columns of operations' rows: tool, operation and column.
    pub fn columns(&self) -> Vec<(&str, &Arc<Operation>, &str)> {
        self.0
            .iter()
            .flat_map(|tool| tool.shown().map(|(operation, column)| (tool.name.as_str(), operation, column)))
            .collect()
    }

    /// Builds the error for an unknown tool name.
    pub(crate) fn unknown(&self, name: &str) -> ErrorData {
        let near =
            nearest(name, self.names()).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let names = self.names().collect::<Vec<_>>().join(", ");
        refused::invalid_params(&format!("Unknown tool: {}{near} The tools here are {names}", shown(name)))
    }

    /// Returns the tools as they are listed.
    pub(crate) fn listed(&self) -> impl Iterator<Item = Tool> {
        self.0.iter().map(|tool| {
            let file = &tool.file;
            // A tool that changes something starts or ends runs, which call providers of models.
            let hints = ToolAnnotations::new()
                .read_only(!file.changes)
                .destructive(file.destroys)
                .idempotent(!file.changes)
                .open_world(file.changes);
            let listed = Tool::new(tool.name.clone(), file.words.clone(), Arc::new(tool.schema()))
                .with_title(file.title.clone())
                .with_annotations(hints);
            if file.first {
                let mut meta = MetaObject::new();
                meta.insert("anthropic/alwaysLoad".to_owned(), true.into());
                return listed.with_meta(meta);
            }
            listed
        })
    }
}
