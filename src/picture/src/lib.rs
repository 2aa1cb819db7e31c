//! Pictures of rows: SVG for pages, SVG and PNG as files.
//!
//! One renderer serves the explorer, REST and chats. It knows columns and their roles, no operation and no query engine. The same
//! rows give the same bytes, whatever the clock says; rows that cannot be drawn give a picture that says so in words, and too many
//! rows an error. Colour is never the only sign of anything.

// What is declared, and the rows that come.
pub mod kind;
pub mod data;
pub mod spec;

// How numbers and texts are written, in which colours.
pub mod number;
mod text;
pub mod theme;

// Paper and what is drawn on it.
mod scale;
mod shape;
pub mod sheet;
mod label;
mod axis;
mod legend;

// A kind a file.
mod kinds;

// What stands in cells and lists.
pub mod small;

// From SVG to pixels.
#[cfg(feature = "png")]
pub mod png;
#[cfg(not(feature = "png"))]
#[path = "no_png.rs"]
pub mod png;

#[cfg(feature = "png")]
#[cfg(test)]
mod tests;

use data::{PictureData, RoleColumns};
use kind::PictureKind;
use number::MoneyWords;
use sheet::{Drawing, Paper, PictureLinks, PictureSize, PictureWords};
use spec::{PictureSpec, SpecError};
use theme::Theme;

/// Everything that a picture is drawn from.
#[derive(Debug, Clone, Copy)]
pub struct Picture<'a> {
    /// The declaration.
    pub spec: &'a PictureSpec,
    /// The rows.
    pub data: &'a PictureData<'a>,
    /// What is written around it.
    pub words: PictureWords<'a>,
    /// How large it is.
    pub size: PictureSize,
    /// What gives it its colours.
    pub theme: Theme,
    /// The money of the market.
    pub currency: MoneyWords,
    /// Links of sectors and stocks, on a page.
    pub links: Option<PictureLinks<'a>>,
}

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// The rows are not those of the declaration.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// More rows than are drawn.
    #[error("{rows} rows are too many for a picture of kind {kind}: at most {most} are drawn")]
    TooManyRows {
        /// The kind's word.
        kind: &'static str,
        /// Rows that came.
        rows: usize,
        /// Rows that are drawn.
        most: usize,
    },
    /// More lines than can be told apart.
    #[error("{lines} lines are too many for one picture: at most {most} are drawn")]
    TooManyLines {
        /// Lines that came.
        lines: usize,
        /// Lines that are drawn.
        most: usize,
    },
}

impl Picture<'_> {
    /// The SVG.
    ///
    /// # Errors
    /// The rows lack a column, or there are more than a picture shows.
    pub fn svg(&self) -> Result<String, PictureError> {
        let columns = self.bound()?;
        let sheet = self.sheet();
        let kind = self.spec.kind();
        let drawing: Drawing = match kind {
            PictureKind::Candles => kinds::candles::draw(&sheet, &columns),
            PictureKind::Rotation => kinds::rotation::draw(&sheet, &columns),
            PictureKind::Breadth => kinds::breadth::draw(&sheet, &columns),
            PictureKind::HeatMap => kinds::heat_map::draw(&sheet, &columns),
            PictureKind::Bars => kinds::bars::draw(&sheet, &columns),
            PictureKind::Ranking => kinds::ranking::draw(&sheet, &columns),
            PictureKind::Compare => kinds::compare::draw(&sheet, &columns)
                .map_err(|lines| PictureError::TooManyLines { lines, most: theme::LINES.len() })?,
            PictureKind::Sparkline => return Ok(kinds::sparkline::svg(self.theme, &columns)),
        };
        Ok(sheet.document(kind.word(), &self.words, &drawing))
    }

    /// What a crosshair reads, as JSON: where the bars of this picture lie and what they are; `None` of a kind without bars.
    ///
    /// # Errors
    /// As of [`Picture::svg`].
    pub fn crosshair(&self) -> Result<Option<String>, PictureError> {
        let columns = self.bound()?;
        let is_candles = self.spec.kind() == PictureKind::Candles;
        Ok(is_candles.then(|| kinds::candles::crosshair(&self.sheet(), &columns)))
    }

    fn bound(&self) -> Result<RoleColumns<'_>, PictureError> {
        let kind = self.spec.kind();
        let (rows, most) = (self.data.rows(), kind.most_rows());
        if rows > most {
            return Err(PictureError::TooManyRows { kind: kind.word(), rows, most });
        }
        Ok(self.spec.bind(self.data)?)
    }

    const fn sheet(&self) -> Paper<'_> {
        Paper { theme: self.theme, currency: self.currency, size: self.size, links: self.links }
    }
}
