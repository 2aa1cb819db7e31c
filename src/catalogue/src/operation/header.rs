//! The comment header of a query file: prose, then one fact per line, then SQL.
//!
//! Operation and table files share this grammar and define their own keys. Every fact has its line number, so that errors are reported at
//! `file:line`.

/// An error in a query file, with its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct DeclarationError {
    /// Path below `queries/`.
    pub file: String,
    /// Line in the file, from 1.
    pub line: usize,
    /// The fault, and the allowed values.
    pub message: String,
}

/// One `key: value` line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HeaderFact {
    pub line: usize,
    pub key: String,
    pub value: String,
}

impl HeaderFact {
    /// Returns true for a condition of a SELECT, with or without a label before `when`.
    pub(super) fn is_when(&self) -> bool {
        self.key == "when" || self.key.ends_with("-when")
    }
}

/// A block of SQL with the facts directly above it. The facts of the first block are the header of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub facts: Vec<HeaderFact>,
    pub sql: String,
    /// First line of the SQL in the file, from 1.
    pub line: usize,
}

/// A query file, split into its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QueryFile {
    pub file: String,
    /// The first line of prose, without its full stop.
    pub title: String,
    /// The rest of the prose; an empty line separates paragraphs.
    pub prose: String,
    /// Blocks of SQL, at least one. The SQL of a single block may be empty. Conditions without SQL between them share the SQL below them.
    pub blocks: Vec<Block>,
}

impl QueryFile {
    /// Splits a file into its parts.
    ///
    /// # Errors
    /// The title is missing, or a header line after the first fact is not a fact.
    pub(super) fn parse(file: &str, text: &str) -> Result<Self, DeclarationError> {
        let error = |line, message: &str| DeclarationError {
            file: file.to_owned(),
            line,
            message: message.to_owned(),
        };
        let mut reader = HeaderReader::default();
        for (index, line) in text.lines().enumerate() {
            reader.read_line(index + 1, line).map_err(|message| error(index + 1, message))?;
        }
        let (prose, blocks) = reader.finish();
        let (title, rest) = split_title(&prose);
        if title.is_empty() {
            return Err(error(1, "a query file starts with a comment that says in one line what it is"));
        }
        Ok(Self { file: file.to_owned(), title, prose: rest, blocks })
    }

    pub(super) fn error(&self, line: usize, message: impl Into<String>) -> DeclarationError {
        DeclarationError { file: self.file.clone(), line, message: message.into() }
    }
}

/// The part of the file that the parser is in.
#[derive(Default, PartialEq, Eq, Clone, Copy)]
enum HeaderSection {
    #[default]
    Prose,
    Facts,
    Sql,
}

#[derive(Default)]
struct HeaderReader {
    section: HeaderSection,
    prose: Vec<String>,
    blocks: Vec<Block>,
    facts: Vec<HeaderFact>,
    sql: String,
    sql_line: usize,
}

impl HeaderReader {
    fn read_line(&mut self, number: usize, line: &str) -> Result<(), &'static str> {
        let comment = line.trim_start().strip_prefix("--").map(str::trim);
        match (self.section, comment) {
            (HeaderSection::Prose | HeaderSection::Facts, None) if line.trim().is_empty() => Ok(()),
            (HeaderSection::Prose, Some(comment)) if parse_fact(number, comment).is_none() => {
                self.prose.push(comment.to_owned());
                Ok(())
            }
            (HeaderSection::Facts, Some("")) => Ok(()),
            (HeaderSection::Prose | HeaderSection::Facts, Some(comment)) => {
                let fact = parse_fact(number, comment).ok_or(
                    "after the first fact each comment line is a fact, `key: value`; prose comes before it",
                )?;
                if fact.is_when() && self.facts.iter().any(HeaderFact::is_when) {
                    self.close_block();
                }
                self.section = HeaderSection::Facts;
                self.facts.push(fact);
                Ok(())
            }
            (HeaderSection::Sql, Some(comment))
                if parse_fact(number, comment).is_some_and(|fact| fact.is_when()) =>
            {
                self.close_block();
                self.section = HeaderSection::Facts;
                self.facts.extend(parse_fact(number, comment));
                Ok(())
            }
            (_, _) => {
                if self.section != HeaderSection::Sql {
                    self.section = HeaderSection::Sql;
                    self.sql_line = number;
                }
                self.sql.push_str(line);
                self.sql.push('\n');
                Ok(())
            }
        }
    }

    fn close_block(&mut self) {
        let sql = std::mem::take(&mut self.sql);
        let sql = sql.trim().trim_end_matches(';').trim_end().to_owned();
        self.blocks.push(Block { facts: std::mem::take(&mut self.facts), sql, line: self.sql_line });
    }

    fn finish(mut self) -> (Vec<String>, Vec<Block>) {
        self.close_block();
        let mut below: Option<(String, usize)> = None;
        for block in self.blocks.iter_mut().rev() {
            match below {
                Some((sql, line)) if block.sql.is_empty() => (block.sql, block.line) = (sql, line),
                _ => {}
            }
            below = Some((block.sql.clone(), block.line));
        }
        (self.prose, self.blocks)
    }
}

/// Parses `key: value`, where the key is lower-case words joined by hyphens.
fn parse_fact(line: usize, comment: &str) -> Option<HeaderFact> {
    let (key, value) = comment.split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    (is_key && (value.is_empty() || value.starts_with(' '))).then(|| HeaderFact {
        line,
        key: key.to_owned(),
        value: value.trim().to_owned(),
    })
}

fn split_title(prose: &[String]) -> (String, String) {
    let mut lines = prose.iter().skip_while(|line| line.is_empty());
    let title = lines.next().map(|line| line.trim_end_matches('.').to_owned()).unwrap_or_default();
    let mut rest = String::new();
    for line in lines {
        match (line.is_empty(), rest.is_empty() || rest.ends_with("\n\n")) {
            (true, true) => {}
            (true, false) => rest.push_str("\n\n"),
            (false, true) => rest.push_str(line),
            (false, false) => {
                rest.push(' ');
                rest.push_str(line);
            }
        }
    }
    (title, rest.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_facts_and_blocks_come_apart() {
        let text = "-- Title here.\n--\n-- Some prose\n-- goes on.\n--\n-- tool:  get_it\n-- tier: free\n\n-- when: symbol absent\nSELECT 1;\n-- a comment\n\n-- when: symbol present\nSELECT 2\n";
        let source = QueryFile::parse("api/x.sql", text).unwrap();
        assert_eq!(source.title, "Title here");
        assert_eq!(source.prose, "Some prose goes on.");
        assert_eq!(source.blocks.len(), 2);
        assert_eq!(source.blocks[0].facts.len(), 3);
        assert_eq!(
            source.blocks[0].facts[0],
            HeaderFact { line: 6, key: "tool".into(), value: "get_it".into() }
        );
        assert_eq!(source.blocks[0].sql, "SELECT 1;\n-- a comment");
        assert_eq!(source.blocks[1].sql, "SELECT 2");
        assert_eq!(source.blocks[1].line, 14);
    }

    #[test]
    fn prose_after_a_fact_is_refused_at_its_line() {
        let error = QueryFile::parse("api/x.sql", "-- T\n-- tool: x\n-- stray words\nSELECT 1").unwrap_err();
        assert_eq!((error.line, error.to_string().contains("api/x.sql:3")), (3, true));
    }

    #[test]
    fn a_file_without_a_title_is_refused() {
        assert!(QueryFile::parse("api/x.sql", "SELECT 1").is_err());
    }
}
