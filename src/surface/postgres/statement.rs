//! What a text of a client is: a SELECT of tables, a question to the catalogue, or one of the commands that clients send to any server.

use super::failure::SqlFailure;

/// One statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ClientStatement {
    /// Nothing.
    Empty,
    /// A SELECT of tables.
    Select(String),
    /// A SELECT of the catalogue, or of nothing.
    Catalogue(String),
    /// The rows of a SELECT, copied.
    Copy(Box<ClientStatement>, CopyForm),
    /// The value of a setting.
    Show(String),
    /// The start of a transaction, in which nothing is different.
    Begin,
    /// Its end, with its tag.
    End(&'static str),
    /// A command that needs nothing here, with its tag.
    Nothing(&'static str),
    /// As the last, and all prepared statements are forgotten.
    Forget(&'static str),
}

/// How rows are copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CopyForm {
    Text,
    Csv,
    Binary,
}

/// Functions without tables that the catalogue answers, beside those that begin with `pg_`.
const SESSION: [&str; 14] = [
    "current_catalog",
    "current_database",
    "current_role",
    "current_schema",
    "current_schemas",
    "current_setting",
    "current_user",
    "has_database_privilege",
    "has_schema_privilege",
    "has_table_privilege",
    "session_user",
    "set_config",
    "user",
    "version",
];

/// A piece of a text, in which nothing of quotes and comments is left.
#[derive(Debug, PartialEq, Eq)]
enum SqlPiece<'a> {
    Word(&'a str),
    Sign(char),
    Quoted,
}

impl ClientStatement {
    /// What it is, in one word.
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Self::Select(_) => "select",
            Self::Catalogue(_) => "catalogue",
            Self::Copy(..) => "copy",
            Self::Show(_) => "show",
            Self::Empty | Self::Begin | Self::End(_) | Self::Nothing(_) | Self::Forget(_) => "command",
        }
    }

    /// Reads a text that is one statement.
    ///
    /// # Errors
    /// What would change something, and what is no statement of this server.
    pub(super) fn read(text: &str) -> Result<Self, SqlFailure> {
        let (text, pieces) = match split(text).as_slice() {
            [] => return Ok(Self::Empty),
            [one] => (*one, pieces(one)),
            _ => {
                return Err(SqlFailure::new(
                    "42601",
                    "one statement at a time is prepared; send the others apart",
                ));
            }
        };
        let words = words(&pieces);
        let word = |at: usize| words.get(at).map_or("", String::as_str);
        Ok(match word(0) {
            "select" | "with" | "values" | "table" => Self::of_select(text, &pieces, &words),
            "" if text.starts_with('(') => Self::of_select(text, &pieces, &words),
            "show" => Self::Show(words.get(1..).unwrap_or_default().join(" ")),
            "begin" | "start" => Self::Begin,
            "commit" | "end" => Self::End("COMMIT"),
            "rollback" | "abort" if word(1) != "to" => Self::End("ROLLBACK"),
            "rollback" => Self::Nothing("ROLLBACK"),
            "savepoint" => Self::Nothing("SAVEPOINT"),
            "release" => Self::Nothing("RELEASE"),
            "set" => Self::Nothing("SET"),
            "reset" => Self::Nothing("RESET"),
            "unlisten" => Self::Nothing("UNLISTEN"),
            "discard" => Self::Forget("DISCARD ALL"),
            "deallocate" => Self::Forget("DEALLOCATE"),
            "copy" => return copy(text, &pieces),
            "declare" | "fetch" | "move" | "close" | "prepare" | "execute" | "explain" | "listen"
            | "notify" | "lock" | "call" | "do" => {
                let message = format!(
                    "{} is not there; the guide `sql` says what this server answers",
                    word(0).to_uppercase()
                );
                return Err(SqlFailure::new("0A000", message));
            }
            "insert" | "update" | "delete" | "merge" | "create" | "drop" | "alter" | "truncate" | "grant"
            | "revoke" | "comment" | "vacuum" | "analyze" | "refresh" | "reindex" | "cluster" | "import"
            | "security" => {
                let message = format!(
                    "{} would change something: tables are read here and never changed",
                    word(0).to_uppercase()
                );
                return Err(SqlFailure::new("25006", message));
            }
            other => {
                let other: String = other.chars().take(40).collect();
                let message = format!(
                    "`{other}` begins no statement of this server, which answers SELECT; the guide `sql` says how"
                );
                return Err(SqlFailure::new("42601", message));
            }
        })
    }

    fn of_select(text: &str, pieces: &[(usize, SqlPiece<'_>)], words: &[String]) -> Self {
        let text = text.to_owned();
        let names_catalogue =
            words.iter().any(|word| word.starts_with("pg_") || word == "information_schema");
        let is_session = |word: &String| SESSION.contains(&word.as_str());
        let calls = pieces.windows(2).filter_map(|pair| match pair {
            [(_, SqlPiece::Word(word)), (_, SqlPiece::Sign('('))] => Some(word.to_lowercase()),
            _ => None,
        });
        let has_tables = words.iter().any(|word| word == "from");
        let asks_nothing = !has_tables && calls.clone().all(|call| is_session(&call));
        if names_catalogue || !has_tables && words.iter().any(is_session) || asks_nothing {
            Self::Catalogue(text)
        } else {
            Self::Select(text)
        }
    }
}

/// The statements of a text.
pub(super) fn split(text: &str) -> Vec<&str> {
    let ends = pieces(text).into_iter().filter(|(_, piece)| *piece == SqlPiece::Sign(';')).map(|(at, _)| at);
    let mut from = 0;
    let mut statements = Vec::new();
    for end in ends.chain([text.len()]) {
        statements.push(text.get(from..end).unwrap_or_default());
        from = end + 1;
    }
    statements.retain(|statement| !pieces(statement).is_empty());
    statements.into_iter().map(str::trim).collect()
}

/// `COPY (SELECT ...) TO STDOUT`.
fn copy(text: &str, pieces: &[(usize, SqlPiece<'_>)]) -> Result<ClientStatement, SqlFailure> {
    let refused = || {
        let message = "COPY (SELECT ...) TO STDOUT is the COPY of this server, with FORMAT text, csv or binary; it reads tables and never \
                       changes them";
        SqlFailure::new("0A000", message)
    };
    let [_, (from, SqlPiece::Sign('(')), ..] = pieces else { return Err(refused()) };
    let mut depth = 0_usize;
    let end = pieces.iter().position(|(_, piece)| {
        match piece {
            SqlPiece::Sign('(') => depth += 1,
            SqlPiece::Sign(')') => depth = depth.saturating_sub(1),
            _ => return false,
        }
        depth == 0
    });
    let (Some((to, _)), Some(rest)) =
        (end.and_then(|end| pieces.get(end)), end.and_then(|end| pieces.get(end + 1..)))
    else {
        return Err(refused());
    };
    let rest = words(rest);
    let has = |word: &str| rest.iter().any(|known| known == word);
    if !matches!(rest.as_slice(), [to, stdout, ..] if to == "to" && stdout == "stdout") {
        return Err(refused());
    }
    let form = match () {
        () if has("binary") => CopyForm::Binary,
        () if has("csv") => CopyForm::Csv,
        () => CopyForm::Text,
    };
    match ClientStatement::read(text.get(from + 1..*to).unwrap_or_default())? {
        select @ (ClientStatement::Select(_) | ClientStatement::Catalogue(_)) => {
            Ok(ClientStatement::Copy(Box::new(select), form))
        }
        _ => Err(refused()),
    }
}

/// The words among pieces, in small letters.
fn words(pieces: &[(usize, SqlPiece<'_>)]) -> Vec<String> {
    let words = pieces.iter().filter_map(|(_, piece)| match piece {
        SqlPiece::Word(word) => Some(word.to_lowercase()),
        _ => None,
    });
    words.collect()
}

/// The pieces of a text, each with where it begins. What is quoted is one piece, and comments are none.
fn pieces(text: &str) -> Vec<(usize, SqlPiece<'_>)> {
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
    let find = |from: usize, what: &str| {
        text.get(from..).and_then(|rest| rest.find(what)).map_or(bytes.len(), |at| from + at + what.len())
    };
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let from = at;
        match byte(at) {
            b if b.is_ascii_whitespace() => at += 1,
            b'-' if byte(at + 1) == b'-' => at = find(at, "\n"),
            b'/' if byte(at + 1) == b'*' => at = find(at + 2, "*/"),
            quote @ (b'\'' | b'"') => {
                at = find(at + 1, if quote == b'"' { "\"" } else { "'" });
                pieces.push((from, SqlPiece::Quoted));
            }
            b'$' if dollar_tag(text, at).is_some() => {
                let tag = dollar_tag(text, at).unwrap_or_default();
                at = find(at + tag.len(), tag);
                pieces.push((from, SqlPiece::Quoted));
            }
            b if b.is_ascii_alphabetic() || b == b'_' || !b.is_ascii() => {
                let is_in = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || !b.is_ascii();
                while at < bytes.len() && is_in(byte(at)) {
                    at += 1;
                }
                pieces.push((from, SqlPiece::Word(text.get(from..at).unwrap_or_default())));
            }
            sign => {
                at += 1;
                pieces.push((from, SqlPiece::Sign(sign.into())));
            }
        }
    }
    pieces
}

/// The mark of a text between dollars, such as `$$` or `$body$`; `$1` is none.
fn dollar_tag(text: &str, at: usize) -> Option<&str> {
    let rest = text.get(at..)?;
    let end = rest.get(1..)?.find('$')? + 2;
    let tag = rest.get(..end)?;
    let name = tag.trim_matches('$');
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit());
    is_name.then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_where_statements_end() {
        let text = "SELECT ';' ; -- a; b\n SELECT \"a;b\", $$;$$; /* ; */ ;";
        assert_eq!(split(text), ["SELECT ';'", "-- a; b\n SELECT \"a;b\", $$;$$"]);
        assert!(split(" ; -- nothing").is_empty());
    }

    #[test]
    fn statements_are_told_apart() {
        let select = |text: &str| ClientStatement::Select(text.to_owned());
        let catalogue = |text: &str| ClientStatement::Catalogue(text.to_owned());
        for text in
            ["SELECT symbol FROM stocks", "WITH a AS (SELECT 1 AS x) SELECT x FROM a", "SELECT as_of()"]
        {
            assert_eq!(ClientStatement::read(text).unwrap(), select(text));
        }
        for text in [
            "SELECT 1",
            "select version()",
            "SELECT oid FROM pg_catalog.pg_class",
            "SELECT current_schema()",
            "select $1",
        ] {
            assert_eq!(ClientStatement::read(text).unwrap(), catalogue(text));
        }
        assert_eq!(
            ClientStatement::read("SELECT 'pg_class' FROM stocks;").unwrap(),
            select("SELECT 'pg_class' FROM stocks")
        );
        let copied =
            ClientStatement::read("COPY (SELECT (1) FROM stocks) TO STDOUT (FORMAT binary)").unwrap();
        assert_eq!(
            copied,
            ClientStatement::Copy(Box::new(select("SELECT (1) FROM stocks")), CopyForm::Binary)
        );
        assert_eq!(ClientStatement::read("begin read only").unwrap(), ClientStatement::Begin);
        assert_eq!(
            ClientStatement::read("SHOW transaction isolation level").unwrap(),
            ClientStatement::Show("transaction isolation level".to_owned())
        );
        for (text, state) in [
            ("DELETE FROM stocks", "25006"),
            ("COPY stocks FROM STDIN", "0A000"),
            ("COPY (DELETE FROM stocks) TO STDOUT", "25006"),
            ("COPY (SELECT 1) TO '/etc/passwd'", "0A000"),
            ("nonsense", "42601"),
            ("SELECT 1; SELECT 2", "42601"),
        ] {
            assert_eq!(ClientStatement::read(text).unwrap_err().state, state, "{text}");
        }
    }
}
