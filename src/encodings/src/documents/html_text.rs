//! The text of an HTML page: its paragraphs without scripts, styles, comments and hidden data.
//!
//! The page is read in one pass without a tree, so that time and memory grow only with its length, whatever its nesting.

use crate::documents::paragraphs::Paragraphs;

/// Elements whose content is not displayed as text. `ix:header` has figures of inline XBRL that a filing does not display.
const HIDDEN_ELEMENTS: [&str; 12] = [
    "script", "style", "noscript", "template", "svg", "iframe", "object", "textarea", "select", "canvas",
    "title", "ix:header",
];

/// Elements within a line; every other element ends a paragraph.
const INLINE_ELEMENTS: [&str; 29] = [
    "a", "abbr", "acronym", "b", "big", "bdi", "bdo", "cite", "code", "del", "dfn", "em", "font", "i", "img",
    "ins", "kbd", "label", "mark", "q", "s", "small", "span", "strike", "strong", "sub", "sup", "u", "wbr",
];

/// Characters by the names of HTML character references.
const NAMED_CHARACTERS: [(&str, char); 26] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", '\u{a0}'),
    ("ensp", ' '),
    ("emsp", ' '),
    ("thinsp", ' '),
    ("rsquo", '’'),
    ("lsquo", '‘'),
    ("rdquo", '”'),
    ("ldquo", '“'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("minus", '−'),
    ("hellip", '…'),
    ("bull", '•'),
    ("middot", '·'),
    ("sect", '§'),
    ("reg", '®'),
    ("copy", '©'),
    ("trade", '™'),
    ("euro", '€'),
    ("pound", '£'),
    ("yen", '¥'),
];

/// Maximum bytes of a name or number between `&` and `;`.
const LONGEST_CHARACTER_NAME: usize = 10;

/// An HTML page that is being read.
struct HtmlText<'a> {
    text: &'a str,
    /// The page in lower case, with the same byte positions.
    lower: String,
    /// Position of the next unread byte.
    at: usize,
    title: Option<String>,
}

/// Appends the text of a page, and returns its title.
pub(super) fn push_html(text: &str, into: &mut Paragraphs) -> Option<String> {
    let mut page = HtmlText { text, lower: text.to_ascii_lowercase(), at: 0, title: None };
    while let Some(rest) = text.get(page.at..).filter(|rest| !rest.is_empty()) {
        let words = rest.find('<').unwrap_or(rest.len());
        push_escaped(rest.get(..words).unwrap_or_default(), into);
        page.at += words;
        if words < rest.len() {
            page.push_tag(into);
        }
    }
    into.end();
    page.title
}

impl HtmlText<'_> {
    /// Returns the unread part in lower case.
    fn rest(&self) -> &str {
        self.lower.get(self.at..).unwrap_or_default()
    }

    /// Skips to the byte after the next `end`, or to the end of the page.
    fn skip_past(&mut self, end: &str) {
        self.at = self.rest().find(end).map_or(self.lower.len(), |found| self.at + found + end.len());
    }

    /// Reads a tag, comment or declaration at a `<`; a `<` that begins none of these is text.
    fn push_tag(&mut self, into: &mut Paragraphs) {
        let rest = self.rest();
        if rest.starts_with("<!--") {
            return self.skip_past("-->");
        }
        if rest.starts_with("<!") || rest.starts_with("<?") {
            return self.skip_past(">");
        }
        let is_end = rest.starts_with("</");
        let name: String = rest
            .chars()
            .skip(if is_end { 2 } else { 1 })
            .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, ':' | '-'))
            .collect();
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
            // A less-than sign, as in `< 5 %`.
            into.push('<');
            self.at += 1;
            return;
        }
        let length = tag_length(rest);
        let is_empty = rest.get(..length).is_some_and(|tag| tag.ends_with("/>"));
        self.at += length;
        if HIDDEN_ELEMENTS.contains(&name.as_str()) && !is_end && !is_empty {
            self.skip_hidden(&name);
        } else if name == "br" {
            into.end_line();
        } else if matches!(name.as_str(), "td" | "th") {
            into.push(' ');
        } else if !INLINE_ELEMENTS.contains(&name.as_str()) && !name.starts_with("ix:") {
            into.end();
        }
    }

    /// Skips the content and the end tag of a hidden element; the first title is stored.
    fn skip_hidden(&mut self, name: &str) {
        let start = self.at;
        let end = self.rest().find(&format!("</{name}")).map_or(self.lower.len(), |found| start + found);
        if name == "title" && self.title.is_none() {
            let mut title = Paragraphs::default();
            push_escaped(self.text.get(start..end).unwrap_or_default(), &mut title);
            self.title = title.finish().ok().and_then(|parts| parts.into_iter().next());
        }
        self.at = end;
        self.skip_past(">");
    }
}

/// Returns the length of the tag at the start of a text: up to a `>` outside quotes, else all of the text.
fn tag_length(text: &str) -> usize {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return at + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    text.len()
}

/// Appends text in which characters may be written as `&amp;` or `&#8217;`.
fn push_escaped(text: &str, into: &mut Paragraphs) {
    let mut parts = text.split('&');
    into.push_text(parts.next().unwrap_or_default());
    for part in parts {
        let end = part.bytes().take(LONGEST_CHARACTER_NAME + 1).position(|byte| byte == b';');
        let named = end.and_then(|end| Some((decode_character(part.get(..end)?)?, part.get(end + 1..)?)));
        let (character, rest) = named.unwrap_or(('&', part));
        into.push(character);
        into.push_text(rest);
    }
}

/// Decodes the name or number of a character reference, such as `amp` or `#8217`.
fn decode_character(name: &str) -> Option<char> {
    let Some(number) = name.strip_prefix('#') else {
        return NAMED_CHARACTERS.iter().find(|(other, _)| *other == name).map(|(_, character)| *character);
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    char::from_u32(code.ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(html: &str) -> (Option<String>, Vec<String>) {
        let mut paragraphs = Paragraphs::default();
        let title = push_html(html, &mut paragraphs);
        (title, paragraphs.finish().unwrap())
    }

    #[test]
    fn a_page_is_its_paragraphs() {
        let html = "<!DOCTYPE html><html><head><title>Alfa&#8217;s  results</title><style>p{}</style></head><body>\
                    <P>Revenue <b>rose</b> 5&nbsp;% &amp; more</P><div>A<br>B<br><br>C</div><table><tr><td>Sales</td><td>$ 7</td></tr></table>\
                    a < 5 % &unknown; &#x20AC;7</body></html>";
        let (title, paragraphs) = read(html);
        assert_eq!(title.as_deref(), Some("Alfa’s results"));
        assert_eq!(paragraphs, ["Revenue rose 5 % & more", "A B", "C", "Sales $ 7", "a < 5 % &unknown; €7"]);
    }

    #[test]
    fn scripts_comments_and_hidden_figures_are_no_text() {
        let html = "<p onclick=\"a > b\">One</p><script>document.write('<p>Two</p>')</SCRIPT ><!-- <p>Three</p> -->\
                    <ix:header><p>Four</p></ix:header><p><ix:nonFraction name=\"x\">5</ix:nonFraction> million</p><style>six";
        assert_eq!(read(html).1, ["One", "5 million"]);
    }

    #[test]
    fn no_nesting_and_no_open_quote_costs_more_than_its_bytes() {
        let deep = "<div>".repeat(400_000);
        assert_eq!(read(&format!("{deep}end")).1, ["end"]);
        assert_eq!(read(&"<a \"".repeat(300_000)).1, Vec::<String>::new());
        assert_eq!(read(&"&".repeat(1_000)).1, ["&".repeat(1_000)]);
        assert_eq!(read(&"<!--".repeat(300_000)).1, Vec::<String>::new());
    }
}
