//! Pictures of rows: SVG for pages, SVG and PNG as files.
//!
//! One renderer serves the explorer, REST and chats. It knows columns and their roles, no operation and no query engine. The same rows give
//! the same bytes at any time. Without rows to draw, the picture is a text that says so; too many rows are an error. No meaning is carried
//! by colour alone.

// Declarations and rows.
pub mod kind;
pub mod data;
pub mod spec;

// Formats of numbers and texts, colours.
pub mod number;
mod text;
pub mod theme;

// The sheet and shapes on it.
mod scale;
mod shape;
pub mod sheet;
mod page_height;
mod label;
mod axis;
mod legend;
pub mod readings;

// One file per kind.
mod kinds;

// Small pictures for cells and lists.
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
use number::MarketCurrency;
use readings::Readings;
use sheet::{Drawing, PictureLinks, PictureSize, PictureWords, Sheet};
use spec::{PictureSpec, SpecError};
use theme::Theme;

/// Everything that a picture is drawn from.
#[derive(Debug, Clone, Copy)]
pub struct Picture<'a> {
    /// Kind of the picture, and the column of each role.
    pub spec: &'a PictureSpec,
    /// Rows to draw.
    pub data: &'a PictureData<'a>,
    /// Texts around the picture.
    pub words: PictureWords<'a>,
    /// Size, which also decides the font size.
    pub size: PictureSize,
    /// Colours: those of a page, or literal ones for a file.
    pub theme: Theme,
    /// Currency of the market.
    pub currency: MarketCurrency,
    /// Links of sectors and stocks; `None` without links. A file never has any.
    pub links: Option<PictureLinks<'a>>,
}

/// Reason why a picture was not drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// The rows do not match the declaration.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// More rows than the kind draws.
    #[error("{rows} rows are too many for a picture of kind {kind}: at most {most} are drawn")]
    TooManyRows {
        /// Word of the kind, such as `candles`.
        kind: &'static str,
        /// Number of rows.
        rows: usize,
        /// Maximum number of rows.
        most: usize,
    },
    /// More lines than can be distinguished.
    #[error("{lines} lines are too many for one picture: at most {most} are drawn")]
    TooManyLines {
        /// Number of lines.
        lines: usize,
        /// Maximum number of lines.
        most: usize,
    },
}

impl Picture<'_> {
    /// Draws the picture as SVG.
    ///
    /// # Errors
    /// A missing or wrongly typed column, or more rows or lines than the kind draws.
    pub fn svg(&self) -> Result<String, PictureError> {
        let columns = self.role_columns()?;
        let sheet = self.sheet(&columns);
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

    /// Returns the values at each step (session or period) for a page; `None` for a kind without steps, and without values.
    ///
    /// # Errors
    /// As for [`Picture::svg`].
    pub fn readings(&self) -> Result<Option<Readings>, PictureError> {
        let columns = self.role_columns()?;
        let sheet = self.sheet(&columns);
        Ok(match self.spec.kind() {
            PictureKind::Candles => kinds::candles::readings(&sheet, &columns),
            PictureKind::Breadth => kinds::breadth::readings(&sheet, &columns),
            PictureKind::Bars => kinds::bars::readings(&sheet, &columns),
            PictureKind::Compare => kinds::compare::readings(&sheet, &columns),
            PictureKind::Rotation | PictureKind::HeatMap | PictureKind::Ranking | PictureKind::Sparkline => {
                None
            }
        })
    }

    fn role_columns(&self) -> Result<RoleColumns<'_>, PictureError> {
        let kind = self.spec.kind();
        let (rows, most) = (self.data.rows(), kind.most_rows());
        if rows > most {
            return Err(PictureError::TooManyRows { kind: kind.word(), rows, most });
        }
        Ok(self.spec.bind(self.data)?)
    }

    fn sheet(&self, columns: &RoleColumns<'_>) -> Sheet<'_> {
        let units = match self.size {
            PictureSize::Regular => (960, 540),
            PictureSize::Large => (1600, 900),
            PictureSize::Page(width) => {
                (width.units(), page_height::page_height(self.spec.kind(), width, columns))
            }
        };
        Sheet { theme: self.theme, currency: self.currency, size: self.size, units, links: self.links }
    }
}
