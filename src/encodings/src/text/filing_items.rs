//! Title of a filing, in words: the items of an 8-K, the period of a report, otherwise the SEC's description of the document.
//!
//! The items are those of Form 8-K since 2004, with the later 1.05, 5.08 and 6.06.

use chrono::NaiveDate;

/// Items of Form 8-K.
const ITEMS: [(&str, &str); 34] = [
    ("1.01", "Entry into a Material Definitive Agreement"),
    ("1.02", "Termination of a Material Definitive Agreement"),
    ("1.03", "Bankruptcy or Receivership"),
    ("1.04", "Mine Safety"),
    ("1.05", "Material Cybersecurity Incidents"),
    ("2.01", "Completion of Acquisition or Disposition of Assets"),
    ("2.02", "Results of Operations and Financial Condition"),
    ("2.03", "Creation of a Direct Financial Obligation"),
    ("2.04", "Triggering Events That Accelerate or Increase a Financial Obligation"),
    ("2.05", "Costs Associated with Exit or Disposal Activities"),
    ("2.06", "Material Impairments"),
    ("3.01", "Notice of Delisting or Failure to Satisfy a Listing Rule"),
    ("3.02", "Unregistered Sales of Equity Securities"),
    ("3.03", "Material Modification to Rights of Security Holders"),
    ("4.01", "Changes in Registrant's Certifying Accountant"),
    ("4.02", "Non-Reliance on Previously Issued Financial Statements"),
    ("5.01", "Changes in Control of Registrant"),
    ("5.02", "Departure or Election of Directors or Certain Officers; Compensatory Arrangements"),
    ("5.03", "Amendments to Articles of Incorporation or Bylaws; Change in Fiscal Year"),
    ("5.04", "Temporary Suspension of Trading Under Employee Benefit Plans"),
    ("5.05", "Amendment to the Code of Ethics, or Waiver of a Provision"),
    ("5.06", "Change in Shell Company Status"),
    ("5.07", "Submission of Matters to a Vote of Security Holders"),
    ("5.08", "Shareholder Director Nominations"),
    ("6.01", "ABS Informational and Computational Material"),
    ("6.02", "Change of Servicer or Trustee"),
    ("6.03", "Change in Credit Enhancement or Other External Support"),
    ("6.04", "Failure to Make a Required Distribution"),
    ("6.05", "Securities Act Updating Disclosure"),
    ("6.06", "Static Pool"),
    ("7.01", "Regulation FD Disclosure"),
    ("8.01", "Other Events"),
    ("9.01", "Financial Statements and Exhibits"),
    ("9.02", "Financial Statements and Exhibits"),
];

/// Returns the title of a filing.
pub fn title(
    form: &str,
    items: Option<&str>,
    report_date: Option<NaiveDate>,
    description: Option<&str>,
) -> String {
    let base = form.trim_end_matches("/A");
    let amended = if base == form { "" } else { ", amended" };
    let report = |words: &str| {
        let period = report_date.map(|date| format!(" for the period ended {date}")).unwrap_or_default();
        format!("{words}{period}{amended}")
    };
    match base {
        "8-K" => {
            items.map(words).filter(|words| !words.is_empty()).unwrap_or_else(|| report("Current report"))
        }
        "10-K" | "10-KT" => report("Annual report"),
        "10-Q" | "10-QT" => report("Quarterly report"),
        "20-F" | "40-F" => report("Annual report of a foreign issuer"),
        "6-K" => report("Report of a foreign issuer"),
        "3" => format!("Initial statement of an insider's holdings{amended}"),
        "4" => format!("Statement of changes in an insider's holdings{amended}"),
        "5" => format!("Annual statement of changes in an insider's holdings{amended}"),
        _ => description.filter(|text| *text != form).map_or_else(|| format!("Form {form}"), str::to_owned),
    }
}

/// Names the items; exhibits only if there is nothing else, and an unknown number is left as it is.
fn words(items: &str) -> String {
    let numbers: Vec<&str> = items.split(',').map(str::trim).filter(|item| !item.is_empty()).collect();
    let others: Vec<&str> = numbers.iter().copied().filter(|item| !item.starts_with("9.")).collect();
    let shown = if others.is_empty() { numbers } else { others };
    let word = |item: &str| ITEMS.iter().find(|(number, _)| *number == item).map(|(_, words)| *words);
    shown.iter().map(|item| word(item).unwrap_or(item)).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_says_what_is_filed() {
        let day = NaiveDate::from_ymd_opt(2026, 9, 30);
        assert_eq!(
            title("8-K", Some("2.02,9.01"), day, None),
            "Results of Operations and Financial Condition"
        );
        assert_eq!(title("8-K", Some("9.01"), day, None), "Financial Statements and Exhibits");
        assert_eq!(title("8-K", Some("7.01,99.9"), None, None), "Regulation FD Disclosure; 99.9");
        assert_eq!(
            title("10-Q/A", None, day, Some("10-Q/A")),
            "Quarterly report for the period ended 2026-09-30, amended"
        );
        assert_eq!(title("SC 13G", None, None, Some("SC 13G")), "Form SC 13G");
        assert_eq!(title("DEF 14A", None, None, Some("Proxy statement")), "Proxy statement");
    }
}
