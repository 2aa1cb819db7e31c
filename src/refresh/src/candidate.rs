//! A candidate set of plain files: they are copied to a private folder, read completely, and merged into the previous set.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::admission::{Admission, AdmissionResult, UnreadFile, derive_remedy, findings, repaired_name};
use super::error::RefreshError;
use super::finding::{Finding, Level};
use parquote_catalogue::operation::{Catalogue, Market};
use parquote_derive::{RederivedTables, ReplacedSet, derive_dependants};
use parquote_engine::{MarketSnapshot, SetName, VettingResult};
use parquote_set::{
    CopyError, Draft, FileVersion, Home, Inbox, NewFile, PlainFilePart, Set, SetFile, SetOrigin, SetTable,
    Staging, StoredFile, TableFiles, hash_of,
};

/// Changes among the plain files of a market since a set was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxChanges {
    /// All current plain files, by path below the market's folder.
    pub now: BTreeMap<String, FileVersion>,
    /// Paths of new and changed files.
    pub new_or_changed: Vec<String>,
    /// Paths of removed files.
    pub removed: Vec<String>,
}

/// The locations that a candidate uses.
#[derive(Clone, Copy)]
pub struct CandidateFolders<'a> {
    /// The location of the plain files.
    pub inbox: &'a Inbox,
    /// The folder of the previous set.
    pub home: &'a Home,
    /// The folder for new files: the folder of the next set, or a temporary folder for a check.
    pub made_in: &'a Home,
}

/// Plain files that may become a set.
pub struct Candidate {
    market: Market,
    staging: Staging,
    /// The folder of tables that were derived again from replaced ones.
    derived: Option<Staging>,
    tables: BTreeMap<String, SetTable>,
    /// Derived tables that plain files replace.
    covered: BTreeMap<String, SetTable>,
    /// Files that the previous set lacks.
    new: Vec<NewFile>,
    inbox: BTreeMap<String, FileVersion>,
    /// Number of the newest earlier set.
    follows: u64,
    /// The findings so far.
    findings: Vec<Finding>,
    /// The error of tables that depend on replaced ones and could not be derived again.
    rederive_error: Option<Finding>,
}

impl InboxChanges {
    /// Compares the current plain files with those that a set contains.
    pub fn since(now: BTreeMap<String, FileVersion>, set: Option<&Set>) -> Self {
        let empty = BTreeMap::new();
        let before = set.map_or(&empty, |set| &set.inbox);
        let new_or_changed =
            now.iter().filter(|(path, version)| before.get(*path).is_none_or(|old| !old.is_same(version)));
        let removed = before.keys().filter(|path| !now.contains_key(*path));
        let (new_or_changed, removed) =
            (new_or_changed.map(|(path, _)| path.clone()).collect(), removed.cloned().collect());
        Self { now, new_or_changed, removed }
    }

    /// Returns the paths of removed files whose table has no new or changed file.
    pub fn paths_only_removed(&self) -> BTreeSet<String> {
        let table = |path: &String| PlainFilePart::from_path(path).map(|part| part.table);
        let others: BTreeSet<_> = self.new_or_changed.iter().filter_map(table).collect();
        let is_only_removed = |path: &&String| table(path).is_none_or(|table| !others.contains(&table));
        self.removed.iter().filter(is_only_removed).cloned().collect()
    }

    /// Returns true if no file changed.
    pub fn is_empty(&self) -> bool {
        self.new_or_changed.is_empty() && self.removed.is_empty()
    }
}

impl Candidate {
    /// Copies changed files, reads them completely and merges them into the previous set. Returns `None` if the content equals that
    /// of the previous set.
    ///
    /// # Errors
    /// Files that cannot be copied. Faults of their content are findings.
    pub async fn from_changes(
        admission: &Admission<'_>,
        folders: CandidateFolders<'_>,
        market: Market,
        changed: InboxChanges,
        before: Option<&Set>,
    ) -> Result<Option<Self>, RefreshError> {
        let inbox = folders.inbox;
        let mut candidate = Self {
            market,
            staging: folders.made_in.stage(market)?,
            derived: None,
            tables: before.map(|set| set.tables.clone()).unwrap_or_default(),
            covered: before.map(|set| set.covered.clone()).unwrap_or_default(),
            new: Vec::new(),
            inbox: changed.now,
            follows: before.map_or(0, |set| set.number),
            findings: Vec::new(),
            rederive_error: None,
        };
        candidate.check_space(folders.made_in, &changed.new_or_changed)?;
        for path in &changed.removed {
            candidate.remove_file(path);
        }
        let mut copied = Vec::new();
        for path in &changed.new_or_changed {
            copied.extend(candidate.copy(admission.engine.catalogue(), inbox, path).await?);
        }
        // A file with the same table and hash was read when it arrived. The same bytes in another table are read again.
        let row_counts: BTreeMap<(&str, &str), u64> = before
            .iter()
            .flat_map(|set| set.files())
            .map(|(table, file)| ((table, file.hash.as_str()), file.rows))
            .collect();
        copied.retain(|file| {
            let rows = row_counts.get(&(file.new.table.as_str(), file.new.hash.as_str()));
            if let Some(rows) = rows {
                candidate.add_file(file, *rows);
            }
            rows.is_none()
        });
        let unread =
            |file: &CopiedFile| UnreadFile { table: file.new.table.clone(), path: file.new.path.clone() };
        let unread: Vec<UnreadFile> = copied.iter().map(unread).collect();
        let vetted = admission.read(market, &unread, &candidate.staging)?;
        for (index, (file, vetted)) in copied.into_iter().zip(vetted).enumerate() {
            candidate.use_vetting_result(admission.engine.catalogue(), inbox, index, file, vetted)?;
        }
        if let Some(before) = before.filter(|_| !Finding::any_error(&candidate.findings)) {
            candidate.derive(admission.engine.catalogue(), folders, before, &changed.new_or_changed).await?;
        }
        let is_same = before.is_some_and(|set| set.id == Set::id_of(&candidate.tables));
        Ok((!is_same || Finding::any_error(&candidate.findings)).then_some(candidate))
    }

    /// Refuses to copy more than the disk can hold.
    fn check_space(&self, home: &Home, paths: &[String]) -> Result<(), RefreshError> {
        /// Bytes that stay free for other data, such as the state file.
        const FREE_BYTES: u64 = 64 << 20;
        let files = paths.iter().filter_map(|path| self.inbox.get(path));
        let needed = files.map(|file| file.bytes).sum::<u64>().saturating_add(FREE_BYTES);
        match home.free_bytes(self.market) {
            Some(free) if free < needed => Err(RefreshError::Space { needed, free }),
            _ => Ok(()),
        }
    }

    async fn copy(
        &mut self,
        catalogue: &Catalogue,
        inbox: &Inbox,
        path: &str,
    ) -> Result<Option<CopiedFile>, RefreshError> {
        let Some(part) = PlainFilePart::from_path(path) else { return Ok(None) };
        if catalogue.table(self.market, &part.table).is_none_or(parquote_catalogue::operation::Table::is_view)
        {
            let files = TableFiles::from([(part.table.clone(), Vec::new())]);
            self.findings.extend(super::admission::unknown_tables(catalogue, self.market, &files));
            return Ok(None);
        }
        let to = self.staging.path().join(path.replace('/', "!"));
        match inbox.copy(self.market, path, &to).await {
            Ok(()) => {}
            Err(CopyError::Failed(error)) => return Err(error.into()),
            Err(CopyError::Unfit(why)) => {
                let remedy = "let the server read it (for example `chmod a+r`), replace it by a regular file, or remove it";
                let finding = Finding::new(Level::Error, self.market, why, remedy).of_table(&part.table);
                self.findings.push(Finding { file: Some(inbox.location(self.market, path)), ..finding });
                return Ok(None);
            }
        }
        let hash = hash_of(&to)?;
        if let Some(seen) = self.inbox.get_mut(path) {
            seen.hash.clone_from(&hash);
        }
        let new = NewFile { table: part.table, hash, path: to };
        Ok(Some(CopiedFile { path: path.to_owned(), part: part.part, new }))
    }

    /// Uses the result of reading a file: adds the file to the set, or records why it is unfit.
    fn use_vetting_result(
        &mut self,
        catalogue: &Catalogue,
        inbox: &Inbox,
        index: usize,
        mut file: CopiedFile,
        vetted: VettingResult,
    ) -> Result<(), RefreshError> {
        let display_path = inbox.location(self.market, &file.path);
        if !vetted.problems.is_empty() {
            let problems = vetted.problems.into_iter().map(|mut problem| {
                problem.file = Some(display_path.clone());
                problem
            });
            self.findings.extend(findings(catalogue, problems.collect()));
            return Ok(());
        }
        if !vetted.repairs.is_empty() {
            file.new.path = self.staging.path().join(repaired_name(index));
            file.new.hash = hash_of(&file.new.path)?;
        }
        self.findings.extend(vetted.repairs.into_iter().map(|mut note| {
            note.file = Some(display_path.clone());
            Finding { level: Level::Warning, ..Finding::of_problem(note, Vec::new()) }
        }));
        self.add_file(&file, vetted.rows);
        self.new.push(file.new);
        Ok(())
    }

    /// Derives again the tables that read replaced tables, so that the set is consistent.
    async fn derive(
        &mut self,
        catalogue: &Catalogue,
        folders: CandidateFolders<'_>,
        before: &Set,
        supplied: &[String],
    ) -> Result<(), RefreshError> {
        let key = |table: &str, file: &SetFile| (table.to_owned(), file.part.clone());
        let previous = before
            .files()
            .map(|(table, file)| (key(table, file), folders.home.file_path(self.market, table, &file.hash)));
        let now = self.files_with_paths(folders.home).map(|(table, file, path)| (key(table, file), path));
        let tables = |paths: &mut dyn Iterator<Item = &String>| -> BTreeSet<String> {
            paths.filter_map(|path| Some(PlainFilePart::from_path(path)?.table)).collect()
        };
        let replaced = ReplacedSet {
            previous: previous.collect(),
            now: now.collect(),
            supplied_tables: tables(&mut supplied.iter()),
            plain_tables: tables(&mut self.inbox.keys()),
        };
        let folder = folders.made_in.stage(self.market)?;
        match derive_dependants(catalogue, self.market, replaced, folder.path()).await {
            Ok(RederivedTables { tables, new }) => {
                self.tables.extend(tables);
                self.new.extend(new);
                self.derived = Some(folder);
            }
            Err(error) => {
                let why = std::error::Error::source(&error).map(|why| format!(": {why}")).unwrap_or_default();
                let message = format!("what reads the new rows cannot be made again from them: {error}{why}");
                self.rederive_error =
                    Some(Finding::new(Level::Error, self.market, message, derive_remedy(self.market)));
            }
        }
        Ok(())
    }

    /// Checks the candidate against its contract and against the served set. If a file could not be read, nothing is loaded, and the
    /// findings about the files are returned.
    ///
    /// # Errors
    /// A failure that prevents the check.
    pub async fn admit(
        &self,
        admission: &Admission<'_>,
        home: &Home,
        before: Option<&MarketSnapshot>,
    ) -> Result<AdmissionResult, RefreshError> {
        if Finding::any_error(&self.findings) {
            return Ok(AdmissionResult { findings: self.findings.clone(), snapshot: None });
        }
        self.admit_rest(admission, home, before).await
    }

    /// Checks the candidate like [`Candidate::admit`], but leaves out the files that could not be read.
    ///
    /// # Errors
    /// As [`Candidate::admit`].
    pub async fn admit_rest(
        &self,
        admission: &Admission<'_>,
        home: &Home,
        before: Option<&MarketSnapshot>,
    ) -> Result<AdmissionResult, RefreshError> {
        let mut admitted = admission.admit(self.market, self.name(), &self.files(home), before).await?;
        admitted.findings.extend(self.findings.iter().chain(&self.rederive_error).cloned());
        admitted.findings.sort_by_key(|finding| finding.level);
        Ok(admitted)
    }

    fn add_file(&mut self, file: &CopiedFile, rows: u64) {
        let bytes = std::fs::metadata(&file.new.path).map(|stat| stat.len()).unwrap_or_default();
        let described = SetFile { part: file.part.clone(), bytes, rows, ..SetFile::named(&file.new.hash) };
        let table = self.tables.entry(file.new.table.clone()).or_default();
        // If the table already contains the file, no replaced table was recorded when the file arrived.
        if table.files.iter().all(|file| file.hash != described.hash) {
            self.covered.entry(file.new.table.clone()).or_insert_with(|| table.clone());
        }
        table.replace_part(described);
    }

    fn remove_file(&mut self, path: &str) {
        let Some(part) = PlainFilePart::from_path(path) else { return };
        let covered = self.covered.get(&part.table);
        if let Some(table) = self.tables.get_mut(&part.table) {
            table.remove_part(part.part.as_deref(), covered);
            if covered.is_some_and(|covered| covered.files == table.files) {
                self.covered.remove(&part.table);
            }
        }
        self.tables.retain(|_, table| !table.files.is_empty());
    }

    /// Sets a lower bound for the number of the set: it will be above `number`.
    #[must_use]
    pub fn with_number_above(self, number: u64) -> Self {
        Self { follows: self.follows.max(number), ..self }
    }

    /// Returns the files of the candidate: new files at their temporary path, others in the folder of the previous set.
    pub fn files(&self, home: &Home) -> TableFiles {
        let mut files = TableFiles::new();
        for (table, file, path) in self.files_with_paths(home) {
            files.entry(table.to_owned()).or_default().push(StoredFile::of_set(path, &file.hash));
        }
        files
    }

    fn files_with_paths<'a>(
        &'a self,
        home: &'a Home,
    ) -> impl Iterator<Item = (&'a str, &'a SetFile, PathBuf)> {
        let files =
            self.tables.iter().flat_map(|(name, table)| table.files.iter().map(move |file| (name, file)));
        files.map(|(table, file)| {
            let new = self.new.iter().find(|new| new.hash == file.hash && new.table == *table);
            let path =
                new.map_or_else(|| home.file_path(self.market, table, &file.hash), |new| new.path.clone());
            (table.as_str(), file, path)
        })
    }

    /// Returns the name under which the candidate would be published.
    pub fn name(&self) -> SetName {
        SetName { id: Set::id_of(&self.tables).into(), number: Some(self.follows + 1), published: None }
    }

    /// Publishes the candidate as the next set.
    ///
    /// # Errors
    /// Another publisher that took the number first, or a disk that fails.
    pub fn publish(
        self,
        home: &Home,
        as_of: Option<chrono::NaiveDate>,
        forced: bool,
    ) -> Result<Set, RefreshError> {
        let draft = Draft {
            market: self.market,
            as_of,
            origin: SetOrigin::Inbox,
            forced,
            first_at: None,
            follows: self.follows,
            tables: self.tables,
            inbox: self.inbox,
            covered: self.covered,
        };
        Ok(home.publish(draft, &self.new, &self.staging)?)
    }
}

/// A plain file that was copied.
struct CopiedFile {
    /// Path below the market's folder of plain files.
    path: String,
    part: Option<String>,
    new: NewFile,
}
