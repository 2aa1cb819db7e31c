//! The query files that the binary carries. What lies in `--queries DIR` is laid over them by path.

include!(concat!(env!("OUT_DIR"), "/queries.rs"));

/// All embedded files as (path below `queries/`, text), sorted by path.
pub fn embedded_files() -> &'static [(&'static str, &'static str)] {
    FILES
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
