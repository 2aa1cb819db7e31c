//! Heights of pictures on a page, by their content: no picture is higher than what it shows.

use super::data::RoleColumns;
use super::kind::PictureKind;
use super::sheet::PageWidth;

/// Height of the heading, of the legend and of the margins.
const SURROUNDING_HEIGHT: usize = 60;
/// Height of a row of a ranking.
const ROW_HEIGHT: usize = 18;
/// Number of rows up to which the height of a ranking grows.
const MOST_ROWS: usize = 100;
/// Height of a pane of bars, of a pane of lines below them, and of the growth below the periods.
const BARS_HEIGHT: usize = 240;
const LINES_HEIGHT: usize = 110;
const GROWTH_HEIGHT: usize = 16;

/// Returns the height of a picture of this kind in a box of this width.
pub(super) fn page_height(kind: PictureKind, width: PageWidth, columns: &RoleColumns<'_>) -> u16 {
    let height = match kind {
        PictureKind::Candles if width == PageWidth::Phone => 440,
        PictureKind::Candles => 640,
        PictureKind::Breadth | PictureKind::Compare => 420,
        PictureKind::Bars => {
            let has = |role| usize::from(columns.first_column(role).is_some());
            BARS_HEIGHT * bar_panes(columns) + LINES_HEIGHT * has("line") + GROWTH_HEIGHT * has("growth")
        }
        PictureKind::Ranking => {
            let rows = (0..columns.rows).filter(|row| columns.text("of", *row).is_some()).count();
            SURROUNDING_HEIGHT + ROW_HEIGHT * rows.clamp(3, MOST_ROWS)
        }
        PictureKind::Rotation | PictureKind::HeatMap => match width {
            PageWidth::Phone => 400,
            PageWidth::Column => 500,
            PageWidth::Page | PageWidth::Screen => 620,
        },
        PictureKind::Sparkline => 28,
    };
    u16::try_from(height).unwrap_or(u16::MAX)
}

/// Returns the number of panes of bars: figures in one unit share a pane.
fn bar_panes(columns: &RoleColumns<'_>) -> usize {
    let figures: Vec<_> = columns.with_role("value").collect();
    figures.chunk_by(|a, b| a.column.form == b.column.form).count()
}
