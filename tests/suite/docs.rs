//! The manual: pages of a running server, and the Markdown that `parquote docs` writes and checks.

use std::fs;
use std::path::Path;

use parquote::operation::Market;
use reqwest::Method;

use crate::demo_market::{CATALOGUE, SHIPPED};
use crate::program::run;
use crate::server::{LITTLE_SERVER, SERVER};

#[test]
fn every_operation_has_a_page_in_both_forms() {
    let service = SERVER.service();
    for operation in service.catalogue().operations() {
        let html = SERVER.get(&format!("docs/{}", operation.name));
        assert_eq!(
            (html.status, html.header("content-type")),
            (200, "text/html; charset=utf-8"),
            "{}",
            operation.name
        );
        let markdown = SERVER.get(&format!("docs/{}.md", operation.name));
        let kind = markdown.header("content-type");
        assert_eq!((markdown.status, kind), (200, "text/markdown; charset=utf-8"), "{}", operation.name);
        let texts = [&html, &markdown].map(|reply| String::from_utf8(reply.body.clone()).unwrap());
        for text in &texts {
            assert!(text.contains(&operation.name), "{}", operation.name);
            let names = operation.params.iter().map(|param| &param.name);
            let snapshot = service.snapshot();
            let columns = snapshot.columns(operation).iter().flatten().map(|column| &column.name);
            for name in names.chain(columns) {
                assert!(text.contains(name.as_str()), "{}: {name}", operation.name);
            }
        }
        let again = SERVER.ask(
            &Method::GET,
            &format!("docs/{}", operation.name),
            &[("if-none-match", html.header("etag"))],
        );
        assert_eq!(again.status, 304, "{}", operation.name);
        assert_ne!(html.header("etag"), markdown.header("etag"), "{}", operation.name);
    }
    assert_eq!(SERVER.get("docs/no/such").status, 404);
}

#[test]
fn the_page_of_all_operations_names_fields_and_leaves_their_words_to_their_pages() {
    let page = |path: &str| String::from_utf8(SERVER.get(path).body).unwrap();
    let (all, one) = (page("docs"), page("docs/company/profile"));
    for (place, has_words) in [(&all, false), (&one, true)] {
        assert!(place.contains("market_cap_cr"), "{has_words}");
        assert_eq!(place.contains("<th>What it is</th>"), has_words);
    }
    assert!(all.len() < 750_000, "{}", all.len());
}

/// The examples of the declarations are of the shipped market, of which the little one has few stocks.
#[test]
fn forms_begin_with_symbols_of_the_served_data() {
    let page = |path: &str| String::from_utf8(LITTLE_SERVER.get(path).body).unwrap();
    let prefilled = |page: &str, param: &str| {
        let start = format!("<input name=\"{param}\" aria-label=\"{param}\" value=\"");
        let values = page.split(&start).skip(1).map(|rest| rest.split('"').next().unwrap().to_owned());
        values.filter(|value| !value.is_empty()).collect::<Vec<_>>()
    };
    let snapshot = LITTLE_SERVER.service().snapshot();
    let all = page("docs");
    for param in ["symbol", "symbols"] {
        let values = prefilled(&all, param);
        assert!(!values.is_empty());
        let has = |symbol: &str| Market::ALL.iter().any(|of| snapshot.has_symbol(*of, symbol) == Some(true));
        assert!(values.iter().flat_map(|value| value.split(',')).all(has), "{values:?}");
    }
    // So do the examples of the description for machines.
    let document = LITTLE_SERVER.get("openapi.json").json();
    let profile = &document["paths"]["/company/profile"]["get"];
    let symbol = prefilled(&page("docs/company/profile"), "symbol").remove(0);
    assert_eq!(profile["x-example-query"], format!("symbol={symbol}"));
    assert!(profile.to_string().contains(&format!("\"example\":\"{symbol}\"")), "{profile}");
    assert!(!document.to_string().contains("symbol=BAXIPAPOWR"));
    let bank = prefilled(&page("docs/company/banking-kpis"), "symbol");
    let rows = LITTLE_SERVER.get(&format!("company/banking-kpis?symbol={}", bank[0])).data();
    assert!(!rows.as_array().unwrap().is_empty(), "{bank:?}");
    assert!(!page("docs/company/profile").contains("symbol=BAXIPAPOWR"));
    assert_eq!(
        prefilled(&String::from_utf8(SERVER.get("docs/company/profile").body).unwrap(), "symbol"),
        ["BAXIPAPOWR"]
    );
}

/// A browser that obeys the policy loads the files that the pages name, and runs no inline script or style.
#[test]
fn pages_load_files_of_this_server_alone() {
    for path in ["docs", "docs/market/sectors", "docs/guides/scores"] {
        let page = SERVER.get(path);
        let policy = page.header("content-security-policy");
        let part = |name: &str| policy.split("; ").find_map(|part| part.strip_prefix(name)).unwrap().trim();
        assert_eq!(
            ["default-src", "script-src", "style-src"].map(part),
            ["'none'", "'self'", "'self'"],
            "{path}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        let text = String::from_utf8(page.body.clone()).unwrap();
        let named = |mark: &str| text.split(mark).nth(1).unwrap().split('"').next().unwrap().to_owned();
        for (file, kind) in [
            (named("<link rel=\"stylesheet\" href=\""), "text/css; charset=utf-8"),
            (named("<script src=\""), "text/javascript; charset=utf-8"),
        ] {
            let file = SERVER.get(file.strip_prefix("/v1/").unwrap());
            assert_eq!((file.status, file.header("content-type")), (200, kind), "{path}");
            assert!(file.header("cache-control").contains("immutable") && !file.body.is_empty(), "{path}");
        }
    }
}

/// For each table, the guide says how look-ahead is avoided.
#[test]
fn the_guide_to_look_ahead_names_every_table() {
    let guide = fs::read_to_string("docs/guides/look-ahead.md").unwrap();
    for table in Market::ALL.into_iter().flat_map(|market| CATALOGUE.tables_in(market)) {
        assert!(
            guide.contains(&format!("`{}`", table.name)),
            "{} is not in docs/guides/look-ahead.md",
            table.name
        );
        for column in table.columns.iter().filter(|column| column.name.ends_with("_assumed")) {
            assert!(guide.contains(&format!("`{}`", column.name)), "{} is not in the guide", column.name);
        }
    }
}

#[test]
fn pages_are_written_and_held_against() {
    let project = tempfile::tempdir().unwrap();
    let folder = project.path().to_str().unwrap();
    // Servers of other tests publish sets from the plain files concurrently, and pages show the time of publication.
    let data = SHIPPED.sets.to_str().unwrap();
    let docs = |what: &str| run(&["docs", what, "--project", folder, "--data", data]);
    let (code, _, errors) = docs("--check");
    assert_eq!(code, Some(1));
    for name in ["README.md", "companies.md", "us/market/breadth.md", "parquote docs --write"] {
        assert!(errors.contains(name), "{errors} lacks {name}");
    }
    assert_eq!(docs("--write").0, Some(0));
    let page = |name: &str| project.path().join("docs/operations").join(name);
    let index = fs::read_to_string(page("README.md")).unwrap();
    let line = "| Core | [`/companies`](companies.md) | `search_companies` | free |";
    assert!(index.contains(line), "{index}");

    // A changed page, a missing one, and one of an operation that does not exist.
    fs::write(page("companies.md"), "changed").unwrap();
    fs::remove_file(page("us/market/breadth.md")).unwrap();
    fs::write(page("gone.md"), "# gone").unwrap();
    let (code, _, errors) = docs("--check");
    assert_eq!(code, Some(1));
    assert_eq!(errors.matches(".md\n").count(), 3, "{errors}");
    assert_eq!(docs("--write").0, Some(0));
    assert!(!page("gone.md").exists() && page("us/market/breadth.md").exists());
    assert_eq!(docs("--check"), (Some(0), String::new(), String::new()));
}

/// Every link leads to an existing file. A guide is also served over HTTP and MCP, where it can link only to other guides.
#[test]
fn links_of_the_readme_and_the_guides_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guides = fs::read_dir(root.join("docs/guides")).unwrap().map(|entry| entry.unwrap().path());
    let pages = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root.join(name));
    for page in guides.chain(pages) {
        let text = fs::read_to_string(&page).unwrap();
        let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        let here = page.parent().unwrap();
        for (link, _) in links.filter(|(link, _)| !link.starts_with("https://")) {
            assert!(here.join(link).is_file(), "{}: {link} does not exist", page.display());
            if here.ends_with("docs/guides") {
                assert_eq!(
                    SERVER.get(&format!("docs/guides/{link}")).status,
                    200,
                    "{}: {link}",
                    page.display()
                );
            }
        }
    }
}

/// The examples on pages are requests that work, with the server's real answers.
#[test]
fn the_examples_of_pages_are_answers() {
    let project = tempfile::tempdir().unwrap();
    let folder = project.path().to_str().unwrap();
    let (code, _, errors) = run(&["docs", folder, "--data", SHIPPED.data.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{errors}");
    let mut shown = 0;
    for operation in
        SERVER.service().catalogue().operations().iter().filter(|it| it.answers_from_select() && it.has_route)
    {
        let page = fs::read_to_string(Path::new(folder).join(format!("{}.md", operation.name))).unwrap();
        let command = page.lines().find(|line| line.starts_with("curl ")).unwrap();
        let (_, path) = command.trim_end_matches('\'').split_once("/v1/").unwrap();
        let data = SERVER.get(path).data();
        let (_, answer) = page.split_once("```json\n").unwrap();
        let answer: serde_json::Value = serde_json::from_str(answer.split_once("\n```").unwrap().0).unwrap();
        let (answer, data) = match (answer.get("stocks"), data.get("stocks")) {
            (Some(answer), Some(data)) => (answer.clone(), data.clone()),
            _ => (answer, data),
        };
        match (answer.as_array(), data.as_array()) {
            (Some(some), Some(all)) => {
                assert_eq!(some.len(), all.len().min(2), "{path}");
                shown += usize::from(!some.is_empty());
                for (row, of_all) in some.iter().zip(all) {
                    let keys = |row: &serde_json::Value| {
                        row.as_object().unwrap().keys().cloned().collect::<Vec<_>>()
                    };
                    assert_eq!(keys(row), keys(of_all), "{path}");
                    assert!(
                        row.as_object().unwrap().iter().all(|(name, value)| value.is_array()
                            || value.is_object()
                            || *value == of_all[name]),
                        "{path}"
                    );
                }
            }
            _ => shown += 1,
        }
    }
    assert!(shown > 20, "only {shown} pages show an answer that is not empty");
}
