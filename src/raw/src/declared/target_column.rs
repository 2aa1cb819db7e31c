//! A column that declarations may fill: of a record, or of a table that users supply.

/// A column that declarations may fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TargetColumn<'a> {
    pub(crate) name: &'a str,
    /// What its cells are, in a word.
    pub(crate) kind: &'a str,
    /// Whether files may lack it.
    pub(crate) optional: bool,
}

impl<'a> TargetColumn<'a> {
    /// A column as records name theirs: `symbol text`, or `remarks text?` where files may lack it.
    pub(crate) fn of(text: &'a str) -> Self {
        let (name, kind) = text.split_once(' ').unwrap_or((text, "text"));
        let required = kind.strip_suffix('?');
        Self { name, kind: required.unwrap_or(kind), optional: required.is_some() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_a_name_and_a_kind() {
        let column = |name, kind, optional| TargetColumn { name, kind, optional };
        assert_eq!(TargetColumn::of("symbol text"), column("symbol", "text", false));
        assert_eq!(TargetColumn::of("price number?"), column("price", "number", true));
    }
}
