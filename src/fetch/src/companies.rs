//! Resolves the companies that a caller names: CIK numbers as they are, symbols through the company list of the SEC.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::declared_source::CompanyId;
use super::error::FetchError;
use super::folders::Folders;
use parquote_catalogue::operation::Market;

/// Returns the values of `{each}`, one for each named company.
///
/// # Errors
/// A symbol that is invalid, or whose CIK is unknown.
pub(crate) fn named(
    per: CompanyId,
    companies: &[String],
    folders: &Folders,
) -> Result<Vec<String>, FetchError> {
    if per == CompanyId::Symbol {
        return companies.iter().map(|name| symbol(name)).collect();
    }
    let mut numbers: Option<BTreeMap<String, String>> = None;
    companies
        .iter()
        .map(|name| {
            if let Some(cik) = cik(name) {
                return Ok(cik);
            }
            let numbers = numbers.get_or_insert_with(|| listed(folders).unwrap_or_default());
            let found = numbers.get(&plain(name)).cloned();
            found.ok_or_else(|| FetchError::UnknownCompany(name.clone()))
        })
        .collect()
}

/// Formats a CIK with ten digits.
fn cik(name: &str) -> Option<String> {
    let digits = name.trim().trim_start_matches("CIK");
    let number: u64 = digits.parse().ok().filter(|number| (1..10_000_000_000).contains(number))?;
    Some(format!("{number:010}"))
}

fn symbol(name: &str) -> Result<String, FetchError> {
    let symbol = name.trim().to_uppercase();
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let is_one = (1..=12).contains(&symbol.len()) && symbol.bytes().all(fits) && !symbol.starts_with('.');
    if is_one { Ok(symbol) } else { Err(FetchError::UnknownCompany(name.to_owned())) }
}

/// Normalizes a symbol: sources separate the share class by a point or a dash.
fn plain(symbol: &str) -> String {
    symbol.trim().to_uppercase().replace('.', "-")
}

/// Reads the CIK of each symbol from the newest company list on disk.
fn listed(folders: &Folders) -> Option<BTreeMap<String, String>> {
    let mut files = Vec::new();
    collect(&folders.raw().join(Market::Us.word()), &mut files);
    let newest = files.into_iter().max_by_key(|path| path.file_name().map(std::ffi::OsStr::to_owned))?;
    let list: Value = serde_json::from_slice(&fs::read(newest).ok()?).ok()?;
    let companies = list.as_object()?.values().filter_map(|company| {
        let symbol = plain(company.get("ticker")?.as_str()?);
        Some((symbol, format!("{:010}", company.get("cik_str")?.as_u64()?)))
    });
    // A company with several symbols has one entry for each.
    Some(companies.collect())
}

/// Collects all company lists below a folder, by their file names at the SEC.
fn collect(folder: &PathBuf, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let is_list = name.starts_with("company_tickers")
            && !name.contains("exchange")
            && path.extension().is_some_and(|ending| ending == "json");
        if path.is_dir() {
            collect(&path, files);
        } else if is_list {
            files.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn companies_are_named_by_number_or_by_symbol() {
        let folder = tempfile::tempdir().unwrap();
        let folders = Folders::new(folder.path());
        let us = folder.path().join("us");
        fs::create_dir_all(&us).unwrap();
        let ask = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            named(CompanyId::Cik, &names, &folders).map_err(|error| error.to_string())
        };
        assert_eq!(ask(&["77", "CIK0000000078"]).unwrap(), ["0000000077", "0000000078"]);
        assert!(ask(&["ALFA"]).unwrap_err().contains("`ALFA` is no CIK"));
        let list = r#"{"0":{"cik_str":77,"ticker":"ALFA","title":"Alfa"},"1":{"cik_str":78,"ticker":"BET-A","title":"Beta"}}"#;
        fs::write(us.join("company_tickers_20261121_200003.json"), list).unwrap();
        assert_eq!(ask(&["alfa", "bet.a"]).unwrap(), ["0000000077", "0000000078"]);
        assert!(named(CompanyId::Symbol, &["../x".to_owned()], &folders).is_err());
    }
}
