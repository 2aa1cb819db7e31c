//! Drawing code of each kind of picture, within the area that its sheet leaves.

pub(super) mod candle_rows;
pub(super) mod candles;
pub(super) mod rotation;
pub(super) mod breadth;
pub(super) mod squarify;
pub(super) mod heat_map;
mod levels;
pub(super) mod bars;
pub(super) mod ranking;
pub(super) mod compare;
pub(super) mod sparkline;
