//! The text file of a whole EDGAR submission: a header, then each document between tags.
//!
//! The header has two spellings, `ACCESSION NUMBER:` in public files and `<ACCESSION-NUMBER>` in the feed. The file is not XML: tags
//! are not closed. Only the XML documents in it are read.

use std::io;

use crate::documents::xml::XmlNode;
use crate::last_line::truncated_file;

/// Beginnings of submissions, each with the end of a complete file.
const SUBMISSION_ENDS: [(&str, &str); 2] =
    [("<SEC-DOCUMENT>", "</SEC-DOCUMENT>"), ("<SUBMISSION>", "</SUBMISSION>")];

/// Fields of the header, as written; empty if missing. Dates are `YYYYMMDD`.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct SubmissionHeader<'a> {
    pub(super) accession: &'a str,
    pub(super) form: &'a str,
    pub(super) filed: &'a str,
    pub(super) period: &'a str,
    pub(super) cik: &'a str,
}

/// Returns the form of a submission; `None` if a text does not start as one.
pub(super) fn form_of(head: &str) -> Option<&str> {
    header_of(head).map(|header| header.form)
}

/// Returns the header of a submission; `None` if a text does not start as one.
pub(super) fn header_of(text: &str) -> Option<SubmissionHeader<'_>> {
    is_submission(text).then(|| SubmissionHeader::parse(text))
}

fn is_submission(text: &str) -> bool {
    ["<SEC-DOCUMENT>", "<SUBMISSION>", "<SEC-HEADER>", "-----BEGIN PRIVACY-ENHANCED MESSAGE"]
        .iter()
        .any(|start| text.starts_with(start))
}

impl<'a> SubmissionHeader<'a> {
    fn parse(text: &'a str) -> Self {
        let header = text.split("<DOCUMENT>").next().unwrap_or(text);
        let field = |names: [&str; 2]| {
            let value = names.iter().find_map(|name| header.get(header.find(name)? + name.len()..));
            let line = value.and_then(|rest| rest.split(['\n', '<']).next());
            line.unwrap_or_default().trim()
        };
        Self {
            accession: field(["ACCESSION NUMBER:", "<ACCESSION-NUMBER>"]),
            form: field(["CONFORMED SUBMISSION TYPE:", "<TYPE>"]),
            filed: field(["FILED AS OF DATE:", "<FILING-DATE>"]),
            period: field(["CONFORMED PERIOD OF REPORT:", "<PERIOD>"]),
            cik: field(["CENTRAL INDEX KEY:", "<CIK>"]),
        }
    }
}

/// Returns the header and the XML documents of a submission. A file that is one XML document has an empty header.
///
/// # Errors
/// XML that is not well-formed, or a truncated submission.
pub(super) fn documents(text: &str) -> io::Result<(SubmissionHeader<'_>, Vec<XmlNode>)> {
    if !is_submission(text.trim_start()) {
        return Ok((SubmissionHeader::default(), vec![XmlNode::parse(text)?]));
    }
    for (begin, end) in SUBMISSION_ENDS {
        if text.trim_start().starts_with(begin) && !text.trim_end().ends_with(end) {
            return Err(truncated_file(format!("the file is cut: {end} is not at its end")));
        }
    }
    let parts = text.split("<XML>").skip(1).filter_map(|part| part.split("</XML>").next());
    let mut documents: Vec<XmlNode> = Vec::new();
    for part in parts {
        let document = XmlNode::parse(part)?;
        // A file appended to itself has each document twice.
        if !documents.contains(&document) {
            documents.push(document);
        }
    }
    Ok((SubmissionHeader::parse(text), documents))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_headers_say_the_same() {
        let public = "<SEC-DOCUMENT>x.txt : 20260514\nACCESSION NUMBER:\t\t0009-26-1\nCONFORMED SUBMISSION TYPE:\t4\n\
                      CONFORMED PERIOD OF REPORT:\t20260512\nFILED AS OF DATE:\t20260514\n\tCENTRAL INDEX KEY:\t\t\t0000000009\n\
                      <DOCUMENT>\n<TYPE>4\n<TEXT>\n<XML>\n<?xml version=\"1.0\"?><a/>\n</XML>\n</TEXT></DOCUMENT></SEC-DOCUMENT>\n";
        let feed = "<SUBMISSION>\n<ACCESSION-NUMBER>0009-26-1<TYPE>4<PERIOD>20260512<FILING-DATE>20260514<FILER><CIK>0000000009<IRS>1\
                    <DOCUMENT><XML><a/></XML></SUBMISSION>";
        let expected = SubmissionHeader {
            accession: "0009-26-1",
            form: "4",
            filed: "20260514",
            period: "20260512",
            cik: "0000000009",
        };
        for text in [public, feed] {
            let (header, documents) = documents(text).unwrap();
            assert_eq!((header, documents.len()), (expected, 1));
            assert_eq!(form_of(text), Some("4"));
        }
        assert_eq!(form_of("<xbrl/>"), None);
        for text in [public, feed] {
            let cut = documents(text.trim_end().strip_suffix('>').unwrap()).unwrap_err().to_string();
            assert!(cut.contains("is not at its end"), "{cut}");
        }
        assert_eq!(documents("<a/>").unwrap().0, SubmissionHeader::default());
        assert_eq!(documents(&public.repeat(2)).unwrap().1.len(), 1);
    }
}
