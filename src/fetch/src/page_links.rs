//! Finds the links of a page to files of a source: their names match the pattern that the source declares.

use std::collections::HashSet;

use url::Url;

/// Length limit of a file name: file systems allow 255 bytes, and some names get a suffix.
const LONGEST_NAME: usize = 200;
/// Maximum number of files that a page may list; monthly files over a century are fewer.
const MOST_FILES: usize = 2_000;

/// Returns the linked names and URLs that match a pattern (`*` any characters, `?` one), each once, in the page's order.
pub(crate) fn of_page(page: &str, base: &Url, form: &str) -> Vec<(String, Url)> {
    let mut found: Vec<(String, Url)> = Vec::new();
    let mut known: HashSet<String> = HashSet::new();
    for tail in page.split("href").skip(1) {
        let Some(url) = href_value(tail).and_then(|target| base.join(&target.replace("&amp;", "&")).ok())
        else {
            continue;
        };
        let Some(name) = url.path_segments().and_then(|mut parts| parts.next_back()).map(str::to_owned)
        else {
            continue;
        };
        if is_plain(&name) && matches_form(&name, form) && known.insert(name.clone()) {
            found.push((name, url));
        }
        if found.len() == MOST_FILES {
            break;
        }
    }
    found
}

/// Returns the quoted value after `href`.
fn href_value(tail: &str) -> Option<&str> {
    let value = tail.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value.get(1..)?.split(quote).next()
}

/// Returns true if a name is safe as a file name.
fn is_plain(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && !name.starts_with('.')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

fn matches_form(name: &str, form: &str) -> bool {
    let mut forms = form.chars();
    match forms.next() {
        None => name.is_empty(),
        Some('*') => {
            let rest = forms.as_str();
            (0..=name.len()).filter_map(|at| name.get(at..)).any(|tail| matches_form(tail, rest))
        }
        Some(wanted) => {
            let mut names = name.chars();
            names.next().is_some_and(|c| wanted == '?' || wanted == c)
                && matches_form(names.as_str(), forms.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_taken_by_the_form_of_their_names() {
        let page = r#"<a href="/files/a/2026q2_form345.zip">x</a> <a href='/files/b/2026q3_form345.zip?x=1'>y</a>
            <a href="/files/a/2026q2_form345.zip">again</a> <a href="/files/readme.zip">r</a> <a href = "https://other.example/2026q1_form345.zip">o</a>
            <link href=unquoted> <a href="/..zip"></a>"#;
        let base = Url::parse("https://www.example.gov/page").unwrap();
        let names: Vec<String> =
            of_page(page, &base, "????q?_form345.zip").into_iter().map(|(_, url)| url.into()).collect();
        assert_eq!(
            names,
            [
                "https://www.example.gov/files/a/2026q2_form345.zip",
                "https://www.example.gov/files/b/2026q3_form345.zip?x=1",
                "https://other.example/2026q1_form345.zip"
            ]
        );
        assert!(matches_form("2026q2.zip", "????q?.zip") && !matches_form("2026q2_x.zip", "????q?.zip"));
        assert!(matches_form("a_form13f.zip", "*_form13f.zip"));
    }

    #[test]
    fn a_page_of_links_without_end_names_some_files_soon() {
        let began = std::time::Instant::now();
        let links = (0..200_000).map(|at| format!("<a href=\"/f/{at}_form13f.zip\"></a>"));
        let base = Url::parse("https://www.example.gov/page").unwrap();
        assert_eq!(of_page(&links.collect::<String>(), &base, "*_form13f.zip").len(), MOST_FILES);
        let long = format!("<a href=\"/f/{}_form13f.zip\"></a>", "x".repeat(8 << 20));
        assert_eq!(of_page(&long, &base, "*_form13f.zip"), []);
        assert!(began.elapsed() < std::time::Duration::from_secs(20));
    }
}
