//! A document of running text, such as a press release or a transcript: each paragraph is a row, with facts about the document.
//!
//! The file is plain text, an HTML page, a PDF, or a submission to the SEC, of which the filed form and its exhibits 99 are read.

use std::io;

use crate::documents::html_text::push_html;
use crate::documents::paragraphs::Paragraphs;
use crate::documents::pdf;
use crate::documents::put_rows::DocumentRows;
use crate::documents::stated_facts::SelfStatedFacts;
use crate::documents::submission_text::{SubmissionHeader, header_of};
use crate::unpack_bounds::refusal;

/// Columns of a row. The text states the facts under `SAID`, the header of a submission those under `FILED`.
pub(super) const COLUMNS: [&str; 9] = [
    "PARAGRAPH", "TEXT", "HASH", "TITLE SAID", "SYMBOL SAID", "KIND SAID", "DAY SAID", "PERIOD SAID",
    "DAY FILED",
];

/// Maximum bytes of a document; the largest annual reports with their exhibits have some 30 MB.
pub(super) const MOST_BYTES: u64 = 64 << 20;

/// Maximum number of characters of a title.
const MOST_TITLE_CHARACTERS: usize = 200;
/// Minimum number of words of a title.
const MIN_TITLE_WORDS: usize = 3;

/// Passes each paragraph of a text on as a row.
///
/// # Errors
/// The file is not text, or has no paragraph or too many.
pub(super) fn rows(text: &str, rows: &mut DocumentRows<'_>) -> io::Result<()> {
    if text.contains('\0') {
        return Err(refusal("it is no text"));
    }
    let mut paragraphs = Paragraphs::default();
    let header = header_of(text.trim_start());
    let title = match &header {
        Some(header) => push_submission(text, header, &mut paragraphs),
        None => push_text(text, &mut paragraphs),
    };
    push_rows(paragraphs, title, &header.unwrap_or_default(), rows)
}

/// Passes each paragraph of a PDF on as a row.
///
/// # Errors
/// As [`rows`]; and the errors of [`pdf::push_pdf`].
pub(super) fn pdf_rows(bytes: Vec<u8>, rows: &mut DocumentRows<'_>) -> io::Result<()> {
    let mut paragraphs = Paragraphs::default();
    pdf::push_pdf(bytes, &mut paragraphs)?;
    push_rows(paragraphs, None, &SubmissionHeader::default(), rows)
}

fn push_rows(
    paragraphs: Paragraphs,
    title: Option<String>,
    header: &SubmissionHeader<'_>,
    rows: &mut DocumentRows<'_>,
) -> io::Result<()> {
    let paragraphs = paragraphs.finish()?;
    if paragraphs.is_empty() {
        return Err(refusal(
            "it has no text: a page that was scanned is a picture, and pictures are not read",
        ));
    }
    let stated = SelfStatedFacts::read(&paragraphs);
    let day = |date: Option<chrono::NaiveDate>| date.map(|date| date.to_string()).unwrap_or_default();
    let form = header.form.trim_end_matches("/A");
    let period = if form.starts_with("10-") { header.period } else { "" };
    let document_cells = [
        hash(&paragraphs),
        title.filter(|title| is_title(title)).unwrap_or_else(|| first_title(&paragraphs)),
        stated.symbol.unwrap_or_default(),
        if form.is_empty() { stated.kind.unwrap_or_default().to_owned() } else { form.to_owned() },
        day(stated.day),
        if period.is_empty() { day(stated.period_end) } else { period.to_owned() },
        header.filed.to_owned(),
    ];
    for (number, paragraph) in (1_u64..).zip(&paragraphs) {
        let number = number.to_string();
        let cells: Vec<&str> = [number.as_str(), paragraph.as_str()]
            .into_iter()
            .chain(document_cells.iter().map(String::as_str))
            .collect();
        if !rows.push_row(&cells) {
            break;
        }
    }
    Ok(())
}

/// Appends a page or a plain text, and returns the title of a page.
fn push_text(text: &str, into: &mut Paragraphs) -> Option<String> {
    if text.trim_start().starts_with('<') {
        return push_html(text, into);
    }
    into.push_plain(text);
    None
}

/// Appends the filed form of a submission and its exhibits 99, and returns the title of the first page.
fn push_submission(text: &str, header: &SubmissionHeader<'_>, into: &mut Paragraphs) -> Option<String> {
    let mut title = None;
    for document in text.split("<DOCUMENT>").skip(1) {
        let kind = document.split("<TYPE>").nth(1).and_then(|rest| rest.split(['\n', '<']).next());
        let kind = kind.unwrap_or_default().trim();
        if kind != header.form && !kind.starts_with("EX-99") {
            continue;
        }
        let body = document.split_once("<TEXT>").map(|(_, body)| body);
        let body = body.and_then(|body| body.split("</TEXT>").next()).unwrap_or_default();
        let page_title = push_text(body, into);
        title = title.or(page_title);
    }
    title
}

/// Returns a hash over the paragraphs, in 16 hexadecimal digits.
fn hash(paragraphs: &[String]) -> String {
    let mut hasher = blake3::Hasher::new();
    for paragraph in paragraphs {
        hasher.update(paragraph.as_bytes()).update(b"\n");
    }
    hasher.finalize().to_hex().chars().take(16).collect()
}

fn is_title(text: &str) -> bool {
    text.split_whitespace().count() >= MIN_TITLE_WORDS
}

/// Returns the first paragraph that may be a title, cut to `MOST_TITLE_CHARACTERS`; empty if there is none.
fn first_title(paragraphs: &[String]) -> String {
    let title = paragraphs.iter().find(|paragraph| is_title(paragraph));
    title.map(|title| title.chars().take(MOST_TITLE_CHARACTERS).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::document::RawDocument;

    /// Returns the rows of a document, their cells joined by bars.
    fn read(text: &str) -> io::Result<Vec<String>> {
        let mut rows = Vec::new();
        RawDocument::FiledText.records(&mut text.as_bytes(), &mut |record| {
            let cells = record.cells().iter().map(|cell| String::from_utf8_lossy(cell).into_owned());
            rows.push(cells.collect::<Vec<_>>().join("|"));
            true
        })?;
        Ok(rows)
    }

    #[test]
    fn a_submission_is_its_form_and_its_exhibits_99() {
        let text = "<SEC-DOCUMENT>x.txt\nCONFORMED SUBMISSION TYPE:\t8-K\nCONFORMED PERIOD OF REPORT:\t20260803\n\
                    FILED AS OF DATE:\t20260805\n<DOCUMENT>\n<TYPE>8-K\n<TEXT>\n<html><body><p>Item 1.01 Entry into an agreement.</p>\
                    </body></html>\n</TEXT>\n</DOCUMENT>\n<DOCUMENT>\n<TYPE>EX-99.1\n<TEXT>\nAlfa wins an order\n</TEXT>\n</DOCUMENT>\n\
                    <DOCUMENT>\n<TYPE>GRAPHIC\n<TEXT>\nbegin 644 a.jpg\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n";
        let rows = read(text).unwrap();
        let plain: Vec<String> = rows
            .iter()
            .map(|row| {
                row.split('|')
                    .enumerate()
                    .filter(|(at, _)| *at != 2)
                    .map(|(_, cell)| cell)
                    .collect::<Vec<_>>()
                    .join("|")
            })
            .collect();
        assert_eq!(
            plain,
            [
                "1|Item 1.01 Entry into an agreement.|Item 1.01 Entry into an agreement.||8-K|||20260805",
                "2|Alfa wins an order|Item 1.01 Entry into an agreement.||8-K|||20260805",
            ]
        );
        let hash = |rows: &[String]| rows[0].split('|').nth(2).unwrap().to_owned();
        assert_eq!(hash(&rows).len(), 16);
        assert_ne!(hash(&rows), hash(&read("Another text of words").unwrap()));
    }

    #[test]
    fn what_is_no_text_is_refused_in_words() {
        for (text, stated) in [
            ("%PDF-1.7 x", "a damaged PDF"),
            ("a\0b", "it is no text"),
            (" \n", "it has no text"),
            ("<html><script>x</script></html>", "it has no text"),
        ] {
            assert!(read(text).unwrap_err().to_string().contains(stated), "{text}");
        }
    }
}
