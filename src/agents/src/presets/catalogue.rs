//! All presets by name, in the order of their files.

use super::preset::Preset;
use super::preset_file;
use parquote_catalogue::operation::DeclarationError;

/// All presets.
#[derive(Debug, Clone, Default)]
pub struct Presets {
    presets: Vec<Preset>,
}

impl Presets {
    /// Parses presets from (path, text). A later file replaces an earlier one of the same name, at its position.
    ///
    /// # Errors
    /// The first fault, with its file and line.
    pub fn parse<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, DeclarationError> {
        let mut presets: Vec<Preset> = Vec::new();
        for (path, text) in files {
            let preset = preset_file::parse(path, text)?;
            match presets.iter_mut().find(|other| other.name == preset.name) {
                Some(other) => *other = preset,
                None => presets.push(preset),
            }
        }
        Ok(Self { presets })
    }

    /// Returns a preset by its name; `None` if there is none.
    pub fn get(&self, name: &str) -> Option<&Preset> {
        self.presets.iter().find(|preset| preset.name == name)
    }

    /// Returns all presets.
    pub fn iter(&self) -> impl Iterator<Item = &Preset> {
        self.presets.iter()
    }
}
