//! Accession numbers, EDGAR's ids of submissions: `0001067983-26-000012`, or the same without dashes.

/// Parses an accession number with or without dashes, and returns it with dashes.
pub fn in_cell(cell: &str) -> Option<String> {
    let digits: String = cell.chars().filter(|c| *c != '-').collect();
    let is_accession = digits.len() == 18 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let (filer, rest) = digits.split_at_checked(10).filter(|_| is_accession)?;
    let (year, number) = rest.split_at_checked(2)?;
    Some(format!("{filer}-{year}-{number}"))
}

/// Returns the accession number nearest to the file in its path: in its name, otherwise in a folder's.
pub fn in_path(path: &str) -> Option<String> {
    path.split(['/', '\\', '!']).rev().find_map(|part| {
        let is_number = |c: char| c.is_ascii_digit() || c == '-';
        part.split(|c| !is_number(c)).find_map(in_cell)
    })
}

/// Parses an accession number with dashes, and returns its 18 digits as a number.
pub fn digits(cell: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(cell).ok()?;
    let digits: String = text.split('-').collect();
    (text.len() == 20 && digits.len() == 18).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accession_numbers_are_found_in_names_and_folders() {
        let number = Some("0001067983-26-000012".to_owned());
        assert_eq!(in_cell("0001067983-26-000012"), number);
        assert_eq!(in_cell("000106798326000012"), number);
        assert_eq!(in_path("edgar/data/7/0001067983-26-000012.txt"), number);
        assert_eq!(in_path("f4/000106798326000012/form4.xml"), number);
        for text in ["", "0001067983-26", "form4.xml", "13F.20231114.txt"] {
            assert_eq!(in_path(text), None, "{text}");
        }
    }

    #[test]
    fn accession_numbers_have_eighteen_digits() {
        assert_eq!(digits(b"0001193125-09-170393"), Some(119_312_509_170_393));
        for text in ["us-gaap/2009", "0001193125-09-17039", "", "000119312509170393"] {
            assert_eq!(digits(text.as_bytes()), None, "{text}");
        }
    }
}
