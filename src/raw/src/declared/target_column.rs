//! A column that declarations may fill: of a record, or of a user-supplied table.

use parquote_catalogue::operation::{StagedColumn, StagedTable};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TargetColumn<'a> {
    pub(crate) name: &'a str,
    /// Kind of its cells, in a word.
    pub(crate) kind: &'a str,
    /// True if files may lack it.
    pub(crate) optional: bool,
}

impl<'a> TargetColumn<'a> {
    /// Parses the notation of `PRICE_COLUMNS`: `symbol text`, or `remarks text?` if files may lack the column.
    pub(crate) fn parse(text: &'a str) -> Self {
        let (name, kind) = text.split_once(' ').unwrap_or((text, "text"));
        let required = kind.strip_suffix('?');
        Self { name, kind: required.unwrap_or(kind), optional: required.is_some() }
    }

    /// Returns the columns of a staged table or record that formats declare.
    pub(crate) fn staged(staging: &'a StagedTable) -> Vec<Self> {
        let read = staging.columns.iter().filter(|column| column.source_column.is_none());
        let target = |column: &'a StagedColumn| Self {
            name: &column.name,
            kind: column.kind.word(),
            optional: column.optional,
        };
        read.map(target).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_a_name_and_a_kind() {
        let column = |name, kind, optional| TargetColumn { name, kind, optional };
        assert_eq!(TargetColumn::parse("symbol text"), column("symbol", "text", false));
        assert_eq!(TargetColumn::parse("price number?"), column("price", "number", true));
    }
}
