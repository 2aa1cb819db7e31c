//! A relative path that cannot lead out of its folder, even if another machine sent it.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A relative path of normal components, separated by `/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PathBelow(String);

impl PathBelow {
    /// Returns the path of a file relative to a folder.
    ///
    /// # Errors
    /// The file is not below the folder.
    pub fn strip_folder(file: &Path, folder: &Path) -> Result<Self, String> {
        let below = file.strip_prefix(folder).map_err(|error| format!("{}: {error}", file.display()))?;
        Self::try_from(below.to_string_lossy().replace('\\', "/"))
    }

    /// Returns the path joined to `folder`.
    pub fn below(&self, folder: &Path) -> PathBuf {
        folder.join(&self.0)
    }
}

impl TryFrom<String> for PathBelow {
    type Error = String;

    fn try_from(path: String) -> Result<Self, String> {
        let mut parts = Path::new(&path).components().peekable();
        let is_below = parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)));
        if is_below && !path.contains('\\') {
            Ok(Self(path))
        } else {
            Err(format!("`{path}` is not a path below a folder"))
        }
    }
}

impl From<PathBelow> for String {
    fn from(path: PathBelow) -> Self {
        path.0
    }
}

impl fmt::Display for PathBelow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_its_folder() {
        let sound = |path: &str| PathBelow::try_from(path.to_owned()).is_ok();
        assert!(sound("stocks.parquet") && sound("indicators/2024.parquet") && sound(".bars.parquet"));
        for path in ["", ".", "..", "/etc/passwd", "../key", "a/../../key", "a/..", "..\\key"] {
            assert!(!sound(path), "{path}");
            assert!(serde_json::from_value::<PathBelow>(path.into()).is_err(), "{path}");
        }
        let path = PathBelow::strip_folder(Path::new("/set/a/2024.parquet"), Path::new("/set")).unwrap();
        assert_eq!(path.below(Path::new("/other")), Path::new("/other/a/2024.parquet"));
        assert!(PathBelow::strip_folder(Path::new("/key"), Path::new("/set")).is_err());
    }
}
