//! A parser of the explorer's HTML: opened tags are closed, values are quoted, ids are unique. It is stricter than
//! browsers, and knows only what the explorer's pages use.

use std::collections::BTreeSet;

/// Elements without an end tag.
const VOID: [&str; 6] = ["meta", "link", "input", "br", "img", "hr"];

/// A tag with its attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    /// The text after it, up to the next tag.
    pub text: String,
}

impl Tag {
    /// Returns an attribute, unescaped.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Returns the tags of a page in order, or an error if it is not well-formed.
pub(super) fn read(page: &str) -> Result<Vec<Tag>, String> {
    let mut rest = page.strip_prefix("<!DOCTYPE html>").ok_or("it does not start with its document type")?;
    let (mut tags, mut open, mut ids) = (Vec::new(), Vec::<String>::new(), BTreeSet::new());
    while let Some(start) = rest.find('<') {
        let (before, behind) = rest.split_at(start);
        check_text(before)?;
        let end = tag_end(behind).ok_or_else(|| format!("a tag without its end: {}", head(behind)))?;
        let (inside, after) = (&behind[1..end], &behind[end + 1..]);
        rest = after;
        if let Some(name) = inside.strip_prefix('/') {
            let last = open.pop().unwrap_or_default();
            if last != name {
                return Err(format!("`{name}` ends where `{last}` is open, before {}", head(rest)));
            }
            continue;
        }
        let is_closed = inside.ends_with('/');
        let tag = tag(inside.trim_end_matches('/'), rest)?;
        if let Some(id) = tag.attribute("id")
            && !ids.insert(id.to_owned())
        {
            return Err(format!("the id `{id}` stands twice"));
        }
        if tag.name == "script" {
            let end = rest.find("</script>").ok_or("a script without its end")?;
            rest = &rest[end + "</script>".len()..];
        } else if !is_closed && !VOID.contains(&tag.name.as_str()) {
            open.push(tag.name.clone());
        }
        tags.push(tag);
    }
    check_text(rest)?;
    if open.is_empty() { Ok(tags) } else { Err(format!("never closed: {}", open.join(", "))) }
}

fn head(text: &str) -> String {
    text.chars().take(60).collect()
}

/// Returns the position of `>` outside quotes.
fn tag_end(text: &str) -> Option<usize> {
    let mut quoted = false;
    text.char_indices().find_map(|(at, c)| {
        quoted ^= c == '"';
        (c == '>' && !quoted).then_some(at)
    })
}

fn tag(inside: &str, behind: &str) -> Result<Tag, String> {
    let (name, mut left) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return Err(format!("`{}` is no name of a tag", head(inside)));
    }
    let mut attributes: Vec<(String, String)> = Vec::new();
    loop {
        left = left.trim_start();
        if left.is_empty() {
            break;
        }
        let stop = left.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(left.len());
        let (attribute, after) = left.split_at(stop);
        let value = match after.strip_prefix('=') {
            None => {
                left = after;
                String::new()
            }
            Some(quoted) => {
                let quoted =
                    quoted.strip_prefix('"').ok_or_else(|| format!("`{attribute}` has no quotes"))?;
                let (value, after) = quoted.split_once('"').ok_or("a quote without its end")?;
                check_text(value)?;
                left = after;
                unescaped(value)
            }
        };
        if attributes.iter().any(|(known, _)| known == attribute) {
            return Err(format!("`{attribute}` stands twice in `{}`", head(inside)));
        }
        attributes.push((attribute.to_owned(), value));
    }
    let text = behind.split('<').next().unwrap_or_default();
    Ok(Tag { name: name.to_owned(), attributes, text: unescaped(text) })
}

/// Checks that each ampersand begins an entity.
fn check_text(text: &str) -> Result<(), String> {
    const KNOWN: [&str; 5] = ["amp;", "lt;", "gt;", "quot;", "#39;"];
    match text.split('&').skip(1).find(|behind| !KNOWN.iter().any(|known| behind.starts_with(known))) {
        Some(behind) => Err(format!("a bare ampersand before `{}`", head(behind))),
        None => Ok(()),
    }
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}

#[test]
fn what_is_not_well_formed_is_found() {
    let page = |body: &str| read(&format!("<!DOCTYPE html><html lang=\"en\">{body}</html>"));
    assert_eq!(page("<p class=\"a\" hidden>1 &lt; 2</p><input value=\"&quot;\">").unwrap().len(), 3);
    for (body, part) in [
        ("<p>", "never closed"),
        ("<p></b></p>", "ends where"),
        ("<p class=a></p>", "no quotes"),
        ("<p id=\"a\"></p><b id=\"a\"></b>", "stands twice"),
        ("<p>M&M</p>", "bare ampersand"),
        ("<p a=\"1\" a=\"2\"></p>", "stands twice"),
        ("<p class=\"a", "without its end"),
        ("<>", "no name of a tag"),
    ] {
        let message = page(body).map(|tags| format!("{tags:?}")).unwrap_err();
        // An unclosed tag is reported at the tag that ends while it is open.
        assert!(message.contains(part) || message.contains("ends where"), "{body}: {message}");
    }
    assert!(read("<html></html>").is_err());
}
