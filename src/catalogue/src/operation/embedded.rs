//! The query files embedded in the binary. Files in `--queries DIR` replace them by path.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;

use super::toml_text::read_toml;

include!(concat!(env!("OUT_DIR"), "/queries.rs"));

/// Returns all embedded files as (path below `queries/`, text), sorted by path.
pub fn embedded_files() -> &'static [(&'static str, &'static str)] {
    FILES
}

/// Parses a built-in declaration that no overlay can replace. Returns the default if it is invalid, which a test of each caller rules out.
pub fn built_in<T: DeserializeOwned + Default>(path: &str) -> T {
    let file = FILES.iter().find(|(known, _)| *known == path);
    file.and_then(|(_, text)| read_toml(text).ok()).unwrap_or_default()
}

/// Returns true if a file is an unchanged built-in file.
pub fn is_embedded(path: &str, text: &str) -> bool {
    let index = FILES.binary_search_by_key(&path, |(known, _)| *known).ok();
    index.and_then(|index| FILES.get(index)).is_some_and(|(_, built_in)| *built_in == text)
}

/// Returns the files of a folder of declarations, such as `pages/`, as a map from path to text. A file of the overlay replaces the built-in
/// file with the same path.
pub fn declarations_with<'a>(folder: &str, overlay: &'a [(String, String)]) -> BTreeMap<&'a str, &'a str> {
    let overlay = overlay.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    FILES.iter().copied().chain(overlay).filter(|(path, _)| path.starts_with(folder)).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::operation::Catalogue;

    #[test]
    fn every_embedded_operation_is_found_to_be_shipped() {
        assert!(embedded_files().is_sorted_by_key(|(path, _)| *path));
        let catalogue = Catalogue::with_overlay(&[]).unwrap();
        assert!(catalogue.operations().iter().all(|operation| catalogue.is_shipped(operation)));
    }

    #[test]
    fn every_title_is_one_sentence() {
        let files = embedded_files()
            .iter()
            .filter(|(path, _)| Path::new(path).extension().is_some_and(|extension| extension == "sql"));
        let is_broken = |text: &str| {
            let mut lines = text.lines().map(|line| line.trim_start_matches("-- "));
            !lines.next().is_some_and(|title| title.ends_with('.'))
        };
        let broken: Vec<&str> = files.filter(|(_, text)| is_broken(text)).map(|(path, _)| *path).collect();
        assert!(broken.is_empty(), "titles that end in the middle of a sentence: {broken:?}");
    }
}
