//! Resolves the companies that a caller names by CIKs or symbols; the CIK of a symbol is looked up in the company list of the SEC.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::declared_source::CompanyId;
use super::error::FetchError;
use super::folders::{Folders, walk};
use parquote_catalogue::operation::Market;

/// Returns the values of `{each}`, one for each named company.
///
/// # Errors
/// A symbol that is invalid, or whose CIK is unknown.
pub(crate) fn resolve_companies(
    id_kind: CompanyId,
    companies: &[String],
    folders: &Folders,
) -> Result<Vec<String>, FetchError> {
    if id_kind == CompanyId::Symbol {
        return companies.iter().map(|name| parse_symbol(name)).collect();
    }
    let mut numbers: Option<BTreeMap<String, String>> = None;
    companies
        .iter()
        .map(|name| {
            if let Some(cik) = format_cik(name) {
                return Ok(cik);
            }
            let numbers = numbers.get_or_insert_with(|| newest_ciks(folders).unwrap_or_default());
            let cik = numbers.get(&normalize_symbol(name)).cloned();
            cik.ok_or_else(|| FetchError::UnknownCompany(name.clone()))
        })
        .collect()
}

/// Formats a CIK with ten digits.
fn format_cik(name: &str) -> Option<String> {
    let digits = name.trim().trim_start_matches("CIK");
    let number: u64 = digits.parse().ok().filter(|number| (1..10_000_000_000).contains(number))?;
    Some(format!("{number:010}"))
}

fn parse_symbol(name: &str) -> Result<String, FetchError> {
    let symbol = name.trim().to_uppercase();
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let is_symbol = (1..=12).contains(&symbol.len()) && symbol.bytes().all(fits) && !symbol.starts_with('.');
    if is_symbol { Ok(symbol) } else { Err(FetchError::UnknownCompany(name.to_owned())) }
}

/// Normalizes a symbol: sources separate the share class by a point or a dash.
fn normalize_symbol(symbol: &str) -> String {
    symbol.trim().to_uppercase().replace('.', "-")
}

/// Reads the CIK of each symbol from the newest company list on disk.
fn newest_ciks(folders: &Folders) -> Option<BTreeMap<String, String>> {
    let mut files = Vec::new();
    // Lists are recognised by their file names at the SEC. A folder that cannot be read counts as empty.
    walk(&folders.raw().join(Market::Us.word()), &mut |path, _| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let is_list = name.starts_with("company_tickers") && !name.contains("exchange");
        if is_list && path.extension().is_some_and(|ending| ending == "json") {
            files.push(path.to_owned());
        }
        Ok(())
    })
    .ok();
    let newest = files.into_iter().max_by_key(|path| path.file_name().map(std::ffi::OsStr::to_owned))?;
    let list: Value = serde_json::from_slice(&fs::read(newest).ok()?).ok()?;
    let companies = list.as_object()?.values().filter_map(|company| {
        let symbol = normalize_symbol(company.get("ticker")?.as_str()?);
        Some((symbol, format!("{:010}", company.get("cik_str")?.as_u64()?)))
    });
    // A company with several symbols has one entry for each.
    Some(companies.collect())
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
        let resolve = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            resolve_companies(CompanyId::Cik, &names, &folders).map_err(|error| error.to_string())
        };
        assert_eq!(resolve(&["77", "CIK0000000078"]).unwrap(), ["0000000077", "0000000078"]);
        assert!(resolve(&["ALFA"]).unwrap_err().contains("`ALFA` is not a CIK"));
        let list = r#"{"0":{"cik_str":77,"ticker":"ALFA","title":"Alfa"},"1":{"cik_str":78,"ticker":"BET-A","title":"Beta"}}"#;
        fs::write(us.join("company_tickers_20261121_200003.json"), list).unwrap();
        assert_eq!(resolve(&["alfa", "bet.a"]).unwrap(), ["0000000077", "0000000078"]);
        assert!(resolve_companies(CompanyId::Symbol, &["../x".to_owned()], &folders).is_err());
    }
}
