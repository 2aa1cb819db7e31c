//! The text of a PDF: the lines of its pages, joined to paragraphs. Scanned pages have no text.
//!
//! Every file is limited in its bytes before and after unpacking, and in its pages, operators and nested forms.

mod streams;
mod glyph_names;
mod font;
mod lines;
mod page_text;

use std::io;

use hayro_syntax::{LoadPdfError, Pdf};

use self::lines::push_pages;
use self::page_text::TextReader;
use self::streams::check_unpacked;
use crate::documents::paragraphs::Paragraphs;
use crate::unpack_bounds::refusal;

/// Maximum bytes of a file.
const MOST_BYTES: usize = 48 << 20;
/// Maximum number of pages.
const MOST_PAGES: usize = 3_000;
/// First bytes in which the header of a PDF is searched; servers and mail programs may put lines before it.
const HEAD_BYTES: usize = 1024;

/// Returns true if a file is a PDF, by its first bytes.
pub(super) fn detect(bytes: &[u8]) -> bool {
    header_position(bytes).is_some()
}

/// Returns the position of the header line `%PDF-`; `None` if the file has none.
fn header_position(bytes: &[u8]) -> Option<usize> {
    const KEYWORD: &[u8] = b"%PDF-";
    let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
    let at = head.windows(KEYWORD.len()).position(|word| word == KEYWORD)?;
    let before = at.checked_sub(1).and_then(|before| head.get(before));
    before.is_none_or(|byte| matches!(byte, b'\r' | b'\n')).then_some(at)
}

/// Appends the text of a PDF.
///
/// # Errors
/// The file is damaged, has a password or no readable text, or exceeds a bound.
pub(super) fn push_pdf(mut bytes: Vec<u8>, into: &mut Paragraphs) -> io::Result<()> {
    let bytes = bytes.split_off(header_position(&bytes).unwrap_or_default());
    if bytes.len() > MOST_BYTES {
        let most = MOST_BYTES >> 20;
        return Err(refusal(format!("it is a PDF longer than {most} MiB: save its text as .txt")));
    }
    check_unpacked(&bytes)?;
    let pdf = Pdf::new(bytes).map_err(|error| {
        refusal(match error {
            LoadPdfError::Decryption(_) => "it is a PDF with a password: save it without one",
            LoadPdfError::Invalid => "it is a damaged PDF: save it again, or its text as .txt",
        })
    })?;
    let pages = pdf.pages();
    if pages.len() > MOST_PAGES {
        return Err(refusal(format!(
            "it is a PDF of more than {MOST_PAGES} pages: save the parts that matter"
        )));
    }
    let mut reader = TextReader::default();
    let mut page_lines = Vec::new();
    for page in pages.iter() {
        page_lines.push(reader.lines(page)?);
    }
    if reader.has_unread_letters() {
        return Err(refusal(
            "it is a PDF whose fonts do not say which letters they show: save its text as .txt",
        ));
    }
    push_pages(&page_lines, into);
    Ok(())
}

#[cfg(test)]
mod tests;
