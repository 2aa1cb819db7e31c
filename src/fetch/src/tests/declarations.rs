//! Declarations: the embedded ones, the overrides of a folder, and the message for every mistake.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::bench::{DAY, FILED, HOSTS};
use crate::{FetchError, Kind, SourceCatalogue, embedded_sources};
use parquote_catalogue::operation::Market;

#[test]
fn the_embedded_sources_are_the_files_of_the_folder() {
    fn walk(root: &Path, folder: &Path, names: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, names);
            } else {
                names.insert(path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/"));
            }
        }
    }
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("sources");
    let mut names = BTreeSet::new();
    walk(&root, &root, &mut names);
    let embedded: BTreeSet<String> = embedded_sources().iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(names, embedded);
    let catalogue = SourceCatalogue::embedded().unwrap();
    assert_eq!(catalogue.sources().len() + 2, embedded.len());
    assert!(catalogue.sources().len() > 28);
}

#[test]
fn every_embedded_source_is_asked_politely_and_says_when_it_was_seen() {
    let catalogue = SourceCatalogue::embedded().unwrap();
    let mut of_group = BTreeSet::new();
    for source in catalogue.sources() {
        let group = catalogue.group_of(source).unwrap();
        of_group.insert(group.name.clone());
        let name = &source.name;
        assert!(group.spacing.0.as_millis() >= 250 && group.stop_after == 3, "{name}");
        // The SEC and vendors with a user's key need no consent; all others do.
        assert!(group.needs_consent || group.needs_contact || !source.key_names().is_empty(), "{name}");
        assert!(source.seen.to_string().starts_with("2026-"), "{name}");
        assert!(source.bytes > 0, "{name}");
        assert!(source.max_bytes >= source.bytes, "{name}");
        assert!(source.folder().starts_with(source.market.word()), "{name}");
        assert!(source.kind != Kind::Rolling || !source.core, "{name}: a snapshot is of no session");
    }
    assert_eq!(of_group.len(), catalogue.groups().count(), "no group without a source");
    let core =
        |market| catalogue.sources().iter().filter(|source| source.market == market && source.core).count();
    assert_eq!((core(Market::India), core(Market::Us)), (3, 1));
    // At most five requests a second.
    assert!(catalogue.groups().find(|group| group.name == "sec").unwrap().spacing.0.as_millis() >= 200);
}

#[test]
fn a_folder_is_laid_over_the_embedded_files() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("india")).unwrap();
    let mine = DAY.replace("files.test", "mirror.test").replace("/day_{D", "/full_{D");
    fs::write(folder.path().join("india/full_bhavcopy.toml"), mine).unwrap();
    let hosts = HOSTS.replace("files.test", "mirror.test").replace("[plain]", "[mine]");
    fs::write(folder.path().join("hosts.toml"), hosts).unwrap();
    let catalogue = SourceCatalogue::with_folder(folder.path()).unwrap();
    let source = catalogue.source("full_bhavcopy").unwrap();
    assert_eq!((source.what.as_str(), catalogue.group_of(source).unwrap().name.as_str()), ("days", "mine"));
    assert!(catalogue.source("pr").is_ok(), "all others stay");
    fs::write(folder.path().join("elsewhere.toml"), DAY).unwrap();
    let error = SourceCatalogue::with_folder(folder.path()).unwrap_err().to_string();
    assert!(error.starts_with("sources/elsewhere.toml: a source's file is `india/NAME.toml`"), "{error}");
}

fn mistake(path: &str, text: &str) -> String {
    let files = [("hosts.toml", HOSTS), (path, text)].map(|(path, text)| (path.to_owned(), text.to_owned()));
    match SourceCatalogue::from_files(&files, &[]) {
        Err(error @ FetchError::Declaration { .. }) => error.to_string(),
        other => panic!("{path}: {other:?}"),
    }
}

#[test]
fn every_mistake_is_named_with_its_file_and_line_or_key() {
    for (old, new, words) in [
        ("kind =", "kidn =", "sources/india/day.toml: line 4: unknown field `kidn`"),
        ("rows = 3", "row = 3", "line 17: unknown field `row`"),
        ("\"dated\"", "\"daily\"", "line 4: unknown variant `daily`"),
        ("{DDMMYYYY}.csv\"\nkind", "{DDMMYY.csv\"\nkind", "without its }"),
        ("{DDMMYYYY}.csv\"\nkind", "x.csv\"\nkind", "needs the date in `url`"),
        ("https://files.test", "http://files.test", "`url` must begin with https://"),
        ("files.test", "unknown.test", "has no group with the host unknown.test"),
        ("19:00 Asia/Kolkata", "19:00", "line 6: `19:00` is not a time"),
        ("19:00 Asia/Kolkata", "19:00 Asia/Nowhere", "is not a time"),
        ("\"5 days\"", "\"5\"", "is not a duration"),
        ("2026-01-01", "\"soon\"", "line 5"),
        ("into = \"india/", "into = \"us/", "`into` must begin with the market's folder"),
        ("into = \"india/day", "into = \"india/../day", "without `.`, `..`"),
        ("header = [\"SYMBOL\", \"DATE1\", \"CLOSE\"]\n", "", "`expect.header` must name the columns"),
        ("seen = 2026-07-01\n", "", "missing field `seen`"),
        ("core = true", "core = true\npass_on = \"after 0 days\"", "`pass_on` is yes, no, unknown"),
        ("core = true", "core = true\nlinks = \"*\"", "`links` is of linked sources"),
        ("core = true", "core = true\nper = \"cik\"", "`each` and `per` need {each}"),
        ("[expect]", "[key]\nenv = \"A\"\n[expect]", "`[key]` is sent one way"),
    ] {
        let text = DAY.replace(old, new);
        assert_ne!(text, DAY, "{old}");
        let error = mistake("india/day.toml", &text);
        assert!(error.contains(words), "{error}");
    }
    for (old, new, words) in [
        ("files.test/data", "strict.test/data", "`filed.url`: its host is not in the group of that of `url`"),
        ("files.test/data", "unknown.test/data", "`filed.url`: its host is not in the group"),
        ("{each}/{name}", "{name}", "`filed.url` needs {each} and {name}"),
        ("documents/{name}", "documents/{each}", "a filed source needs {name}"),
        ("per = \"cik\"", "per = \"symbol\"", "a filed source needs {name}"),
        ("kind = \"filed\"", "kind = \"linked\"", "`links` is of linked sources"),
    ] {
        let text = FILED.replace(old, new);
        assert_ne!(text, FILED, "{old}");
        let error = mistake("us/papers.toml", &text);
        assert!(error.contains(words), "{error}");
    }
    assert!(mistake("india/Day.toml", DAY).contains("`a` to `z`"));
    assert!(mistake("mars/day.toml", DAY).contains("a source's file is"));
    assert!(mistake("calendar.toml", "[india]\nweekend = []").contains("sources/calendar.toml: line 2"));
    for (old, new, words) in [
        ("spacing = \"2 s\"", "spacing = \"0 s\"", "`spacing` must be longer"),
        ("strict.test\"]", "files.test\"]", "`files.test` is in two groups"),
        ("pause =", "pauze =", "unknown field `pauze`"),
        (
            "spacing = \"2 s\"",
            "spacing = \"2 s\"\npass_on = \"later\"",
            "`pass_on` is yes, no, unknown or for example `after 30 days`, and not `later`",
        ),
    ] {
        let error = mistake("hosts.toml", &HOSTS.replace(old, new));
        assert!(error.contains(words), "{error}");
    }
}
