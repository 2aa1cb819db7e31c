//! The `$names` in a SQL text, except in strings, quoted names and comments.

use std::ops::Range;

use super::value::Value;

/// Returns the names after `$`, each once, in order of appearance.
pub fn placeholders(sql: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in name_ranges(sql).into_iter().filter_map(|span| sql.get(span)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns a SQL text with literals in place of its `$names`; `NULL` for a name without a value.
pub fn with_literals<'a>(sql: &str, value: impl Fn(&str) -> Option<&'a Value>) -> String {
    let (mut text, mut written) = (String::new(), 0);
    for span in name_ranges(sql) {
        let before = sql.get(written..span.start - 1).unwrap_or_default();
        let name = sql.get(span.clone()).unwrap_or_default();
        text.extend([before, value(name).map_or_else(|| "NULL".to_owned(), sql_literal).as_str()]);
        written = span.end;
    }
    text + sql.get(written..).unwrap_or_default()
}

/// Writes a value as a SQL literal.
fn sql_literal(value: &Value) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    match value {
        Value::Text(text) => quoted(text),
        Value::Int(number) => number.to_string(),
        Value::Number(number) => format!("{number:?}"),
        Value::Bool(flag) => flag.to_string(),
        Value::Date(date) => format!("DATE '{date}'"),
        Value::List(texts) => {
            format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Returns the positions of the names after `$`.
fn name_ranges(sql: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut rest = sql;
    while let Some(start) = rest.find(['$', '\'', '"', '-', '/']) {
        let (_, at) = rest.split_at(start);
        rest = match at.chars().next() {
            Some('$') => {
                let after = at.get(1..).unwrap_or_default();
                let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
                let first = sql.len() - after.len();
                if end > 0 {
                    spans.push(first..first + end);
                }
                after.get(end..).unwrap_or_default()
            }
            Some(quote @ ('\'' | '"')) => text_after(at.get(1..), &quote.to_string()),
            _ if at.starts_with("--") => text_after(Some(at), "\n"),
            _ if at.starts_with("/*") => text_after(Some(at), "*/"),
            _ => at.get(1..).unwrap_or_default(),
        };
    }
    spans
}

/// Returns the text after the next `end`; empty if there is none.
fn text_after<'a>(text: Option<&'a str>, end: &str) -> &'a str {
    text.and_then(|text| text.split_once(end)).map_or("", |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_comments_hold_no_placeholders() {
        let sql = "SELECT '$a', \"$b\", $c -- $d\n, 1 - $e /* $f */ , it''s $g, $c";
        assert_eq!(placeholders("SELECT '$a', \"$b\", $c -- $d\n, 1 - $e /* $f */, $g, $c"), ["c", "e", "g"]);
        assert_eq!(placeholders(sql).first(), Some(&"c"));
    }

    #[test]
    fn values_are_written_as_literals() {
        let (text, date) = (Value::Text("M'S $b".to_owned()), Value::Date("2026-01-02".parse().unwrap()));
        let list = Value::List(vec!["A".to_owned(), "B'".to_owned()]);
        let value = |name: &str| match name {
            "a" => Some(&text),
            "d" => Some(&date),
            "l" => Some(&list),
            _ => None,
        };
        assert_eq!(
            with_literals("SELECT $a, '$a' WHERE d >= $d AND s = ANY($l) OR $b IS NULL -- $a", value),
            "SELECT 'M''S $b', '$a' WHERE d >= DATE '2026-01-02' AND s = ANY(['A', 'B''']) OR NULL IS NULL -- $a"
        );
        let numbers = [Value::Number(5.0), Value::Int(-3), Value::Bool(true)];
        assert_eq!(numbers.each_ref().map(sql_literal), ["5.0", "-3", "true"]);
    }
}
