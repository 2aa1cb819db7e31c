//! TOML parsing of providers, presets, sources, raw formats and words, with line numbers of errors.

use chrono::NaiveDate;
use serde::de::DeserializeOwned;

use super::header::DeclarationError;

/// Parses a declaration.
///
/// # Errors
/// Line, from 1, and message of the first error; for an unknown word also the nearest known word.
pub fn read_toml<T: DeserializeOwned>(text: &str) -> Result<T, (usize, String)> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        let mut message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
        let mut words = error.message().split('`').skip(1).step_by(2);
        if message.starts_with("unknown ")
            && let Some(near) = words.next().and_then(|word| super::likeness::nearest(word, words))
        {
            message = format!("{message}; did you mean `{near}`?");
        }
        (line, message)
    })
}

/// Reads declarations from files, each as (path below `queries/`, text). `read` returns the declaration in a file, or the line and message
/// of its first error.
///
/// # Errors
/// The first error of each faulty file.
pub fn read_declarations<'a, T>(
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
    read: impl Fn(&str, &str) -> Result<T, (usize, String)>,
) -> Result<Vec<T>, Vec<DeclarationError>> {
    let (mut declared, mut errors) = (Vec::new(), Vec::new());
    for (file, text) in files {
        match read(file, text) {
            Ok(declaration) => declared.push(declaration),
            Err((line, message)) => errors.push(DeclarationError { file: file.to_owned(), line, message }),
        }
    }
    if errors.is_empty() { Ok(declared) } else { Err(errors) }
}

/// Returns the day of a date without a time; `None` for other values.
pub fn toml_date(date: toml::value::Datetime) -> Option<NaiveDate> {
    let date = date.date.filter(|_| date.time.is_none())?;
    NaiveDate::from_ymd_opt(i32::from(date.year), u32::from(date.month), u32::from(date.day))
}

/// Returns the line of the byte at an offset of a text, from 1.
pub fn line_of(text: &str, byte: usize) -> usize {
    text.get(..byte).unwrap_or(text).matches('\n').count() + 1
}
