//! The `$names` in a SQL text, except in strings, quoted names and comments.

use std::ops::Range;

use super::value::Value;

/// Returns the names after `$`, each once, in order of appearance.
pub fn placeholders(sql: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in name_ranges(sql).into_iter().filter_map(|range| sql.get(range)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Returns a SQL text in which literals replace the `$names`; `NULL` replaces a name without a value.
pub fn with_literals<'a>(sql: &str, value: impl Fn(&str) -> Option<&'a Value>) -> String {
    let (mut text, mut end_of_copied) = (String::new(), 0);
    for range in name_ranges(sql) {
        let before = sql.get(end_of_copied..range.start - 1).unwrap_or_default();
        let name = sql.get(range.clone()).unwrap_or_default();
        text.extend([before, value(name).map_or_else(|| "NULL".to_owned(), sql_literal).as_str()]);
        end_of_copied = range.end;
    }
    text + sql.get(end_of_copied..).unwrap_or_default()
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

/// Returns the byte ranges of the names after `$`.
fn name_ranges(sql: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut rest = sql;
    while let Some(start) = rest.find(['$', '\'', '"', '-', '/']) {
        let (_, special) = rest.split_at(start);
        rest = match special.chars().next() {
            Some('$') => {
                let after = special.get(1..).unwrap_or_default();
                let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
                let first = sql.len() - after.len();
                if end > 0 {
                    ranges.push(first..first + end);
                }
                after.get(end..).unwrap_or_default()
            }
            Some(quote @ ('\'' | '"')) => text_after(special.get(1..), &quote.to_string()),
            _ if special.starts_with("--") => text_after(Some(special), "\n"),
            _ if special.starts_with("/*") => text_after(Some(special), "*/"),
            _ => special.get(1..).unwrap_or_default(),
        };
    }
    ranges
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
