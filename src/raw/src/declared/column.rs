//! Declaration of a column: its names in headers, the unit of its figures, and the form of its cells.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::declared::cell_form::CellForm;
use crate::declared::plain_row::PlainColumn;
use parquote_encodings::text::cells::HeaderLine;

/// Names of a column in headers, and the notation of its cells.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct DeclaredColumn {
    /// Header names, in capitals; the first that a header contains is used.
    pub(super) names: Vec<String>,
    /// True if files of the format may lack the column.
    pub(super) optional: bool,
    /// True if the column has to be the first of its file.
    pub(super) first: bool,
    pub(super) unit: FileUnit,
    pub(super) form: CellForm,
}

/// Unit of the figures in a file; records have figures in ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum FileUnit {
    #[default]
    One,
    Percent,
    Thousand,
    Lakh,
    Million,
    Crore,
    Billion,
}

impl DeclaredColumn {
    /// Returns a column that no file of a format has.
    pub(super) fn absent() -> Self {
        Self { optional: true, ..Self::default() }
    }

    /// Returns whether files require it, and whether `header` has it.
    pub(super) fn is_needed_and_in(&self, header: &HeaderLine) -> (bool, bool) {
        (!self.optional, header.column(&self.names).is_some())
    }

    /// Returns the column's position in a file; `None` if a required column is missing, or one with `first` is not the first.
    pub(super) fn in_header(&self, header: &HeaderLine) -> Option<PlainColumn> {
        let position = header.column(&self.names);
        let fits = if self.first { position == Some(0) } else { self.optional || position.is_some() };
        fits.then(|| PlainColumn { position, form: self.form, times: self.unit.times() })
    }
}

impl FileUnit {
    /// Returns the factor that converts a figure to ones.
    pub(super) const fn times(self) -> f64 {
        match self {
            Self::One => 1.0,
            Self::Percent => 0.01,
            Self::Thousand => 1e3,
            Self::Lakh => 1e5,
            Self::Million => 1e6,
            Self::Crore => 1e7,
            Self::Billion => 1e9,
        }
    }
}

impl<'de> Deserialize<'de> for DeclaredColumn {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ColumnVisitor)
    }
}

/// Visitor for a declared column: a name, a list of names, or a table.
struct ColumnVisitor;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenColumn {
    names: Vec<String>,
    #[serde(default)]
    optional: bool,
    #[serde(default)]
    first: bool,
    #[serde(default)]
    unit: FileUnit,
    #[serde(default)]
    form: CellForm,
}

impl<'de> Visitor<'de> for ColumnVisitor {
    type Value = DeclaredColumn;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a column in headers, a list of such names, or a table with `names`")
    }

    fn visit_str<E>(self, name: &str) -> Result<DeclaredColumn, E> {
        Ok(DeclaredColumn { names: vec![name.to_uppercase()], ..DeclaredColumn::default() })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, names: A) -> Result<DeclaredColumn, A::Error> {
        let names = Vec::<String>::deserialize(SeqAccessDeserializer::new(names))?;
        Ok(DeclaredColumn { names: capitals(&names), ..DeclaredColumn::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<DeclaredColumn, A::Error> {
        let written = WrittenColumn::deserialize(MapAccessDeserializer::new(map))?;
        let WrittenColumn { names, optional, first, unit, form } = written;
        Ok(DeclaredColumn { names: capitals(&names), optional, first, unit, form })
    }
}

/// Converts names to capitals, as header lines have them.
fn capitals(names: &[String]) -> Vec<String> {
    names.iter().map(|name| name.to_uppercase()).collect()
}
