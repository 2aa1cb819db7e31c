//! The caller's view of the list of tools. It is only a view: a tool that is not listed can still be called.

use rmcp::model::Tool;

use super::chart;
use super::tools::{ToolEntry, ToolList};
use super::toolset::{ALL, OPTIONAL};
use parquote_catalogue::operation::{bracketed_hint, truncate_for_message};
use parquote_engine::Snapshot;

/// Longest answer that a caller may request: a reply carries it twice, once as a text with its quotes escaped, and some clients accept no
/// more than a mebibyte.
pub(super) const MOST_BYTES: usize = 350_000;
/// Shortest answer that a caller may request.
const LEAST_BYTES: usize = 2_000;

/// Toolset of the chat tools, which are never listed together with the tools of operations.
pub(super) const CHAT: &str = "chat";
/// Toolset of the chat tools that connectors of ChatGPT require, under the names and with the answers that they require.
pub(super) const CHATGPT: &str = "chatgpt";

/// Forms of rows that a caller may choose for all tools.
const FORMS: [&str; 2] = ["json", "columns"];

/// The caller's view of the list of tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ToolView {
    toolsets: Vec<String>,
    tools: Vec<String>,
    /// Names of tools that are not listed.
    excluded: Vec<String>,
    max_chars: Option<String>,
    format: Option<String>,
    all: Option<String>,
}

/// A view with an unknown name; the message lists the known ones.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ViewError {
    #[error("there is no toolset `{0}`; the toolsets are {1}")]
    Toolset(String, String),
    #[error("`toolsets`: {CHAT} is a set of its own, which is listed with {CHATGPT} alone")]
    ChatWithOthers,
    #[error("there is no tool `{0}`{1}; the tools are {2}")]
    Tool(String, String, String),
    #[error("`all`: `{0}` is neither true nor false; true also lists tools that have no data")]
    All(String),
    #[error("`format`: `{0}` is neither json nor columns; columns has the names once, and rows as arrays")]
    Format(String),
    #[error("`max_chars`: `{0}` is not a number from {LEAST_BYTES} to {MOST_BYTES}")]
    MaxChars(String),
}

impl ToolView {
    /// Parses pairs of name and value; several values are separated by commas, and other names are ignored.
    pub(super) fn read(options: &[(String, String)]) -> Self {
        let list = |name: &str| {
            let values =
                options.iter().filter(|(known, _)| known == name).flat_map(|(_, value)| value.split(','));
            let words = values.map(str::trim).filter(|word| !word.is_empty());
            words.map(str::to_owned).collect::<Vec<String>>()
        };
        Self {
            toolsets: list("toolsets"),
            tools: list("tools"),
            excluded: list("exclude_tools"),
            max_chars: list("max_chars").pop(),
            format: list("format").pop(),
            all: list("all").pop(),
        }
    }

    /// Returns true if the caller selects and excludes nothing.
    pub(super) fn is_default(&self) -> bool {
        self.toolsets.is_empty() && self.tools.is_empty() && self.excluded.is_empty() && self.all.is_none()
    }

    /// Returns true if chat tools are selected: their toolsets, or some of them by name.
    pub(super) fn is_chat(&self, tools: &ToolList) -> bool {
        let is_named = |name: &String| tools.chat_names().contains(name);
        match self.toolsets.as_slice() {
            [] => !self.tools.is_empty() && self.tools.iter().all(is_named),
            sets => sets.iter().all(|set| is_chat_set(set)),
        }
    }

    /// Returns true if a chat tool of a name and a toolset is visible.
    pub(super) fn shows_chat(&self, name: &str, set: &str) -> bool {
        let is_named = |list: &[String]| list.iter().any(|known| known == name);
        let is_selected = if !self.tools.is_empty() {
            is_named(&self.tools)
        } else if self.toolsets.is_empty() {
            set == CHAT
        } else {
            self.toolsets.iter().any(|known| known == set)
        };
        is_selected && !is_named(&self.excluded)
    }

    /// Returns the visible tools of operations. A tool without data is visible only if it is named, or if the view has `all=true`.
    pub(super) fn visible_tools<'a>(
        &self,
        tools: &'a ToolList,
        snapshot: &Snapshot,
    ) -> impl Iterator<Item = &'a ToolEntry> {
        let all = self.all.as_deref() == Some("true");
        tools.all().filter(move |entry| {
            let can_answer = || snapshot.can_answer(&entry.operation);
            let is_named = || self.tools.iter().any(|name| *name == entry.tool.name);
            self.is_visible(&entry.tool, |set| entry.toolsets.iter().any(|other| other == set))
                && (all || can_answer() || is_named())
        })
    }

    /// Returns the tools to list: without a selection only the tools of the contract, without later additions.
    pub(super) fn tools_to_list<'a>(
        &self,
        tools: &'a ToolList,
        snapshot: &Snapshot,
    ) -> impl Iterator<Item = &'a Tool> {
        let is_selected = !self.toolsets.is_empty() || !self.tools.is_empty();
        let is_optional =
            |entry: &&ToolEntry| entry.toolsets.iter().any(|set| OPTIONAL.contains(&set.as_str()));
        let seen =
            self.visible_tools(tools, snapshot).filter(move |entry| is_selected || !is_optional(entry));
        seen.map(|entry| &entry.tool).chain(self.visible_chart(tools).filter(|_| is_selected))
    }

    pub(super) fn visible_chart<'a>(&self, tools: &'a ToolList) -> Option<&'a Tool> {
        tools.chart().filter(|tool| self.is_visible(tool, |set| set == chart::TOOLSET))
    }

    /// Returns true if a tool is visible; `is_in` returns true for each of its toolsets.
    fn is_visible(&self, tool: &Tool, is_in: impl Fn(&str) -> bool) -> bool {
        let is_named = |list: &[String]| list.iter().any(|name| *name == tool.name);
        let in_set = self.toolsets.iter().any(|set| set == ALL || is_in(set));
        let is_unrestricted = self.toolsets.is_empty() && self.tools.is_empty();
        (is_unrestricted || in_set || is_named(&self.tools)) && !is_named(&self.excluded)
    }

    /// Returns the longest answer of a tool that the caller set, in bytes of its JSON; `None` for the default.
    pub(super) fn answer_bytes(&self) -> Option<usize> {
        let bytes = self.max_chars.as_ref()?.parse().ok()?;
        (LEAST_BYTES..=MOST_BYTES).contains(&bytes).then_some(bytes)
    }

    /// Returns the form of rows that the caller chose for all tools; `None` for the default.
    pub(super) fn format(&self) -> Option<&str> {
        self.format.as_deref()
    }

    /// Checks that every name of the view is known; the error is the first unknown name, with the known ones.
    pub(super) fn check(&self, tools: &ToolList, is_chat: bool) -> Result<(), ViewError> {
        let sets: Vec<&str> = tools.toolsets().map(|(name, _)| name).chain([ALL, CHAT, CHATGPT]).collect();
        if let Some(unknown) = self.toolsets.iter().find(|name| !sets.contains(&name.as_str())) {
            return Err(ViewError::Toolset(truncate_for_message(unknown), sets.join(", ")));
        }
        if self.toolsets.iter().any(|name| is_chat_set(name) != is_chat) {
            return Err(ViewError::ChatWithOthers);
        }
        let names: Vec<&str> = if is_chat {
            tools.chat_names().iter().map(String::as_str).collect()
        } else {
            tools.names().collect()
        };
        if let Some(unknown) =
            self.tools.iter().chain(&self.excluded).find(|name| !names.contains(&name.as_str()))
        {
            let hint = bracketed_hint(unknown, names.iter().copied());
            return Err(ViewError::Tool(truncate_for_message(unknown), hint, names.join(", ")));
        }
        if let Some(text) = self.all.as_ref().filter(|text| !["true", "false"].contains(&text.as_str())) {
            return Err(ViewError::All(truncate_for_message(text)));
        }
        if let Some(text) = self.format.as_ref().filter(|text| !FORMS.contains(&text.as_str())) {
            return Err(ViewError::Format(truncate_for_message(text)));
        }
        match &self.max_chars {
            Some(text) if self.answer_bytes().is_none() => {
                Err(ViewError::MaxChars(truncate_for_message(text)))
            }
            _ => Ok(()),
        }
    }
}

fn is_chat_set(name: &str) -> bool {
    [CHAT, CHATGPT].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(options: &[(&str, &str)]) -> ToolView {
        let options: Vec<_> = options.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        ToolView::read(&options)
    }

    #[test]
    fn pairs_add_up_and_others_are_passed_over() {
        let read =
            view(&[("toolsets", "core, feeds,"), ("profile", "x"), ("toolsets", "us"), ("tools", "a")]);
        assert_eq!(read.toolsets, ["core", "feeds", "us"]);
        assert_eq!(read.tools, ["a"]);
        assert!(!read.is_default() && view(&[("tools", " ,")]).is_default());
        assert!(!view(&[("toolsets", "core,all")]).is_default());
        assert!(!view(&[("exclude_tools", "a")]).is_default());
    }

    #[test]
    fn a_length_is_taken_within_its_bounds() {
        assert_eq!(view(&[("max_chars", "100000")]).answer_bytes(), Some(100_000));
        for text in ["1", "1e5", "400000", "-1"] {
            assert_eq!(view(&[("max_chars", text)]).answer_bytes(), None, "{text}");
        }
    }
}
