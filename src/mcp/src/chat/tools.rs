//! All chat tools, in the order of the list.

use std::sync::Arc;

use rmcp::model::{ErrorData, MetaObject, Tool, ToolAnnotations};

use super::super::refused;
use super::super::view::{CHAT, CHATGPT, ToolView};
use super::tool::ChatTool;
use parquote_catalogue::operation::{
    Catalogue, DeclarationError, Operation, Tier, hint, read_declarations, truncate_for_message,
};

/// The tools of `/mcp/chat`.
#[derive(Debug, Default)]
pub struct ChatTools(Vec<ChatTool>);

impl ChatTools {
    /// Parses the declarations of a catalogue.
    ///
    /// # Errors
    /// The first mistake of each faulty declaration, with its line.
    pub fn from_catalogue(catalogue: &Catalogue) -> Result<Self, Vec<DeclarationError>> {
        let read = |path: &str, text: &str| ChatTool::read(path, text, catalogue);
        let mut tools = read_declarations(catalogue.declarations("chat/"), read)?;
        tools.sort_by(|one, other| (one.file.place, &one.name).cmp(&(other.file.place, &other.name)));
        Ok(Self(tools))
    }

    pub(crate) fn find(&self, name: &str) -> Option<&ChatTool> {
        self.0.iter().find(|tool| tool.name == name)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &ChatTool> {
        self.0.iter()
    }

    /// Returns the names of all tools.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|tool| tool.name.as_str())
    }

    /// Returns the columns that answers show: tool, operation and column.
    pub fn columns(&self) -> Vec<(&str, &Arc<Operation>, &str)> {
        self.0
            .iter()
            .flat_map(|tool| {
                tool.shown_columns().map(|(operation, column)| (tool.name.as_str(), operation, column))
            })
            .collect()
    }

    /// Builds the error for an unknown tool name.
    pub(crate) fn unknown(&self, name: &str) -> ErrorData {
        let near = hint(name, self.names());
        let names = self.names().collect::<Vec<_>>().join(", ");
        refused::invalid_params(&format!(
            "Unknown tool: {}. The tools here are {names}{near}",
            truncate_for_message(name)
        ))
    }

    /// Returns the listed tools of a view for callers of a tier. A tool is omitted if the tier reaches none of its parts.
    pub(crate) fn listed_tools(&self, view: &ToolView, tier: Tier) -> impl Iterator<Item = Tool> {
        let visible = self.0.iter().filter(move |tool| {
            let set = if tool.file.connector.is_some() { CHATGPT } else { CHAT };
            view.shows_chat(&tool.name, set) && tool.is_allowed(tier)
        });
        visible.map(move |tool| {
            let file = &tool.file;
            let words = format!("{}{}", file.words, tool.words_beyond(tier));
            // A tool that changes something starts or ends runs, which call providers of models.
            let hints = ToolAnnotations::new()
                .read_only(!file.changes)
                .destructive(file.destroys)
                .idempotent(!file.changes)
                .open_world(file.changes);
            let listed = Tool::new(tool.name.clone(), words, Arc::new(tool.schema()))
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
