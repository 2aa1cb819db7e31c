//! The guides of the manual: pages about a subject rather than an operation. Each is one Markdown file under `docs/guides`.

include!(concat!(env!("OUT_DIR"), "/guides.rs"));

/// A guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Guide {
    /// The name of its file, without the ending: `presets`.
    pub name: &'static str,
    /// Its first heading.
    pub title: &'static str,
    /// Its Markdown.
    pub text: &'static str,
}

/// All guides, in the order of their files.
pub(crate) fn guides() -> impl Iterator<Item = Guide> {
    GUIDES.iter().map(|(path, text)| Guide {
        name: path.strip_suffix(".md").unwrap_or(path),
        title: text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(path),
        text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_guide_begins_with_its_title_and_names_a_subject() {
        let names: Vec<&str> = guides().map(|guide| guide.name).collect();
        for name in ["committee", "presets", "provider-keys", "scores"] {
            assert!(names.contains(&name), "{name}");
        }
        for guide in guides() {
            assert!(guide.text.starts_with(&format!("# {}\n", guide.title)), "{}", guide.name);
        }
    }
}
