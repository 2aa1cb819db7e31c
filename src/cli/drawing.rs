//! `parquote query SELECT --picture SPEC`: draws the rows of a SELECT into a picture file.
//!
//! Only options and files are handled here; the engine converts rows to picture columns.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use crate::engine::{PictureRows, PictureSetting};
use crate::operation::Market;
use crate::picture::png;
use crate::picture::sheet::{PictureSize, PictureWords};
use crate::picture::spec::PictureSpec;
use crate::picture::theme::Theme;

/// Options to draw the rows of a SELECT.
#[derive(Debug, Args)]
pub(super) struct DrawingArgs {
    /// Draw the rows of a SELECT: a kind and which column plays which role, such as
    /// "breadth date=session above=pct_above_sma20 advances=advances declines=declines".
    #[arg(long, value_name = "SPEC", requires = "out")]
    picture: Option<String>,
    /// The file of the rows of a SELECT, .parquet, .csv or .arrow; with --picture that of the picture, .svg or .png.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// The title of the picture.
    #[arg(long, value_name = "TEXT", default_value = "", requires = "picture")]
    title: String,
    /// Its colours.
    #[arg(long, value_enum, default_value_t = FileTheme::Light)]
    theme: FileTheme,
}

/// Colour theme of the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FileTheme {
    Light,
    Dark,
}

/// Format of the picture file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PictureFile {
    Svg,
    Png,
}

impl DrawingArgs {
    /// Parses the declaration, if a picture is requested.
    ///
    /// # Errors
    /// The mistake in it.
    pub(super) fn spec(&self) -> anyhow::Result<Option<PictureSpec>> {
        Ok(self.picture.as_deref().map(PictureSpec::parse).transpose()?)
    }

    /// Returns the requested output file.
    pub(super) fn out(&self) -> Option<&Path> {
        self.out.as_deref()
    }

    /// Draws rows into the file and returns its path.
    ///
    /// # Errors
    /// Rows that lack a column of the declaration, a file that cannot be written.
    pub(super) fn draw(
        &self,
        spec: &PictureSpec,
        market: Market,
        rows: &PictureRows,
    ) -> anyhow::Result<PathBuf> {
        let Some(out) = &self.out else { bail!("--picture and --out are given together") };
        let form = PictureFile::from_path(out)?;
        let footnote = format!("Parquote, market {market}");
        let title = spec.title().unwrap_or(&self.title);
        let setting = PictureSetting {
            spec,
            words: PictureWords { id: "picture", lang: "en", title, description: title, footnote: &footnote },
            size: PictureSize::Regular,
            theme: match self.theme {
                FileTheme::Light => Theme::Light,
                FileTheme::Dark => Theme::Dark,
            },
            market,
        };
        let svg = rows.svg(&setting)?;
        let bytes = match form {
            PictureFile::Svg => svg.into_bytes(),
            PictureFile::Png => png::png(&svg)?,
        };
        fs::write(out, bytes).with_context(|| format!("cannot write {}", out.display()))?;
        Ok(out.clone())
    }
}

impl PictureFile {
    fn from_path(path: &Path) -> anyhow::Result<Self> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            _ => bail!("{} is no name of a picture: it ends in .svg or .png", path.display()),
        }
    }
}
