//! Read faults: files that are damaged or cut, or cannot be opened. A run fails on them, unless it is allowed to go on.
//!
//! What a file lacks then would look like a day without trading, or a company without a filing, and nobody would notice. A
//! file that is whole is no read fault: one of another format, without a byte, without the columns of the table that it is named
//! after, of JSON with other values than its format has, or over a bound. The report names such files, and the run goes on.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use super::RawError;
use super::bounds::is_refusal;
use super::files::Source;
use super::last_line::LastLine;
use crate::derive::report::{Report, Unreadable};

/// Files that are named in one message.
const NAMED: usize = 20;

/// A price file whose last line is open is taken for cut where so many files of its format, for each one such, are not. Of the
/// 1,394 real price files at hand only the two that are cut have such a line.
const ENDED_FOR_EACH: u64 = 20;

/// How the JSON reader says that values lie in values more than 128 deep.
const TOO_DEEP: &str = "recursion limit exceeded";

/// How a file ends: known with its last piece.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Nothing is wrong with it, as far as it is read.
    #[default]
    Whole,
    /// Its last line has all cells, but no end.
    Open,
    /// It cannot be read from some place on.
    Fault(Unreadable),
}

/// The read faults of a run.
#[derive(Debug, Default)]
pub(crate) struct ReadFaults {
    found: Vec<Unreadable>,
    /// By format, in words: price files whose last line is open.
    open: BTreeMap<&'static str, Vec<String>>,
}

impl Ending {
    /// How a file ends by what became of reading it.
    pub(crate) fn of(file: &str, outcome: io::Result<LastLine>) -> Self {
        match outcome {
            Ok(LastLine::Ended) => Self::Whole,
            Ok(LastLine::Open) => Self::Open,
            Err(error) => Self::Fault(unreadable(file.to_owned(), &error)),
        }
    }
}

impl ReadFaults {
    pub(crate) fn add(&mut self, source: &Source, ending: &Ending) {
        match ending {
            Ending::Open if source.format.has_bars() => {
                self.open.entry(source.format.words()).or_default().push(source.name.clone());
            }
            Ending::Whole | Ending::Open => {}
            Ending::Fault(file) => self.found.push(file.clone()),
        }
    }

    /// Ends the run where there is a fault and none is allowed; otherwise the report names the files.
    pub(crate) fn settle(mut self, report: &mut Report, allowed: bool) -> Result<(), RawError> {
        for (format, open) in std::mem::take(&mut self.open) {
            let all = report.formats.get(format).map_or(0, |tally| tally.files);
            let ended = all - open.len() as u64;
            if ended >= ENDED_FOR_EACH * open.len() as u64 {
                let why = format!(
                    "its last line has no end, as if it were cut; {ended} other files of its format ({format}) have one"
                );
                self.found.extend(open.into_iter().map(|file| Unreadable {
                    file,
                    why: why.clone(),
                    is_fault: true,
                }));
            }
        }
        report.unreadable.append(&mut self.found);
        report.unreadable.sort_by(|a, b| (!a.is_fault, &a.file).cmp(&(!b.is_fault, &b.file)));
        let faults: Vec<Unreadable> =
            report.unreadable.iter().filter(|file| file.is_fault).cloned().collect();
        if faults.is_empty() {
            return Ok(());
        }
        if !allowed {
            return Err(RawError::ReadFaults { files: faults });
        }
        let named: Vec<&str> = faults.iter().take(NAMED).map(|fault| fault.file.as_str()).collect();
        let more = if faults.len() > NAMED { ", ..." } else { "" };
        report.exceptions.push(format!(
            "{} files are damaged or cut, and were used as far as they can be read, as --allow-unreadable says: {}{more}",
            faults.len(),
            named.join(", ")
        ));
        Ok(())
    }
}

/// A file by the error that ended its reading.
pub(crate) fn unreadable(file: String, error: &io::Error) -> Unreadable {
    // Such JSON has been read to its end, or to a value of another kind than the format has there.
    let json = error.get_ref().and_then(|inner| inner.downcast_ref::<serde_json::Error>());
    let is_of_another_shape = json.is_some_and(serde_json::Error::is_data);
    let is_too_deep = json.is_some_and(|json| json.to_string().starts_with(TOO_DEEP));
    let is_fault = !(is_of_another_shape || is_too_deep || is_refusal(error));
    Unreadable { file, why: error.to_string(), is_fault }
}

/// The message on files that cannot be read whole.
pub(crate) fn listed(files: &[Unreadable]) -> String {
    let mut text = format!("{} of the raw files cannot be read whole:\n", files.len());
    for Unreadable { file, why, .. } in files.iter().take(NAMED) {
        // Writing to memory does not fail.
        writeln!(text, "  {file}: {why}").ok();
    }
    if let Some(more) = files.len().checked_sub(NAMED).filter(|more| *more > 0) {
        writeln!(text, "  and {more} more").ok();
    }
    text.push_str(
        "nothing is published; fetch the files again, or take them away. Where a file is whole and only lacks the end of its \
         last line, add one. --allow-unreadable uses what can be read of such files and names them in the report",
    );
    text
}
