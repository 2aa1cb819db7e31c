//! Columns in the folders of a file's path: `symbol=ALFA/year=2025/part-0.parquet`, as Hive and Spark write them.

use parquote_encodings::text::cells::HeaderLine;

/// Folder value for a missing value.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// Returns the columns that are in the folders and not in the header, each with its value.
pub(super) fn columns(path: &str, header: &HeaderLine) -> Vec<(String, String)> {
    let (folders, _) = path.rsplit_once('/').unwrap_or_default();
    let pairs = folders.split('/').filter_map(|folder| folder.split_once('='));
    let mut columns: Vec<(String, String)> =
        pairs.map(|(name, value)| (name.to_uppercase(), value.replace(NULL, ""))).collect();
    let part = |name: &str| columns.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    if let (Some(year), Some(month), Some(day)) = (part("YEAR"), part("MONTH"), part("DAY")) {
        columns.push(("DATE".to_owned(), format!("{year}-{month:0>2}-{day:0>2}")));
    }
    columns.retain(|(name, _)| header.column(&[name]).is_none());
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_say_what_the_header_lacks() {
        let header = HeaderLine::new(&csv::ByteRecord::from(vec!["close", "year"]));
        let named = |path: &str| {
            let columns = columns(path, &header);
            columns.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(named("prices/symbol=ALFA/year=2026/part-0.parquet"), "SYMBOL=ALFA");
        assert_eq!(named("year=2026/month=5/day=04/p.csv"), "MONTH=5 DAY=04 DATE=2026-05-04");
        assert_eq!(named("symbol=__HIVE_DEFAULT_PARTITION__/p.csv"), "SYMBOL=");
        assert_eq!((named("prices/2026/p.csv"), named("a=b.csv")), (String::new(), String::new()));
    }
}
