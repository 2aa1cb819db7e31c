//! The `$names` of a SQL text, as a reader sees them: not those in strings, quoted names or comments.

/// The names behind `$`, each once, in order of appearance.
pub fn placeholders(sql: &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    let mut rest = sql;
    while let Some(start) = rest.find(['$', '\'', '"', '-', '/']) {
        let (_, at) = rest.split_at(start);
        rest = match at.chars().next() {
            Some('$') => {
                let after = at.get(1..).unwrap_or_default();
                let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
                let (name, after) = after.split_at(end);
                if !name.is_empty() && !names.contains(&name) {
                    names.push(name);
                }
                after
            }
            Some(quote @ ('\'' | '"')) => skip(at.get(1..), &quote.to_string()),
            _ if at.starts_with("--") => skip(Some(at), "\n"),
            _ if at.starts_with("/*") => skip(Some(at), "*/"),
            _ => at.get(1..).unwrap_or_default(),
        };
    }
    names
}

/// What stands behind the next `end`; nothing if there is none.
fn skip<'a>(text: Option<&'a str>, end: &str) -> &'a str {
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
}
