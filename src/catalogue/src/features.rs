//! Features that a build may lack.

/// Returns the message about a command, flag or format that needs a missing feature, with the way to get a build with the feature.
pub fn missing_feature(what: &str, feature: &str) -> String {
    format!(
        "{what} needs the feature `{feature}`, and this program was built without it; released programs have it, and so has one that \
         `cargo build --release --features {feature}` builds"
    )
}
