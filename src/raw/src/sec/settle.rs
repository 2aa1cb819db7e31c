//! Settles SEC filings, insiders' transactions and positions: each once and under the symbols of the market.
//!
//! Sources overlap: an index and a list of submissions have the same filing, a table and a form the same transaction. The more complete row
//! is used, the other is counted as a duplicate. Filings of filers without a symbol are refused; an institution's position without one is
//! used, since it is part of the portfolio.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::NaiveDate;

use crate::accounts::row_accounts::RowAccounts;
use crate::domain::company::Company;
use crate::domain::reason::Reason;
use crate::error::RawError;
use crate::files::source::RawSource;
use crate::formats::filings::Filing;
use crate::formats::followed_reports::FollowedReports;
use crate::formats::fund_holdings::FundHolding;
use crate::formats::insider_forms::InsiderForm;
use crate::formats::investors::{DEFAULT_INSTITUTIONS, Investor};
use crate::formats::positions::{Cover, CoverPage, InvestorPosition, PositionLine};
use crate::records::duplicates::{Duplicate, one_of_each};
use crate::records::positioned_row::PositionedRow;
use crate::records::table_row::TableRecord;
use crate::records::tables::RecordTables;
use crate::reference_data::{MemberList, ReferenceData};
use crate::report::Tally;
use crate::sec::cusips::{Cusips, SymbolOrigin};
use crate::sec::day_prices::MarketBars;
use crate::sec::doubtful_forms;
use crate::sec::fund_lists::{self, HoldingSymbols};
use crate::sec::held_before;
use crate::sec::insider_tables::{InsiderDataSets, JoinedForms};
use crate::sec::position_values::{self, PricedLine, ValuedLines};
use parquote_catalogue::digits::counted;
use parquote_encodings::text::cik;

/// Settles all SEC records and inserts them into their tables; a table exists if a file of its kind does.
pub(crate) fn settle(
    reference: &mut ReferenceData,
    companies: &[Company],
    bars: MarketBars<'_>,
    sources: &[RawSource],
    accounts: &mut RowAccounts<'_>,
    tables: &mut RecordTables,
) -> Result<(), RawError> {
    let mut records = std::mem::take(&mut reference.records);
    let has = |table| sources.iter().any(|source| source.kind.format.table() == Some(table));
    let traded: HashSet<&str> = companies.iter().map(|company| company.symbol.as_str()).collect();
    let mut settlement = SecSettlement { reference, traded, sources, accounts };
    let filings = settlement.filings(records.take_rows())?;
    let days: HashMap<&str, NaiveDate> =
        filings.iter().map(|filing| (filing.accession.as_str(), filing.filed_on)).collect();
    let data_sets = InsiderDataSets {
        submissions: records.take_rows(),
        owners: records.take_rows(),
        transactions: records.take_rows(),
    };
    let mut forms = records.take_rows();
    forms.extend(settlement.join_all(data_sets)?);
    let mut forms = settlement.forms(forms, &days)?;
    let closes = bars.closes(forms.iter().map(|form| (form.symbol.as_str(), form.traded_on)))?;
    settlement.accounts.report.exceptions.extend(doubtful_forms::remove_total_prices(&mut forms, &closes));
    settlement.note_followed(&records.take_rows::<FollowedReports>());
    let lines = settlement.lines(records.take_rows(), &covers(records.take_rows(), records.take_rows()))?;
    let (positions, managers) = settlement.positions(lines, companies, bars)?;
    let lists = settlement.fund_lists(records.take_rows(), companies, &positions)?;
    let (listed, duplicates) = one_of_each(records.take_rows::<Investor>(), |a, b| a.cik.cmp(&b.cik));
    accounts.book_duplicates(&duplicates, sources);
    // The lists of index providers come after those of funds, because the last list of a day is used.
    reference.lists.splice(..0, lists);
    let investors = if listed.is_empty() { largest_institutions(&positions, &managers) } else { listed };
    if has(Filing::TABLE) {
        tables.insert(filings);
    }
    if has(InsiderForm::TABLE) {
        tables.insert(forms);
    }
    if has(Investor::TABLE) || has(InvestorPosition::TABLE) {
        tables.insert(investors);
    }
    if has(InvestorPosition::TABLE) {
        tables.insert(positions);
    }
    Ok(())
}

/// The names of institutions, by CIK.
type Managers = BTreeMap<u64, String>;

/// The transactions of a submission, by their file.
type FormsByFile = BTreeMap<u32, Vec<PositionedRow<InsiderForm>>>;

/// The context of all steps: rows are refused or counted as duplicates in the accounts.
struct SecSettlement<'a, 'l> {
    reference: &'a ReferenceData,
    /// Symbols with bars.
    traded: HashSet<&'a str>,
    sources: &'a [RawSource],
    accounts: &'a mut RowAccounts<'l>,
}

impl SecSettlement<'_, '_> {
    /// Returns the symbol of a filer: that of the first of its classes of shares that trades.
    fn symbol(&self, cik: u64) -> Option<String> {
        let ciks = &self.reference.ciks;
        ciks.symbol_where(cik, |symbol| self.traded.contains(symbol))
            .or_else(|| ciks.symbol(cik))
            .map(str::to_owned)
    }

    fn refuse<T>(&mut self, placed: &PositionedRow<T>, reason: Reason, text: &str) -> Result<(), RawError> {
        let Some(source) = self.sources.get(placed.file as usize) else { return Ok(()) };
        self.accounts.refuse_used(source, placed.line, reason, text)
    }

    fn add_duplicate(&mut self, file: u32, is_same: bool) {
        self.accounts.book_duplicates(&[Duplicate { file, is_same }], self.sources);
    }

    /// Returns the filings of filers with a symbol, without duplicates: a list of submissions is more complete than an index.
    fn filings(&mut self, rows: Vec<PositionedRow<Filing>>) -> Result<Vec<Filing>, RawError> {
        let mut by_number: BTreeMap<(String, u64), PositionedRow<Filing>> = BTreeMap::new();
        for mut placed in rows {
            let Some(symbol) = self.symbol(placed.row.cik) else {
                let text =
                    format!("{},{},{}", cik::text(placed.row.cik), placed.row.form, placed.row.accession);
                self.refuse(&placed, Reason::FilerWithoutSymbol, &text)?;
                continue;
            };
            placed.row.symbol = symbol;
            let key = (placed.row.accession.clone(), placed.row.cik);
            let Some(other) = by_number.remove(&key) else {
                by_number.insert(key, placed);
                continue;
            };
            let completeness = |it: &PositionedRow<Filing>| (it.row.accepted_at.is_some(), it.file, it.line);
            let (used, other) =
                if completeness(&placed) > completeness(&other) { (placed, other) } else { (other, placed) };
            let is_same = used.row.form == other.row.form && used.row.filed_on == other.row.filed_on;
            self.add_duplicate(other.file, is_same);
            by_number.insert(key, used);
        }
        let mut filings: Vec<Filing> = by_number.into_values().map(|placed| placed.row).collect();
        filings.sort_by(|a, b| {
            (&a.symbol, a.filed_on, &a.accession, a.cik).cmp(&(&b.symbol, b.filed_on, &b.accession, b.cik))
        });
        Ok(filings)
    }

    /// Joins the transactions of data sets with their submissions.
    fn join_all(&mut self, data_sets: InsiderDataSets) -> Result<Vec<PositionedRow<InsiderForm>>, RawError> {
        let JoinedForms { forms, unmatched } = data_sets.join(self.sources);
        for placed in &unmatched {
            let accession = placed.row.0.accession.as_deref().unwrap_or_default();
            self.refuse(placed, Reason::NoFiler, accession)?;
        }
        Ok(forms)
    }

    /// Reports the number of lines of data sets, and of those of followed institutions.
    fn note_followed(&mut self, reports: &[PositionedRow<FollowedReports>]) {
        for PositionedRow { row, .. } in reports {
            self.accounts.report.exceptions.push(format!(
                "of {} in data sets of Form 13F, {} in reports of institutions that are followed; the others are left out",
                counted(row.stored + row.skipped, "line", "lines"),
                counted(row.stored, "is", "are")
            ));
        }
    }

    /// Returns the transactions under their companies' symbols, for each submission from the most complete source.
    fn forms(
        &mut self,
        rows: Vec<PositionedRow<InsiderForm>>,
        days: &HashMap<&str, NaiveDate>,
    ) -> Result<Vec<InsiderForm>, RawError> {
        let mut with_symbols = Vec::with_capacity(rows.len());
        for mut placed in rows {
            let of_issuer = placed.row.issuer_cik.and_then(|cik| self.symbol(cik));
            placed.row.symbol = of_issuer.unwrap_or(placed.row.symbol);
            if placed.row.symbol.is_empty() {
                let text = placed.row.issuer.clone().unwrap_or_default();
                self.refuse(&placed, Reason::NoSymbol, &text)?;
            } else {
                with_symbols.push(placed);
            }
        }
        set_accessions(&mut with_symbols);
        let mut submissions: BTreeMap<_, FormsByFile> = BTreeMap::new();
        for mut placed in with_symbols {
            let day = placed.row.accession.as_deref().and_then(|number| days.get(number));
            placed.row.filed_on = day.copied().or(placed.row.filed_on);
            let files = submissions.entry(placed.row.submission_key()).or_default();
            files.entry(placed.file).or_default().push(placed);
        }
        let mut forms = Vec::new();
        for files in submissions.into_values() {
            forms.extend(self.forms_of_best_file(files));
        }
        forms.sort_by(|a, b| {
            (&a.symbol, a.filed_on, a.submission_key()).cmp(&(&b.symbol, b.filed_on, b.submission_key()))
        });
        held_before::set_held_before(&mut forms);
        Ok(forms)
    }

    /// Returns the transactions of a submission from one of its files: the newest with reporting persons, else the newest.
    fn forms_of_best_file(&mut self, files: FormsByFile) -> Vec<InsiderForm> {
        let names_people =
            |rows: &[PositionedRow<InsiderForm>]| rows.iter().any(|placed| placed.row.person.is_some());
        let best =
            files.iter().max_by_key(|(file, rows)| (names_people(rows), **file)).map(|(file, _)| *file);
        let (used, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|(file, _)| Some(*file) == best);
        let used: Vec<InsiderForm> =
            used.into_iter().flat_map(|(_, rows)| rows).map(|placed| placed.row).collect();
        for placed in others.into_iter().flat_map(|(_, rows)| rows) {
            let is_same = used.iter().any(|row| row.transaction_key() == placed.row.transaction_key());
            self.add_duplicate(placed.file, is_same);
        }
        used
    }

    /// Returns the lines in force with their covers: without those that a newer filing of the same quarter restates.
    fn lines(
        &mut self,
        rows: Vec<PositionedRow<PositionLine>>,
        by_number: &HashMap<String, Cover>,
    ) -> Result<Vec<(Cover, PositionedRow<PositionLine>)>, RawError> {
        let mut reports: BTreeMap<(u64, NaiveDate), Submissions> = BTreeMap::new();
        for mut placed in rows {
            let of_number =
                || placed.row.accession.as_ref().and_then(|number| by_number.get(number)).cloned();
            let Some(cover) = placed.row.cover.take().or_else(of_number) else {
                let text = format!("{},{}", placed.row.issuer, placed.row.cusip);
                self.refuse(&placed, Reason::NoFiler, &text)?;
                continue;
            };
            let report = reports.entry((cover.cik, cover.report_date)).or_default();
            let submission = report.entry(cover.submission_key()).or_insert_with(|| (cover, BTreeMap::new()));
            submission.1.entry(placed.file).or_default().push(placed);
        }
        let mut lines = Vec::new();
        for report in reports.into_values() {
            self.add_lines_in_force(report, &mut lines);
        }
        Ok(lines)
    }

    fn add_lines_in_force(
        &mut self,
        report: Submissions,
        lines: &mut Vec<(Cover, PositionedRow<PositionLine>)>,
    ) {
        let whole = report.values().rposition(|(cover, _)| !cover.adds).unwrap_or(0);
        for (position, (cover, files)) in report.into_values().enumerate() {
            let newest = files.keys().next_back().copied();
            for (file, rows) in files {
                for placed in rows {
                    if Some(file) != newest {
                        self.add_duplicate(placed.file, true);
                    } else if position < whole {
                        self.restate(&placed);
                    } else {
                        lines.push((cover.clone(), placed));
                    }
                }
            }
        }
    }

    /// Returns the names of companies and filers that trade, with their symbols.
    fn names<'n>(&'n self, companies: &'n [Company]) -> impl Iterator<Item = (&'n str, &'n str)> {
        let of_companies =
            companies.iter().filter_map(|company| Some((company.name.as_deref()?, company.symbol.as_str())));
        let of_filers = self.reference.ciks.names().filter(|(_, symbol)| self.traded.contains(symbol));
        of_companies.chain(of_filers)
    }

    /// Returns the member lists of indices that funds hold. Tickers of other filings and Form 13F add to the list of CUSIPs.
    fn fund_lists(
        &mut self,
        holdings: Vec<PositionedRow<FundHolding>>,
        companies: &[Company],
        positions: &[InvestorPosition],
    ) -> Result<Vec<MemberList>, RawError> {
        if holdings.is_empty() {
            return Ok(Vec::new());
        }
        let mut by_cusip = fund_lists::cusips_by_ticker(&holdings, &self.traded);
        let of_positions = positions.iter();
        by_cusip.extend(of_positions.filter_map(|it| Some((it.cusip.clone(), it.symbol.clone()?))));
        by_cusip.extend(self.reference.cusips.clone());
        let cusips = Cusips::new(&by_cusip, self.names(companies));
        let symbols = HoldingSymbols { cusips, traded: &self.traded };
        fund_lists::lists(holdings, &symbols, self.sources, self.accounts)
    }

    fn restate(&mut self, placed: &PositionedRow<PositionLine>) {
        if let Some(source) = self.sources.get(placed.file as usize) {
            self.accounts.book_repetitions(source, &Tally { restated: 1, ..Tally::default() });
        }
    }

    /// Returns one position per security, and the names of the institutions. Reports how symbols were found.
    fn positions(
        &mut self,
        lines: Vec<(Cover, PositionedRow<PositionLine>)>,
        companies: &[Company],
        bars: MarketBars<'_>,
    ) -> Result<(Vec<InvestorPosition>, Managers), RawError> {
        let cusips = Cusips::new(&self.reference.cusips, self.names(companies));
        let mut managers = Managers::new();
        let mut positions: BTreeMap<PositionKey, InvestorPosition> = BTreeMap::new();
        let mut origins: HashMap<String, Option<SymbolOrigin>> = HashMap::new();
        let symbol_of = |line: &PositionLine| {
            cusips.symbol(&line.cusip, &line.issuer, line.class.as_deref().unwrap_or_default())
        };
        let days =
            lines.iter().filter_map(|(cover, line)| Some((symbol_of(&line.row)?.0, cover.report_date)));
        let closes = bars.closes(days)?;
        let priced: Vec<PricedLine<'_>> = lines
            .iter()
            .map(|(cover, placed)| {
                let close =
                    symbol_of(&placed.row).and_then(|(symbol, _)| closes.close(symbol, cover.report_date));
                PricedLine { cover, line: &placed.row, close }
            })
            .collect();
        let ValuedLines { values, notes } = position_values::in_dollars(&priced);
        self.accounts.report.exceptions.extend(notes);
        for ((cover, placed), value) in lines.into_iter().zip(values) {
            let Some(value) = value else {
                let PositionLine { issuer, cusip, value, .. } = &placed.row;
                self.refuse(&placed, Reason::ValueIsShares, &format!("{issuer},{cusip},{value}"))?;
                continue;
            };
            let line = placed.row;
            managers.extend(cover.manager.clone().map(|name| (cover.cik, name)));
            let symbol_and_origin = symbol_of(&line);
            origins.insert(line.cusip.clone(), symbol_and_origin.map(|(_, origin)| origin));
            let symbol = symbol_and_origin.map(|(symbol, _)| symbol.to_owned());
            let key = (cover.cik, cover.report_date, line.cusip.clone(), line.option);
            let position = positions.entry(key).or_insert_with(|| InvestorPosition {
                cik: cover.cik,
                report_date: cover.report_date,
                filed_on: cover.filed_on,
                cusip: line.cusip,
                option: line.option,
                symbol,
                issuer: line.issuer,
                class: line.class,
                shares: line.shares.map(|_| 0.0),
                value: 0.0,
                source: line.source,
            });
            position.filed_on = position.filed_on.max(cover.filed_on);
            position.value += value;
            position.shares = position.shares.zip(line.shares).map(|(before, more)| before + more);
        }
        self.report_symbol_origins(&origins);
        Ok((positions.into_values().collect(), managers))
    }

    fn report_symbol_origins(&mut self, origins: &HashMap<String, Option<SymbolOrigin>>) {
        if origins.is_empty() {
            return;
        }
        let count = |origin: Option<SymbolOrigin>| origins.values().filter(|other| **other == origin).count();
        self.accounts.report.exceptions.push(format!(
            "of {}, {} a symbol from a list, {} by the issuer's name, {} none",
            counted(origins.len(), "CUSIP", "CUSIPs"),
            counted(count(Some(SymbolOrigin::List)), "has", "have"),
            count(Some(SymbolOrigin::IssuerName)),
            count(None)
        ));
    }
}

type PositionKey = (u64, NaiveDate, String, Option<&'static str>);

/// The submissions of an institution for a quarter, oldest first, each with its lines by file.
type Submissions = BTreeMap<(NaiveDate, String), (Cover, BTreeMap<u32, Vec<PositionedRow<PositionLine>>>)>;

/// Returns covers by their accession number, completed by the cover pages of data sets.
fn covers(covers: Vec<PositionedRow<Cover>>, pages: Vec<PositionedRow<CoverPage>>) -> HashMap<String, Cover> {
    let numbered = |placed: PositionedRow<Cover>| Some((placed.row.accession.clone()?, placed.row));
    let mut by_number: HashMap<String, Cover> = covers.into_iter().filter_map(numbered).collect();
    for page in pages {
        let CoverPage { accession, manager, adds } = page.row;
        if let Some(cover) = by_number.get_mut(&accession) {
            cover.manager = manager.or(cover.manager.take());
            cover.adds |= adds;
        }
    }
    by_number
}

/// Sets the missing accession numbers of a file to that of the only submission with transactions of the file.
fn set_accessions(rows: &mut [PositionedRow<InsiderForm>]) {
    let mut numbers: BTreeMap<_, HashSet<String>> = BTreeMap::new();
    for placed in rows.iter() {
        if let Some(number) = &placed.row.accession {
            numbers.entry(placed.row.transaction_key()).or_default().insert(number.clone());
        }
    }
    let mut of_files: HashMap<u32, HashSet<String>> = HashMap::new();
    for placed in rows.iter().filter(|placed| placed.row.accession.is_none()) {
        if let Some(numbers) = numbers.get(&placed.row.transaction_key()) {
            of_files.entry(placed.file).or_default().extend(numbers.iter().cloned());
        }
    }
    for placed in rows.iter_mut().filter(|placed| placed.row.accession.is_none()) {
        let numbers = of_files.get(&placed.file).filter(|numbers| numbers.len() == 1);
        placed.row.accession = numbers.and_then(|numbers| numbers.iter().next().cloned());
    }
}

/// Returns the institutions with the largest newest portfolios, by CIK.
fn largest_institutions(positions: &[InvestorPosition], managers: &Managers) -> Vec<Investor> {
    let mut portfolios: BTreeMap<u64, (NaiveDate, f64)> = BTreeMap::new();
    for position in positions {
        let portfolio = portfolios.entry(position.cik).or_insert((position.report_date, 0.0));
        if portfolio.0 != position.report_date {
            // Positions are sorted by quarter.
            *portfolio = (position.report_date, 0.0);
        }
        portfolio.1 += position.value;
    }
    let mut largest: Vec<(u64, f64)> = portfolios.into_iter().map(|(cik, (_, value))| (cik, value)).collect();
    largest.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    largest.truncate(DEFAULT_INSTITUTIONS);
    largest.sort_by_key(|(cik, _)| *cik);
    let name = |cik: u64| managers.get(&cik).cloned().unwrap_or_else(|| format!("CIK {}", cik::text(cik)));
    largest.into_iter().map(|(cik, _)| Investor { cik, name: name(cik), style: None }).collect()
}
