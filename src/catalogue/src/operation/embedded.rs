//! The query files embedded in the binary. Files in `--queries DIR` replace them by path.

use std::collections::BTreeMap;

include!(concat!(env!("OUT_DIR"), "/queries.rs"));

/// Returns all embedded files as (path below `queries/`, text), sorted by path.
pub fn embedded_files() -> &'static [(&'static str, &'static str)] {
    FILES
}

/// Returns true if a file is a built-in one, unchanged.
pub fn is_embedded(path: &str, text: &str) -> bool {
    let files = FILES;
    let found = files.binary_search_by_key(&path, |(known, _)| *known).ok().and_then(|at| files.get(at));
    found.is_some_and(|(_, shipped)| *shipped == text)
}

/// Returns the files of a folder of declarations, such as `pages/`: the built-in ones, with those of an overlay over them by path.
pub fn declarations_with<'a>(folder: &str, overlay: &'a [(String, String)]) -> BTreeMap<&'a str, &'a str> {
    let overlay = overlay.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    FILES.iter().copied().chain(overlay).filter(|(path, _)| path.starts_with(folder)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Catalogue;

    #[test]
    fn every_embedded_operation_is_found_to_be_shipped() {
        assert!(embedded_files().is_sorted_by_key(|(path, _)| *path));
        let catalogue = Catalogue::with_overlay(&[]).unwrap();
        assert!(catalogue.operations().iter().all(|operation| catalogue.is_shipped(operation)));
    }
}
