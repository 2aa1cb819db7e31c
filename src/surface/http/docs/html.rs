//! Text into HTML.

/// Escapes text for content and for quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        match char {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Replaces each `{{name}}` of a template by its value; values are not looked through again.
pub(super) fn fill(template: &str, value: impl Fn(&str) -> String) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        filled.push_str(&value(name));
        rest = after;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_not_templates() {
        assert_eq!(fill("a {{x}} b {{y}}c", |name| format!("<{name}{{{{x}}}}>")), "a <x{{x}}> b <y{{x}}>c");
    }

    #[test]
    fn all_five_are_escaped() {
        assert_eq!(escape("<a href='x'>\"&\"</a>"), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;&quot;&lt;/a&gt;");
    }
}
