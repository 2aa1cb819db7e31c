//! The declaration of a format: a file of `queries/raw`, in the folder of its market, or in `queries/raw` itself if both markets have
//! such files.
//!
//! It is checked when it is read, so that a mistake is reported with its line before any raw file is opened.

use std::collections::{BTreeMap, BTreeSet};

use crate::declared::cell_form::CellForm;
use crate::declared::column::{DeclaredColumn, FileUnit};
use crate::declared::header_rules::HeaderRules;
use crate::declared::path_rules::PathRules;
use crate::declared::plain_row::{DeclaredFile, PlainColumn};
use crate::declared::target_column::TargetColumn;
use crate::declared::written_format::{FormatTarget, WrittenFormat};
use parquote_catalogue::operation::{
    Catalogue, DeclarationError, Market, RecordDeclaration, embedded_files, is_embedded, line_of, read_toml,
};
use parquote_encodings::text::cells::HeaderLine;
use parquote_encodings::text::dates::DayOrder;
use parquote_encodings::text::file_head::FileHead;

/// The folder of declarations below `queries`.
const FOLDER: &str = "raw/";

/// The declaration of a format.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredFormat {
    /// The file of the declaration, below `queries/`.
    pub(crate) file: String,
    /// The market that has such files; `None` if both have.
    pub(crate) market: Option<Market>,
    pub(crate) fills: FormatTarget,
    columns: BTreeMap<String, PlacedColumn>,
    header: HeaderRules,
    path: PathRules,
    restates: bool,
    /// True if its files are read after all others.
    pub(crate) late: bool,
}

/// A column and the line on which it is declared.
#[derive(Debug, Clone, PartialEq)]
struct PlacedColumn {
    column: DeclaredColumn,
    line: usize,
}

impl DeclaredFormat {
    /// Returns the built-in formats, in the order of their files.
    ///
    /// # Errors
    /// The first mistake in one of them.
    pub(crate) fn embedded() -> Result<Vec<Self>, DeclarationError> {
        let declared = embedded_files().iter().filter(|(path, _)| path.starts_with(FOLDER));
        declared.map(|(path, text)| Self::parse(path, text)).collect()
    }

    /// Returns the formats of user-supplied tables, including those of an overlay.
    ///
    /// # Errors
    /// A declaration has a mistake, fills a table that users do not supply, or is a format of records in an overlay.
    pub fn table_formats(catalogue: &Catalogue) -> Result<Vec<Self>, DeclarationError> {
        let mut built_in = catalogue.declarations(RecordDeclaration::FOLDER);
        if let Some((file, _)) = built_in.find(|(path, text)| !is_embedded(path, text)) {
            let message = "records are built into the program: put the file under `queries` of the sources";
            return Err(DeclarationError { file: file.to_owned(), line: 1, message: message.to_owned() });
        }
        let mut formats = Vec::new();
        for (path, text) in catalogue.declarations(FOLDER) {
            let format = Self::parse(path, text)?;
            match &format.fills {
                FormatTarget::Table { .. } => {
                    format.check_table(catalogue)?;
                    formats.push(format);
                }
                FormatTarget::Record { .. } if is_embedded(path, text) => {}
                FormatTarget::Record { line, .. } => {
                    let why = "a format that fills a record is built into the program: put its file under `queries/raw` of \
                               the sources; only one with `table` may lie in an overlay";
                    return Err(format.mistake(*line, why));
                }
            }
        }
        Ok(formats)
    }

    /// Parses a declaration; `path` is its file below `queries/`.
    ///
    /// # Errors
    /// The text is no valid declaration; the error has the line.
    pub fn parse(path: &str, text: &str) -> Result<Self, DeclarationError> {
        let line = |at: usize| line_of(text, at);
        let mistake = |line, message| DeclarationError { file: path.to_owned(), line, message };
        let written: WrittenFormat = read_toml(text).map_err(|(line, message)| mistake(line, message))?;
        let fills = written.fills(line).map_err(|why| mistake(1, why.to_owned()))?;
        let WrittenFormat { restates, late, header, path: rules, columns, .. } = written;
        let placed = columns.into_iter().map(|(name, column)| {
            let line = line(name.span().start);
            (name.into_inner(), PlacedColumn { column, line })
        });
        let market = market_of(path).map_err(|why| mistake(1, why))?;
        let columns = placed.collect();
        let format =
            Self { file: path.to_owned(), market, fills, columns, header, path: rules, restates, late };
        format.check_names()?;
        Ok(format)
    }

    fn mistake(&self, line: usize, why: impl Into<String>) -> DeclarationError {
        DeclarationError { file: self.file.clone(), line, message: why.into() }
    }

    /// Checks that no header name is declared for two columns.
    fn check_names(&self) -> Result<(), DeclarationError> {
        let mut by_line: Vec<(&String, &PlacedColumn)> = self.columns.iter().collect();
        by_line.sort_by_key(|(_, placed)| placed.line);
        let mut by_alias: BTreeMap<&str, &str> = BTreeMap::new();
        for (name, PlacedColumn { column, line }) in by_line {
            if column.names.is_empty() {
                return Err(self.mistake(*line, format!("`{name}` needs a name that headers give it")));
            }
            for alias in &column.names {
                if let Some(other) = by_alias.insert(alias, name) {
                    let why = format!("`{alias}` is already a name of `{other}`; a name has one meaning");
                    return Err(self.mistake(*line, why));
                }
            }
        }
        Ok(())
    }

    /// Checks the columns against those of the target.
    ///
    /// # Errors
    /// A column is unknown or missing, or has a unit or form that does not suit it.
    pub(crate) fn check(&self, targets: &[TargetColumn<'_>], line: usize) -> Result<(), DeclarationError> {
        let names = targets.iter().map(|column| column.name).collect::<Vec<_>>().join(", ");
        for (name, PlacedColumn { column, line }) in &self.columns {
            let Some(target) = targets.iter().find(|target| target.name == name) else {
                return Err(self.mistake(*line, format!("there is no column `{name}`; there are {names}")));
            };
            if column.unit != FileUnit::One && !["number", "money"].contains(&target.kind) {
                let why = format!("`{name}` is a {}; only a number has a `unit`", target.kind);
                return Err(self.mistake(*line, why));
            }
            if !column.form.suits(target.kind) {
                return Err(self.mistake(*line, format!("no {} has this `form`", target.kind)));
            }
        }
        let is_unknown = |name: &&str| targets.iter().all(|target| target.name != *name);
        if let Some(name) = self.dated_column().filter(is_unknown) {
            return Err(self.mistake(line, format!("there is no column `{name}` to date; there are {names}")));
        }
        let is_read = |target: &&TargetColumn<'_>| {
            let is_of_path = self.path.dates_column.as_deref() == Some(target.name);
            let column = self.columns.get(target.name);
            target.optional || is_of_path || column.is_some_and(|placed| !placed.column.optional)
        };
        match targets.iter().find(|target| !is_read(target)) {
            None => Ok(()),
            Some(TargetColumn { name, .. }) => {
                let why = format!("`[columns]` must declare the column of `{name}`, and not as `optional`");
                Err(self.mistake(line, why))
            }
        }
    }

    fn check_table(&self, catalogue: &Catalogue) -> Result<(), DeclarationError> {
        let FormatTarget::Table { table: name, line, .. } = &self.fills else { return Ok(()) };
        let mut supplied = catalogue.tables().iter().filter(|table| table.accepts_declared_formats());
        let Some(table) = supplied.clone().find(|table| table.name == *name) else {
            let names: BTreeSet<&str> = supplied.by_ref().map(|table| table.name.as_str()).collect();
            let names = names.into_iter().collect::<Vec<_>>().join(", ");
            return Err(self.mistake(*line, format!("files fill no table `{name}`; they fill {names}")));
        };
        if let Some(staging) = &table.staging {
            return self.check(&TargetColumn::staged(staging), *line);
        }
        let markets = Market::ALL.into_iter().filter(|market| self.is_for(*market));
        for columns in markets.map(|market| table.columns_in(market)) {
            let targets: Vec<TargetColumn<'_>> = columns
                .map(|column| TargetColumn {
                    name: &column.name,
                    kind: column.ty.word(),
                    optional: column.nullable,
                })
                .collect();
            self.check(&targets, *line)?;
        }
        Ok(())
    }

    /// Returns true if the market has such files.
    pub(crate) fn is_for(&self, market: Market) -> bool {
        self.market.is_none_or(|own| own == market)
    }

    /// Returns true if rows are known from the day that the path of their file names.
    pub(crate) const fn is_dated_by_path(&self) -> bool {
        self.path.dates_rows
    }

    /// Returns the name of the table's column that is filled with the date in the path.
    pub(crate) fn dated_column(&self) -> Option<&str> {
        self.path.dates_column.as_deref()
    }

    /// Returns the declared columns for `names`, in their order.
    pub(crate) fn columns<'n>(&self, names: impl Iterator<Item = &'n str>) -> Vec<DeclaredColumn> {
        let column = |name| self.columns.get(name).map(|placed| placed.column.clone());
        names.map(|name| column(name).unwrap_or_else(DeclaredColumn::absent)).collect()
    }

    /// Returns the number of required columns that a header has, and the names of those that it lacks.
    pub(crate) fn columns_found_and_missing(&self, header: &HeaderLine) -> (usize, Vec<&[String]>) {
        let needed = self.columns.values().map(|placed| &placed.column);
        let needed = needed.map(|column| (column, column.is_needed_and_in(header)));
        let (has, lacks): (Vec<_>, Vec<_>) =
            needed.filter(|(_, (is_needed, _))| *is_needed).partition(|(_, (_, is_there))| *is_there);
        (has.len(), lacks.into_iter().map(|(column, _)| column.names.as_slice()).collect())
    }

    /// Opens a file with these columns; `None` if it is not of the format.
    pub(crate) fn open(&self, columns: &[DeclaredColumn], head: &FileHead<'_>) -> Option<DeclaredFile> {
        let columns: Option<Vec<PlainColumn>> =
            columns.iter().map(|column| column.in_header(head.header)).collect();
        let mut columns = columns?;
        let found = columns.iter().filter(|column| column.position.is_some()).count();
        let is_allowed = self.header.allow(head.header, found);
        let facts = self.path.facts(head).filter(|_| is_allowed)?;
        let is_surveyed =
            |column: &&mut PlainColumn| matches!(column.form, CellForm::DayFirst | CellForm::DayShown);
        let mut surveyed: Vec<&mut PlainColumn> = columns.iter_mut().filter(is_surveyed).collect();
        let positions: Vec<usize> = surveyed.iter().filter_map(|column| column.position).collect();
        if !positions.is_empty() {
            let order = (head.days)(&positions);
            for column in &mut surveyed {
                column.form = match order {
                    DayOrder::First => CellForm::DayFirst,
                    DayOrder::Second => CellForm::MonthFirst,
                    DayOrder::Either => column.form,
                };
            }
        }
        Some(DeclaredFile { fields: head.header.len(), columns, facts, restates: self.restates })
    }
}

/// Returns the market of a declaration by its path; `None` if it applies to both.
fn market_of(path: &str) -> Result<Option<Market>, String> {
    let expected = "the file of a format is `raw/NAME.toml`, `raw/india/NAME.toml` or `raw/us/NAME.toml`";
    let name = path.strip_prefix(FOLDER).and_then(|rest| rest.strip_suffix(".toml")).ok_or(expected)?;
    match name.split_once('/') {
        None => Ok(None),
        Some((market, name)) if !name.contains('/') => {
            market.parse().map(Some).map_err(|_| expected.to_owned())
        }
        Some(_) => Err(expected.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the error for the columns of a format that fills a record of three columns.
    fn mistake(columns: &str) -> String {
        let text = format!("label = \"x\"\nrecord = \"x\"\n[columns]\n{columns}\n");
        let targets = ["symbol text", "price number", "remarks text?"].map(TargetColumn::parse);
        let format = DeclaredFormat::parse("raw/us/x.toml", &text);
        format.and_then(|format| format.check(&targets, 2)).unwrap_err().to_string()
    }

    #[test]
    fn mistakes_of_columns_are_told_with_their_line_and_what_is_allowed() {
        for (columns, expected) in [
            ("symbol = 'A'\nprize = 'B'", "5: there is no column `prize`; there are symbol, price, remarks"),
            (
                "symbol = 'A'\nprice = ['B', 'a']",
                "5: `A` is already a name of `symbol`; a name has one meaning",
            ),
            (
                "symbol = 'A'\nprice = ['B', 'b']",
                "5: `B` is already a name of `price`; a name has one meaning",
            ),
            ("symbol = 'A'", "2: `[columns]` must declare the column of `price`, and not as `optional`"),
            (
                "symbol = 'A'\nprice = { names = ['B'], optional = true }",
                "2: `[columns]` must declare the column of `price`, and not as `optional`",
            ),
            (
                "symbol = 'A'\nprice = { names = ['B'], unit = 'lac' }",
                "5: unknown variant `lac`, expected one of `one`, `percent`, `thousand`, `lakh`, `million`, `crore`, `billion`; did you mean `lakh`?",
            ),
            (
                "price = 'B'\nsymbol = { names = ['A'], unit = 'lakh' }",
                "5: `symbol` is a text; only a number has a `unit`",
            ),
            ("price = 'B'\nsymbol = { names = ['A'], form = 'capitals' }", "5: no text has this `form`"),
            ("symbol = []\nprice = 'B'", "4: `symbol` needs a name that headers give it"),
            (
                "symbol = 1",
                "4: invalid type: integer `1`, expected the name of a column in headers, a list of such names, or a table with \
                 `names`",
            ),
        ] {
            assert_eq!(mistake(columns), format!("raw/us/x.toml:{expected}"), "{columns}");
        }
    }

    #[test]
    fn mistakes_of_a_format_are_told() {
        for (path, text, expected) in [
            ("raw/x.toml", "table = 'calls'", "raw/x.toml:1: missing field `columns`"),
            ("raw/x.toml", "table = 'calls'\nlogic = 1\n[columns]", "raw/x.toml:2: unknown field `logic`"),
            (
                "raw/x.toml",
                "label = 'x'\n[columns]",
                "raw/x.toml:1: a format has either `record` and `label`",
            ),
            (
                "raw/x.toml",
                "table = 'calls'\nlate = true\n[columns]",
                "raw/x.toml:1: `restates` and `late` are of formats that fill a record",
            ),
            (
                "raw/mars/x.toml",
                "table = 'calls'\n[columns]",
                "raw/mars/x.toml:1: the file of a format is `raw/NAME.toml`",
            ),
        ] {
            let message = DeclaredFormat::parse(path, text).unwrap_err().to_string();
            assert!(message.starts_with(expected), "{message}");
        }
    }

    #[test]
    fn formats_of_tables_are_held_against_the_catalogue() {
        let outcome = |path: &str, text: &str| {
            let catalogue = Catalogue::with_overlay(&[(path.to_owned(), text.to_owned())]).unwrap();
            DeclaredFormat::table_formats(&catalogue)
                .map(|formats| formats.iter().any(|format| format.file == path))
                .map_err(|mistake| mistake.to_string())
        };
        let unknown = outcome("raw/x.toml", "table = 'prices'\n[columns]\nsymbol = 'A'").unwrap_err();
        assert!(unknown.starts_with("raw/x.toml:1: files fill no table `prices`; they fill"), "{unknown}");
        let column = outcome("raw/x.toml", "table = 'free_symbols'\n[columns]\nsymbols = 'A'").unwrap_err();
        assert!(
            column.starts_with("raw/x.toml:3: there is no column `symbols`; there are symbol"),
            "{column}"
        );
        let dated = "table = 'free_symbols'\n[path]\ndates_column = 'day'\n[columns]\nsymbol = 'A'";
        let dated = outcome("raw/x.toml", dated).unwrap_err();
        assert!(
            dated.starts_with("raw/x.toml:1: there is no column `day` to date; there are symbol"),
            "{dated}"
        );
        let record =
            outcome("raw/x.toml", "label = 'x'\nrecord = 'fund'\n[columns]\nsymbol = 'A'").unwrap_err();
        assert!(
            record.starts_with("raw/x.toml:2: a format that fills a record is built into the program"),
            "{record}"
        );
        let changed = outcome("records/fund.sql", "-- Fund: mine.\n").unwrap_err();
        assert!(changed.starts_with("records/fund.sql:1: records are built in"), "{changed}");
        assert_eq!(outcome("raw/x.toml", "table = 'free_symbols'\n[columns]\nsymbol = 'A'"), Ok(true));
    }
}
