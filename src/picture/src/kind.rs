//! Kinds of pictures, and the columns that each is drawn from.
//!
//! `roles.csv` is the only place that says which columns a kind needs: the parser of declarations, its messages and the manual use it. The
//! drawing code of each kind is in `kinds/`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

parquote_catalogue::word_enum! {
    /// Type of a column's values.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ValueType {
        /// Calendar dates.
        Date = "date",
        /// Whole numbers or floats.
        Number = "number",
        /// Texts.
        Text = "text",
        /// True or false.
        Bool = "bool",
    }
    fn word "Returns the type as one word.";
}

/// Meaning of a column in a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role {
    /// Word before the `=` in a declaration.
    pub name: &'static str,
    /// Types that its columns may have.
    pub types: &'static [ValueType],
    /// Minimum number of columns; 0 if optional.
    pub least: usize,
    /// Maximum number of columns.
    pub most: usize,
    /// Meaning, for the manual.
    pub words: &'static str,
}

parquote_catalogue::word_enum! {
    /// A kind of picture.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum PictureKind {
        /// Price bars, with volume and the RS line below.
        Candles = "candles",
        /// Present and past position of sectors relative to the benchmark.
        Rotation = "rotation",
        /// Share of stocks that take part in the market's moves.
        Breadth = "breadth",
        /// Stocks as areas by size, coloured by their change.
        HeatMap = "heat_map",
        /// Figures by period.
        Bars = "bars",
        /// One horizontal bar per row, in the order of the rows, as a leaderboard.
        Ranking = "ranking",
        /// Several lines, each relative to its first value.
        Compare = "compare",
        /// One small line without text.
        Sparkline = "sparkline",
    }
    const ALL "All kinds, in the order of the manual.";
    fn word "Returns its word in declarations.";
}

impl PictureKind {
    /// Returns the roles of its columns, in the order of `roles.csv`.
    pub fn roles(self) -> &'static [Role] {
        static ROLES: LazyLock<BTreeMap<&str, Vec<Role>>> = LazyLock::new(read_roles);
        ROLES.get(self.word()).map_or(&[], Vec::as_slice)
    }

    /// Returns the maximum number of rows; more are refused, as they would cost time and show nothing more. Lines and bars of fewer rows
    /// are thinned to what the width can show.
    pub const fn most_rows(self) -> usize {
        match self {
            Self::Candles | Self::Breadth | Self::HeatMap | Self::Sparkline => 6_000,
            Self::Rotation => 2_000,
            Self::Bars | Self::Ranking => 400,
            Self::Compare => 16_000,
        }
    }
}

/// Reads the roles of all kinds, by the word of the kind.
fn read_roles() -> BTreeMap<&'static str, Vec<Role>> {
    let mut roles = BTreeMap::<_, Vec<Role>>::new();
    for (kind, role) in include_str!("roles.csv").lines().skip(1).filter_map(read_role) {
        roles.entry(kind).or_default().push(role);
    }
    roles
}

fn read_role(row: &'static str) -> Option<(&'static str, Role)> {
    use ValueType::{Bool, Date, Number, Text};
    // The meaning is the last cell and may have semicolons.
    let mut cells = row.splitn(6, ';');
    let (kind, name) = (cells.next()?, cells.next()?);
    let types: &'static [ValueType] = match cells.next()? {
        "date" => &[Date],
        "number" => &[Number],
        "text" => &[Text],
        "bool" => &[Bool],
        "text, date" => &[Text, Date],
        "number, date" => &[Number, Date],
        "bool, number, text" => &[Bool, Number, Text],
        _ => return None,
    };
    let (least, most) = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
    Some((kind, Role { name, types, least, most, words: cells.next()? }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_role_of_a_kind() {
        let roles: usize = PictureKind::ALL.iter().map(|kind| kind.roles().len()).sum();
        assert_eq!(roles, include_str!("roles.csv").lines().count() - 1);
        assert!(PictureKind::ALL.iter().all(|kind| kind.roles().iter().any(|role| role.least > 0)));
    }
}
