//! Text from outside - names in tables, values in addresses - is shown as text on a page, whatever it contains.

use super::visit::visit;

const MARKUP: &str = "%3Cscript%3Ealert(1)%3C%2Fscript%3E%22%27%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E";

#[test]
fn markup_in_an_address_is_words() {
    for path in [
        format!("/india/search?q={MARKUP}"),
        format!("/india/company/{MARKUP}"),
        format!("/india/screener?sector={MARKUP}"),
        format!("/india/screener?{MARKUP}=1"),
        format!("/india/compare?symbols={MARKUP}"),
        format!("/us/{MARKUP}"),
    ] {
        let page = visit(&path);
        assert!(!page.text.contains("<script>alert") && !page.text.contains("<img"), "{path}");
        let active =
            page.tags.iter().find(|tag| tag.attributes.iter().any(|(name, _)| name.starts_with("on")));
        assert_eq!(active, None, "{path}");
    }
}
