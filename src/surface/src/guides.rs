//! The guides of the manual: pages about a subject rather than an operation. Each is one Markdown file under `docs/guides`.

include!(concat!(env!("OUT_DIR"), "/guides.rs"));

/// Guides in the order in which a newcomer needs them. A guide that is not in this list comes last.
const ORDER: &str = "fetch coverage your-own-data documents write-the-texts your-own-tables tables \
    refresh keys portal formats charts sql command-line language-models in-a-chat provider-keys presets \
    committee your-own-operations scores past look-ahead audit production passing-on monitoring state \
    more-than-one-machine limits how-fast";

/// A guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guide {
    /// Name of its file without the extension: `presets`.
    pub name: &'static str,
    /// First heading.
    pub title: &'static str,
    /// Markdown text.
    pub text: &'static str,
}

/// Returns all guides, in order.
pub fn guides() -> impl Iterator<Item = Guide> {
    let all = GUIDES.iter().map(|(path, text)| Guide {
        name: path.strip_suffix(".md").unwrap_or(path),
        title: text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(path),
        text,
    });
    let mut all: Vec<Guide> = all.collect();
    all.sort_by_key(|guide| ORDER.split(' ').position(|name| name == guide.name).unwrap_or(usize::MAX));
    all.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_guide_begins_with_its_title_and_names_a_subject() {
        for guide in guides() {
            assert!(guide.text.starts_with(&format!("# {}\n", guide.title)), "{}", guide.name);
        }
    }

    /// The manual and the README list the same guides in the same order.
    #[test]
    fn the_readme_lists_the_guides_in_their_order() {
        let names: Vec<&str> = guides().map(|guide| guide.name).collect();
        assert_eq!(names.join(" "), ORDER, "name a new guide in `ORDER`");
        let readme = include_str!("../../../README.md");
        let (_, table) = readme.split_once("\n## Guides\n").unwrap();
        let links = table.split("](docs/guides/").skip(1);
        let listed: Vec<&str> = links.map(|rest| rest.split_once(".md)").unwrap().0).collect();
        assert_eq!(listed, names, "list it in the README");
    }
}
