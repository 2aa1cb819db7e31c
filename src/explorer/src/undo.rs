//! The form that takes back a change of the reader's lists, saved screens and notes, by restoring the content from before the change. It is
//! shown beside the result.

use parquote_handlers::{DEFAULT_LIST, SavedItems};
use url::form_urlencoded;

/// A form that restores earlier content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoForm {
    /// Operation that restores the content.
    pub operation: &'static str,
    /// Its arguments.
    pub arguments: Vec<(&'static str, String)>,
}

impl UndoForm {
    /// Returns the form that takes back an operation with these arguments; `None` for an operation that cannot be taken back. `before` has
    /// the lists, screens and notes before the operation.
    pub fn for_change(operation: &str, arguments: &[(&str, &str)], before: &SavedItems) -> Option<Self> {
        let name = arguments.iter().find(|(known, _)| *known == "name").map(|(_, value)| value.trim());
        match operation {
            "lists/add" | "lists/remove" | "lists/set" | "lists/delete" => {
                Some(Self::for_list(name.unwrap_or(DEFAULT_LIST), before))
            }
            "screens/save" | "screens/remove" => Some(Self::for_screen(name?, before)),
            "notes/set" => {
                let (_, symbol) = arguments.iter().find(|(known, _)| *known == "symbol")?;
                let text = before.note(symbol.trim()).unwrap_or_default();
                let arguments = vec![("symbol", (*symbol).to_owned()), ("text", text.to_owned())];
                Some(Self { operation: "notes/set", arguments })
            }
            _ => None,
        }
    }

    fn for_list(name: &str, before: &SavedItems) -> Self {
        match before.lists.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((name, symbols)) => {
                let arguments = vec![("name", name.clone()), ("symbols", symbols.join(","))];
                Self { operation: "lists/set", arguments }
            }
            None => Self { operation: "lists/delete", arguments: vec![("name", name.to_owned())] },
        }
    }

    /// Builds the form for a saved screen, which is stored by its sentence or the query of its page.
    fn for_screen(name: &str, before: &SavedItems) -> Self {
        match before.screens.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((name, page)) => {
                let ledger = if before.recorded.contains(name) { "on" } else { "off" };
                let arguments =
                    vec![("name", name.clone()), screen_argument(page), ("ledger", ledger.to_owned())];
                Self { operation: "screens/save", arguments }
            }
            None => Self { operation: "screens/remove", arguments: vec![("name", name.to_owned())] },
        }
    }
}

/// Returns the argument of `screens/save` that stores a page again: the sentence, or the query.
pub(crate) fn screen_argument(page: &str) -> (&'static str, String) {
    let (path, query) = page.split_once('?').unwrap_or_default();
    let words = form_urlencoded::parse(query.as_bytes()).next().filter(|_| path == "ask");
    words.map_or_else(|| ("query", query.to_owned()), |(_, words)| ("words", words.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_taken_back_by_what_was_there_before() {
        let symbols = ["AB", "M&M"].map(str::to_owned).to_vec();
        let before = SavedItems {
            lists: vec![("Swing".to_owned(), symbols)],
            screens: [("Cheap", "screener?min_roe=15&max_pe=20"), ("Said", "ask?query=RS+above+80")]
                .map(|(name, page)| (name.to_owned(), page.to_owned()))
                .to_vec(),
            recorded: vec!["Said".to_owned()],
            notes: vec![("M&M".to_owned(), "Waits".to_owned())],
        };
        let undo = |operation, arguments: &[(&str, &str)]| {
            let form = UndoForm::for_change(operation, arguments, &before)?;
            let arguments = form.arguments.iter().map(|(name, value)| format!("{name}={value}"));
            Some(format!("{}: {}", form.operation, arguments.collect::<Vec<_>>().join(" ")))
        };
        let restored = Some("lists/set: name=Swing symbols=AB,M&M".to_owned());
        for operation in ["lists/add", "lists/remove", "lists/set", "lists/delete"] {
            assert_eq!(undo(operation, &[("symbols", "CD"), ("name", " swing")]), restored, "{operation}");
        }
        assert_eq!(undo("lists/add", &[("symbols", "CD")]).as_deref(), Some("lists/delete: name=Starred"));
        let saved = Some("screens/save: name=Cheap query=min_roe=15&max_pe=20 ledger=off".to_owned());
        assert_eq!(undo("screens/remove", &[("name", "Cheap")]), saved);
        assert_eq!(undo("screens/save", &[("name", "CHEAP"), ("query", "min_rs=60")]), saved);
        // Its picks were recorded, under the page of its sentence.
        let said = Some("screens/save: name=Said words=RS above 80 ledger=on".to_owned());
        assert_eq!(
            undo("screens/save", &[("name", "Said"), ("words", "RS above 80"), ("ledger", "off")]),
            said
        );
        assert_eq!(undo("screens/remove", &[("name", "said")]), said);
        let new = undo("screens/save", &[("name", "Strong"), ("query", "min_rs=60")]);
        assert_eq!(new.as_deref(), Some("screens/remove: name=Strong"));
        assert_eq!(
            undo("notes/set", &[("symbol", "m&m"), ("text", "Goes")]).as_deref(),
            Some("notes/set: symbol=m&m text=Waits")
        );
        assert_eq!(undo("notes/set", &[("symbol", "AB")]).as_deref(), Some("notes/set: symbol=AB text="));
        for operation in ["lists/share", "screens/list", "account/byo-key/remove"] {
            assert_eq!(undo(operation, &[("name", "Swing")]), None, "{operation}");
        }
    }
}
