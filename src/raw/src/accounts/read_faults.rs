//! Read faults: files that are damaged, truncated or cannot be opened. A run fails on them unless `--allow-unreadable` is set.
//!
//! Missing rows would pass unnoticed as a day without trading or a company without a filing. An intact file is no read fault: a file of
//! another format, an empty file, a file without the columns of its table, JSON with values that its format does not have, or a file over a
//! size limit. The report names such files, and the run goes on.

use std::collections::BTreeMap;

use crate::accounts::ending::FileEnding;
use crate::error::{MOST_NAMED, RawError};
use crate::files::source::RawSource;
use crate::records::raw_format::Layout;
use crate::report::{Report, UnreadableFile};
use parquote_catalogue::digits::counted;

/// A price file without a last line end counts as truncated if its format has at least 20 files with one for each file without one. Of
/// 1,394 real price files, only the two truncated ones had none.
const FEWEST_ENDED_FILES: u64 = 20;

/// The read faults of a run.
#[derive(Debug, Default)]
pub(crate) struct ReadFaults {
    faults: Vec<UnreadableFile>,
    /// Price files whose last line has no end, by the label of their format.
    open: BTreeMap<&'static str, Vec<String>>,
}

impl ReadFaults {
    pub(crate) fn add(&mut self, source: &RawSource, ending: &FileEnding) {
        match ending {
            FileEnding::Open if matches!(source.layout, Layout::Prices(_)) => {
                self.open.entry(source.label()).or_default().push(source.name.clone());
            }
            FileEnding::Whole | FileEnding::Open => {}
            FileEnding::Fault(file) => self.faults.push(file.clone()),
        }
    }

    /// Fails if there is a fault and none is allowed; otherwise the report names the files.
    pub(crate) fn settle(mut self, report: &mut Report, allowed: bool) -> Result<(), RawError> {
        for (format, open) in std::mem::take(&mut self.open) {
            let all = report.formats.get(format).map_or(0, |tally| tally.files);
            let ended = all - open.len() as u64;
            if ended >= FEWEST_ENDED_FILES * open.len() as u64 {
                let why = format!(
                    "its last line has no end, as if it were cut; {ended} other files of its format ({format}) have one"
                );
                self.faults.extend(open.into_iter().map(|file| UnreadableFile {
                    file,
                    why: why.clone(),
                    is_fault: true,
                }));
            }
        }
        report.unreadable.append(&mut self.faults);
        report.unreadable.sort_by(|a, b| (!a.is_fault, &a.file).cmp(&(!b.is_fault, &b.file)));
        let faults: Vec<UnreadableFile> =
            report.unreadable.iter().filter(|file| file.is_fault).cloned().collect();
        if faults.is_empty() {
            return Ok(());
        }
        if !allowed {
            return Err(RawError::ReadFaults { files: faults });
        }
        let named: Vec<&str> = faults.iter().take(MOST_NAMED).map(|fault| fault.file.as_str()).collect();
        let more = if faults.len() > MOST_NAMED { ", ..." } else { "" };
        report.exceptions.push(format!(
            "{} damaged or cut, and used as far as readable, as --allow-unreadable says: {}{more}",
            counted(faults.len(), "file is", "files are"),
            named.join(", ")
        ));
        Ok(())
    }
}
