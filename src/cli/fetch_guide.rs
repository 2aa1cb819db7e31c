//! Checks the guide to fetching against the declarations: its tables of hosts and sources must match the generated rows.

use super::fetching::shown_bytes;
use crate::fetch::{HostGroup, Kind, Source, SourceCatalogue};
use crate::surface::guides::guides;

fn condition(group: &HostGroup) -> &'static str {
    match (group.needs_consent, group.needs_contact) {
        (true, _) => "you agree to the terms",
        (_, true) => "you set a contact",
        _ => "you set your own key",
    }
}

fn host_row(group: &HostGroup) -> String {
    let seen = group.terms_seen.map_or_else(|| "not verified".to_owned(), |day| day.to_string());
    let spacing = group.spacing().as_secs_f64();
    format!(
        "| `{}` | {} | {} | {} | {seen} | {spacing} s |",
        group.name,
        group.who,
        condition(group),
        group.terms
    )
}

fn source_row(catalogue: &SourceCatalogue, source: &Source) -> String {
    let kind = match source.kind {
        Kind::Dated | Kind::Listed => format!("a file a day or quarter since {}", source.since),
        Kind::Rolling => "the present state".to_owned(),
        Kind::Filed => format!("the documents of each company's filings since {}", source.since),
        Kind::Window => "a span of days".to_owned(),
        Kind::Linked => format!("the files that a page links to, since {}", source.since),
    };
    let use_words = match (source.core, source.by_default, source.per.is_some()) {
        (true, _, _) => "yes, core",
        (_, true, false) => "yes",
        _ => "by name",
    };
    let host = catalogue.group_of(source).map_or("", |group| &group.name);
    let bytes = shown_bytes(source.bytes);
    format!(
        "| `{}` | `{host}` | {kind} | {bytes} | {use_words} | {} | {} |",
        source.name, source.seen, source.what
    )
}

#[test]
fn the_third_command_of_the_readme_fetches() {
    let readme = include_str!("../../README.md");
    let blocks = readme.split("```sh\n").skip(1).filter_map(|block| block.split("```").next());
    let commands: Vec<&str> = blocks.flat_map(str::lines).filter(|line| !line.is_empty()).collect();
    assert!(commands[2].starts_with("parquote fetch india --since "), "{commands:?}");
}

#[test]
fn the_guide_lists_every_host_and_every_source_as_it_is_declared() {
    let catalogue = SourceCatalogue::embedded().unwrap();
    let guide = guides().find(|guide| guide.name == "fetch").unwrap();
    let rows: Vec<String> = catalogue
        .groups()
        .map(|group| host_row(group))
        .chain(catalogue.sources().iter().map(|source| source_row(&catalogue, source)))
        .collect();
    let missing: Vec<&str> =
        rows.iter().map(String::as_str).filter(|row| !guide.text.lines().any(|line| line == *row)).collect();
    let words = "docs/guides/fetch.md lacks these rows, or has others in their place";
    assert!(missing.is_empty(), "{words}:\n{}", missing.join("\n"));
    let named = guide.text.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(named, rows.len(), "a row of the guide is of no host and no source");
}
