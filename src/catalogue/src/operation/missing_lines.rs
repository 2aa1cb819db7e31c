//! Proposals for required lines that an operation file lacks. They are shown with the errors of the parser.

use super::header::{HeaderFact, QueryFile};
use super::param::Param;
use super::placeholders::placeholders;
use super::value::ParamType;

/// Placeholder for a description that the author must write.
const WORDS: &str = "\"What it is.\"";

/// Keys that each operation needs, each with a common value.
const REQUIRED_FACTS: [(&str, &str); 4] =
    [("tool", "none"), ("tier", "free"), ("group", "Own"), ("answer", "list")];

/// A proposed header line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingLine {
    /// Number of the line to replace, from 1; `None` to add a line.
    pub replaces: Option<usize>,
    /// Text of the line.
    pub text: String,
}

/// Returns the lines that an operation file lacks; empty for a file that cannot be split into its parts.
pub fn missing_lines(file: &str, text: &str) -> Vec<MissingLine> {
    let Ok(source) = QueryFile::parse(file, text) else { return Vec::new() };
    let facts: Vec<&HeaderFact> = source.blocks.iter().flat_map(|block| &block.facts).collect();
    let has = |key: &str| facts.iter().any(|fact| [key, "run"].contains(&without_label(&fact.key)));
    let needed = REQUIRED_FACTS.iter().filter(|(key, _)| !has(key));
    let added = needed.map(|(key, value)| format!("-- {key}: {value}"));
    let params: Vec<&&HeaderFact> = facts.iter().filter(|fact| without_label(&fact.key) == "param").collect();
    let is_declared =
        |name: &str| params.iter().any(|fact| fact.value.split_whitespace().next() == Some(name));
    let named = source.blocks.iter().flat_map(|block| placeholders(&block.sql));
    let mut undeclared: Vec<&str> = named.filter(|name| !is_declared(name)).collect();
    undeclared.dedup();
    let undeclared = undeclared.into_iter().map(|name| format!("-- param: {name} text? {WORDS}"));
    let lines = added.chain(undeclared).map(|text| MissingLine { replaces: None, text });
    lines.chain(params.iter().filter_map(|fact| completed_param(fact))).collect()
}

/// Returns the text with these lines added or replaced. New lines come directly before the SQL.
pub fn with_lines(text: &str, missing: &[MissingLine]) -> String {
    let is_sql = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with("--");
    let sql = text.lines().position(is_sql).unwrap_or_default();
    let mut whole = String::new();
    for (at, line) in text.lines().enumerate() {
        let added = missing.iter().filter(|line| at == sql && line.replaces.is_none());
        let replacement = missing.iter().find(|line| line.replaces == Some(at + 1));
        let line = replacement.map_or(line, |replacement| &replacement.text);
        whole.extend(added.map(|line| line.text.as_str()).chain([line]).flat_map(|line| [line, "\n"]));
    }
    whole
}

fn without_label(key: &str) -> &str {
    key.rsplit('-').next().unwrap_or(key)
}

/// Returns the line of a parameter with the missing description, and the missing example of a required parameter; `None` if nothing is
/// missing.
fn completed_param(fact: &HeaderFact) -> Option<MissingLine> {
    let HeaderFact { line, key, value } = fact;
    let declaration = if value.contains('"') { value.clone() } else { format!("{value} {WORDS}") };
    let param = Param::parse(&declaration, *line).ok()?;
    let lacks_example = param.is_required() && param.example.is_none();
    let example = if lacks_example { format!(" e.g. {}", example_value(&param)) } else { String::new() };
    let text = format!("-- {key}: {declaration}{example}");
    (lacks_example || declaration != *value).then_some(MissingLine { replaces: Some(*line), text })
}

/// Returns an example of a value, which is valid unless a range excludes it.
fn example_value(param: &Param) -> String {
    match (param.allowed_words(), param.ty) {
        (Some([first, ..]), _) => first.clone(),
        (_, ParamType::Int | ParamType::Number) => "1".to_owned(),
        (_, ParamType::Bool) => "true".to_owned(),
        (_, ParamType::Date) => "2026-10-30".to_owned(),
        (_, ParamType::Period) => "Sep 2026".to_owned(),
        (_, ParamType::Text | ParamType::List) => "TATASTEEL".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Operation;
    use super::*;

    #[test]
    fn a_file_with_its_missing_lines_is_an_operation() {
        let text = "-- Quiet stocks.\n--\n-- param: symbol text\n-- param: least number \"Least.\"\nSELECT symbol\n\
                    FROM stocks\nWHERE symbol = $symbol AND close > $least AND ($sector IS NULL OR sector = $sector)\n";
        assert!(Operation::parse("api/market/quiet.sql", text).is_err());
        let lines = missing_lines("api/market/quiet.sql", text);
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "-- tool: none",
                "-- tier: free",
                "-- group: Own",
                "-- answer: list",
                "-- param: sector text? \"What it is.\"",
                "-- param: symbol text \"What it is.\" e.g. TATASTEEL",
                "-- param: least number \"Least.\" e.g. 1",
            ]
        );
        let whole = with_lines(text, &lines);
        let operations = Operation::parse("api/market/quiet.sql", &whole);
        assert!(operations.is_ok(), "{operations:?}\n{whole}");
        assert_eq!(missing_lines("api/market/quiet.sql", &whole), []);
    }

    #[test]
    fn nothing_is_missing_of_what_we_ship() {
        for (path, text) in super::super::embedded_files().iter().filter(|(path, _)| path.starts_with("api/"))
        {
            assert_eq!(missing_lines(path, text), [], "{path}");
        }
    }
}
