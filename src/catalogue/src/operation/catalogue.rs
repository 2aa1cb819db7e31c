//! All operations, tables and checks, and the rules between them.
//!
//! Router, tool list, documents, command line and tests iterate over the catalogue; none repeats it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::check_file::Check;
use super::column::Dictionary;
use super::embedded::is_embedded;
use super::explanation_file::Explanation;
use super::header::DeclarationError;
use super::market::Market;
use super::operation_file::Operation;
use super::table_file::Table;
use super::wrap::WrapField;

/// All errors of a set of query files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", join_lines(.0))]
pub struct CatalogueError(pub Vec<DeclarationError>);

/// Folders whose files other crates parse. The catalogue only stores their texts.
const FOLDERS_OF_OTHER_CRATES: [&str; 10] = [
    "chat/", LANGUAGE, "pages/", "presets/", "prompts/", "providers/", PURPOSES, "raw/", "records/", "write/",
];
/// The only one of these folders whose files affect answers.
const LANGUAGE: &str = "language/";
/// The only one of these folders whose files affect the conversion of raw files.
const PURPOSES: &str = "purposes/";
/// Folders of built-in declarations, which an overlay cannot change.
const BUILT_IN: [&str; 4] = ["committee/", "costs/", "sectors/", "tone/"];

/// All operations, tables and checks.
#[derive(Debug, Clone)]
pub struct Catalogue {
    operations: Vec<Arc<Operation>>,
    tables: Vec<Table>,
    checks: Vec<Check>,
    explanations: Vec<Explanation>,
    dictionary: Dictionary,
    by_name: HashMap<String, Arc<Operation>>,
    /// Files that other crates parse, as (path below `queries/`, text).
    declarations: Vec<(String, String)>,
    /// Paths of operation files that are not built in, or differ from the built-in file.
    user_files: BTreeSet<String>,
    fingerprint: String,
}

impl Catalogue {
    /// Parses files, each as (path below `queries/`, text).
    ///
    /// # Errors
    /// All errors of all files, each with file and line.
    pub fn parse<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, CatalogueError> {
        Self::parse_layers(files, [])
    }

    /// Parses `files`, and adds the operations and tables of `replaced_files` whose names `files` do not declare. A file may declare
    /// several operations (`also:`), and an overlay that replaces the file for one of them does not remove the others.
    fn parse_layers<'a>(
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
        replaced_files: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, CatalogueError> {
        let mut operations = Vec::new();
        let mut tables = Vec::new();
        let mut checks = Vec::new();
        let mut explanations = Vec::new();
        let mut errors = Vec::new();
        let mut declarations = Vec::new();
        let mut user_files = BTreeSet::new();
        let mut hash = blake3::Hasher::new();
        for (path, text) in files {
            if FOLDERS_OF_OTHER_CRATES.iter().any(|folder| path.starts_with(folder)) {
                if [LANGUAGE, PURPOSES].iter().any(|folder| path.starts_with(folder)) {
                    hash.update(path.as_bytes()).update(b"\0").update(text.as_bytes()).update(b"\0");
                }
                declarations.push((path.to_owned(), text.to_owned()));
                continue;
            }
            // Checks and explanations of an audit do not affect answers, so they are not hashed.
            if path.starts_with("checks/") {
                Check::parse(path, text).map_or_else(|e| errors.extend(e), |check| checks.push(check));
                continue;
            }
            if path.starts_with("audit/") {
                Explanation::parse(path, text).map_or_else(|e| errors.extend(e), |it| explanations.push(it));
                continue;
            }
            hash.update(path.as_bytes()).update(b"\0").update(text.as_bytes()).update(b"\0");
            if path.starts_with("api/") {
                if !is_embedded(path, text) {
                    user_files.insert(path.to_owned());
                }
                Operation::parse(path, text)
                    .map_or_else(|e| errors.extend(e), |found| operations.extend(found));
            } else if path.starts_with("tables/") {
                Table::parse(path, text).map_or_else(|e| errors.extend(e), |found| tables.extend(found));
            } else if !is_embedded(path, text) || BUILT_IN.iter().all(|folder| !path.starts_with(folder)) {
                errors.push(DeclarationError {
                    file: path.to_owned(),
                    line: 1,
                    message:
                        "a query file is below api/ (an operation), tables/ (a table), checks/ (a check), chat/ (a tool of chats), audit/ (a reason for which figures of the past differ), language/ (words of sentences), pages/ (a page of the explorer), presets/ (a team of agents), prompts/ (a prompt of tools), providers/ (a provider of language models), purposes/ (words of corporate actions), raw/ (a format of raw files), records/ (rows of raw files that the program stores) or write/ (a prompt for texts from documents)"
                            .to_owned(),
                });
            }
        }
        for (path, text) in replaced_files {
            let is_added = if path.starts_with("api/") {
                add_missing(&mut operations, Operation::parse(path, text), |operation| &operation.name)
            } else {
                add_missing(&mut tables, Table::parse(path, text), |table| &table.name)
            };
            if is_added.map_err(CatalogueError)? {
                hash.update(path.as_bytes()).update(b"\0").update(text.as_bytes()).update(b"\0");
            }
        }
        sort_and_dedup(&mut operations, "api", |operation| (&operation.name, &operation.file));
        sort_and_dedup(&mut tables, "tables", |table| (&table.name, &table.file));
        let dictionary = build_dictionary(&mut tables, &mut operations, &mut errors);
        check_rules(&operations, &tables, &mut errors);
        if !errors.is_empty() {
            errors.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
            return Err(CatalogueError(errors));
        }
        let operations: Vec<Arc<Operation>> = operations.into_iter().map(Arc::new).collect();
        let by_name = operations.iter().map(|o| (o.name.clone(), Arc::clone(o))).collect();
        let fingerprint = hash.finalize().to_hex().to_string();
        Ok(Self {
            operations,
            tables,
            checks,
            explanations,
            dictionary,
            by_name,
            declarations,
            user_files,
            fingerprint,
        })
    }

    /// Parses the embedded files with an overlay that replaces files by path. Further operations and tables of a replaced file (`also:`)
    /// remain unless the overlay declares their names.
    ///
    /// # Errors
    /// Those of [`Catalogue::parse`].
    pub fn with_overlay(overlay: &[(String, String)]) -> Result<Self, CatalogueError> {
        Self::with_files(overlay, |_| true)
    }

    /// Parses only the tables, for a process whose parent has validated the whole catalogue.
    ///
    /// # Errors
    /// Those of [`Catalogue::parse`].
    pub fn tables_with_overlay(overlay: &[(String, String)]) -> Result<Self, CatalogueError> {
        Self::with_files(overlay, |path| path.starts_with("tables/"))
    }

    fn with_files(
        overlay: &[(String, String)],
        is_read: impl Fn(&str) -> bool,
    ) -> Result<Self, CatalogueError> {
        let mut files: BTreeMap<&str, &str> =
            super::embedded_files().iter().copied().filter(|(path, _)| is_read(path)).collect();
        let mut replaced_files: Vec<(&str, &str)> = Vec::new();
        for (path, text) in overlay.iter().filter(|(path, _)| is_read(path)) {
            if let Some(replaced) = files.insert(path, text)
                && (path.starts_with("api/") || path.starts_with("tables/"))
            {
                replaced_files.push((path, replaced));
            }
        }
        Self::parse_layers(files, replaced_files)
    }

    /// Returns the catalogue with only the operations for which `is_wanted` returns true. A market becomes ready sooner for fewer
    /// operations.
    #[must_use]
    pub fn with_operations(&self, is_wanted: impl Fn(&Operation) -> bool) -> Self {
        let operations: Vec<Arc<Operation>> =
            self.operations.iter().filter(|operation| is_wanted(operation)).cloned().collect();
        let by_name = operations.iter().map(|o| (o.name.clone(), Arc::clone(o))).collect();
        Self { operations, by_name, ..self.clone() }
    }

    /// Returns true if the file of an operation is an unchanged built-in file.
    pub fn is_shipped(&self, operation: &Operation) -> bool {
        !self.user_files.contains(&operation.file)
    }

    /// Returns all operations, sorted by route.
    pub fn operations(&self) -> &[Arc<Operation>] {
        &self.operations
    }

    /// Returns all tables, sorted by name.
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Returns all checks, sorted by file.
    pub fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// Returns the explanations of an audit, sorted by file.
    pub fn explanations(&self) -> &[Explanation] {
        &self.explanations
    }

    /// Returns the tables of a market.
    pub fn tables_in(&self, market: Market) -> impl Iterator<Item = &Table> {
        self.tables.iter().filter(move |table| table.is_in(market))
    }

    /// Returns the tables that only the other market has. A SELECT for both markets may read them; they have no rows in this market.
    pub fn foreign_tables(&self, market: Market) -> impl Iterator<Item = &Table> {
        self.tables.iter().filter(move |table| self.table(market, &table.name).is_none())
    }

    /// Returns the table that a name means in SQL of a market: the table of this market, else the table of the other market, which has no
    /// rows here.
    pub fn table_in_sql(&self, market: Market, name: &str) -> Option<&Table> {
        self.table(market, name).or_else(|| self.tables.iter().find(|table| table.name == name))
    }

    /// Returns the files of a folder that another crate parses, such as `presets/`, as (path below `queries/`, text).
    pub fn declarations(&self, folder: &str) -> impl Iterator<Item = (&str, &str)> {
        let within = move |(path, _): &&(String, String)| path.starts_with(folder);
        self.declarations.iter().filter(within).map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Returns the names of the declarations in a folder such as `presets/`: the names of its files without extensions.
    pub fn declared_names(&self, folder: &str) -> Vec<String> {
        let name = |(path, _): (&str, &str)| {
            let file = path.strip_prefix(folder)?;
            Some(file.split_once('.').map_or(file, |(name, _)| name).to_owned())
        };
        self.declarations(folder).filter_map(name).collect()
    }

    /// Returns an operation by its name, such as `company/profile`.
    pub fn operation(&self, name: &str) -> Option<&Arc<Operation>> {
        self.by_name.get(name)
    }

    /// Returns a table of a market by its name.
    pub fn table(&self, market: Market, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name && table.is_in(market))
    }

    /// Returns a hash of the query files that affect answers, in hexadecimal. Together with the data, it determines every answer.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Returns the dictionary of column names.
    pub fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }
}

/// Builds the dictionary from the columns of tables, and completes columns without a description from it.
fn build_dictionary(
    tables: &mut [Table],
    operations: &mut [Operation],
    errors: &mut Vec<DeclarationError>,
) -> Dictionary {
    let mut dictionary = Dictionary::default();
    for table in tables.iter() {
        for column in &table.columns {
            if let Err(message) = dictionary.add(column) {
                errors.push(DeclarationError { file: table.file.clone(), line: column.line, message });
            }
        }
    }
    let columns_of_tables = tables.iter_mut().map(|table| (&table.file, &mut table.columns));
    let columns_of_operations = operations.iter_mut().map(|o| (&o.file, &mut o.columns));
    for (file, columns) in columns_of_tables.chain(columns_of_operations) {
        for column in columns {
            if let Err(message) = dictionary.complete(column) {
                errors.push(DeclarationError { file: file.clone(), line: column.line, message });
            }
        }
    }
    dictionary
}

/// Adds the items of `declared` whose names are not in `known`. Returns true if it added any.
fn add_missing<T>(
    known: &mut Vec<T>,
    declared: Result<Vec<T>, Vec<DeclarationError>>,
    name: impl Fn(&T) -> &str,
) -> Result<bool, Vec<DeclarationError>> {
    let count = known.len();
    for declared in declared? {
        if known.iter().all(|known| name(known) != name(&declared)) {
            known.push(declared);
        }
    }
    Ok(known.len() > count)
}

/// Sorts by path and removes duplicate names. The file with a name's path takes precedence over the `also:` of another file, so that an
/// overlay can replace the SQL of a second route, or of the second market.
fn sort_and_dedup<T>(declared: &mut Vec<T>, folder: &str, name_and_file: impl Fn(&T) -> (&str, &str)) {
    declared.sort_by_cached_key(|it| {
        let (name, file) = name_and_file(it);
        let path_of_name = format!("{folder}/{name}.sql");
        let is_path_of_name = file == path_of_name;
        (path_of_name, !is_path_of_name)
    });
    declared.dedup_by(|later, retained| name_and_file(later).0 == name_and_file(retained).0);
}

fn check_rules(operations: &[Operation], tables: &[Table], errors: &mut Vec<DeclarationError>) {
    let mut fail = |file: &str, message: String| {
        errors.push(DeclarationError { file: file.to_owned(), line: 1, message });
    };
    let mut tools: HashMap<&str, &str> = HashMap::new();
    for operation in operations {
        if let Some(tool) = &operation.tool
            && let Some(other) = tools.insert(tool, &operation.file)
        {
            fail(&operation.file, format!("the tool `{tool}` is already that of {other}"));
        }
        for (param, folder) in operation.params.iter().filter_map(|p| Some((p, p.folder.as_ref()?))) {
            if !FOLDERS_OF_OTHER_CRATES.contains(&folder.as_str()) {
                let known = FOLDERS_OF_OTHER_CRATES.join(", ");
                fail(
                    &operation.file,
                    format!(
                        "`{}`: `{folder}` is not a folder of declarations; there are {known}",
                        param.name
                    ),
                );
            }
        }
        for (param, lookup) in operation.params.iter().filter_map(|p| Some((p, p.lookup.as_ref()?))) {
            let is_sorted_by_column =
                |table: &Table| table.sorted.first().is_some_and(|first| *first == lookup.column);
            let known =
                tables.iter().find(|table| table.name == lookup.table && table.is_in(operation.market));
            if !known.is_some_and(is_sorted_by_column) {
                let message = format!(
                    "`{}`: there is no table `{}` sorted by `{}` in {}",
                    param.name, lookup.table, lookup.column, operation.market
                );
                fail(&operation.file, message);
            }
        }
        let wrapped_tables = operation.selects.iter().flat_map(|s| s.wrap.iter().filter_map(|w| w.table()));
        for table in operation.optional_tables.iter().map(String::as_str).chain(wrapped_tables) {
            if !tables.iter().any(|known| known.name == table && known.is_in(operation.market)) {
                fail(&operation.file, format!("there is no table `{table}` in {}", operation.market));
            }
        }
        let scheduled =
            operation.selects.iter().flat_map(|s| s.wrap.iter().filter_map(WrapField::scheduled_table));
        for table in scheduled {
            let is_known = |known: &&Table| known.name == table && known.is_in(operation.market);
            let known = tables.iter().find(is_known);
            if known.is_some_and(|table| table.schedule_in(operation.market).is_none()) {
                fail(&operation.file, format!("`{table}` has no schedule in {}", operation.market));
            }
        }
    }
}

fn join_lines(errors: &[DeclarationError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
