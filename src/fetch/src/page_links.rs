//! Finds the links of a page to files of a source, by the pattern of file names that the source declares.

use std::collections::HashSet;

use url::Url;

/// Maximum bytes of a file name: file systems allow 255 bytes, and some names get a suffix.
const LONGEST_NAME: usize = 200;
/// Maximum number of files that are read from a page; a century has 1,200 monthly files.
const MOST_FILES: usize = 2_000;

/// Returns the names and URLs of linked files whose names match a pattern (`*` any characters, `?` one), each once, in the page's order.
pub(crate) fn find_links(page: &str, base: &Url, pattern: &str) -> Vec<(String, Url)> {
    let mut links: Vec<(String, Url)> = Vec::new();
    let mut names: HashSet<String> = HashSet::new();
    for tail in page.split("href").skip(1) {
        let Some(url) = href_value(tail).and_then(|target| base.join(&target.replace("&amp;", "&")).ok())
        else {
            continue;
        };
        let Some(name) = url.path_segments().and_then(|mut parts| parts.next_back()).map(str::to_owned)
        else {
            continue;
        };
        if is_safe_name(&name) && matches_pattern(&name, pattern) && names.insert(name.clone()) {
            links.push((name, url));
        }
        if links.len() == MOST_FILES {
            break;
        }
    }
    links
}

/// Returns the quoted value after `href`.
fn href_value(tail: &str) -> Option<&str> {
    let value = tail.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value.get(1..)?.split(quote).next()
}

/// Returns true if a name is safe as a file name.
fn is_safe_name(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && !name.starts_with('.')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

fn matches_pattern(name: &str, pattern: &str) -> bool {
    let mut pattern_characters = pattern.chars();
    match pattern_characters.next() {
        None => name.is_empty(),
        Some('*') => {
            let rest = pattern_characters.as_str();
            (0..=name.len()).filter_map(|at| name.get(at..)).any(|tail| matches_pattern(tail, rest))
        }
        Some(expected) => {
            let mut characters = name.chars();
            characters.next().is_some_and(|c| expected == '?' || expected == c)
                && matches_pattern(characters.as_str(), pattern_characters.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_by_the_pattern_of_their_names() {
        let page = r#"<a href="/files/a/2026q2_form345.zip">x</a> <a href='/files/b/2026q3_form345.zip?x=1'>y</a>
            <a href="/files/a/2026q2_form345.zip">again</a> <a href="/files/readme.zip">r</a> <a href = "https://other.example/2026q1_form345.zip">o</a>
            <link href=unquoted> <a href="/..zip"></a>"#;
        let base = Url::parse("https://www.example.gov/page").unwrap();
        let names: Vec<String> =
            find_links(page, &base, "????q?_form345.zip").into_iter().map(|(_, url)| url.into()).collect();
        assert_eq!(
            names,
            [
                "https://www.example.gov/files/a/2026q2_form345.zip",
                "https://www.example.gov/files/b/2026q3_form345.zip?x=1",
                "https://other.example/2026q1_form345.zip"
            ]
        );
        assert!(
            matches_pattern("2026q2.zip", "????q?.zip") && !matches_pattern("2026q2_x.zip", "????q?.zip")
        );
        assert!(matches_pattern("a_form13f.zip", "*_form13f.zip"));
    }

    #[test]
    fn a_page_with_too_many_links_is_read_in_part_and_in_time() {
        let began = std::time::Instant::now();
        let links = (0..200_000).map(|at| format!("<a href=\"/f/{at}_form13f.zip\"></a>"));
        let base = Url::parse("https://www.example.gov/page").unwrap();
        assert_eq!(find_links(&links.collect::<String>(), &base, "*_form13f.zip").len(), MOST_FILES);
        let long = format!("<a href=\"/f/{}_form13f.zip\"></a>", "x".repeat(8 << 20));
        assert_eq!(find_links(&long, &base, "*_form13f.zip"), []);
        assert!(began.elapsed() < std::time::Duration::from_secs(20));
    }
}
