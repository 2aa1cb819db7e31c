//! Resources for models and people: the manual, the definition of every figure, access rules, and the tables behind the tools. Everything
//! but the formula book is generated from the catalogue.

use std::fmt::Write as _;

use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use super::handler::McpHandler;
use super::{chart, chart_app};
use parquote_access::redact;
use parquote_catalogue::operation::{Column, Market, Operation, Table, Tier, truncate_for_message};
use parquote_engine::{FREE_SYMBOLS, Snapshot};
use parquote_surface::guides::guides;
use parquote_surface::{embedded_pages, manual};

const MARKDOWN: &str = "text/markdown";
const MANUAL: &str = "parquote://manual";
const FORMULAS: &str = "parquote://formulas";
const ACCESS: &str = "parquote://access";
const TABLES: &str = "parquote://tables";
const GUIDES: &str = "parquote://guides/";
const TOOL: &str = "parquote://tools/{tool}";
const TABLE: &str = "parquote://tables/{market}/{table}";

/// Definition of every figure, in words and formulas.
const FORMULA_BOOK: &str = include_str!("formulas.md");

impl McpHandler {
    pub(super) fn resources() -> Vec<Resource> {
        let resource = |uri: &str, name: &str, title: &str, description: &str| {
            Resource::new(uri, name).with_title(title).with_description(description).with_mime_type(MARKDOWN)
        };
        vec![
            resource(
                MANUAL,
                "manual",
                "Manual",
                "All operations by group: route, tool, tier, and what each answers.",
            ),
            resource(FORMULAS, "formulas", "Formula book", "How every figure is computed."),
            resource(
                ACCESS,
                "access",
                "Tiers and refusals",
                "What each tier may call and how often; what refusals mean.",
            ),
            resource(TABLES, "tables", "Tables", "The tables behind the tools, by market."),
        ]
        .into_iter()
        .chain(guides().map(|guide| {
            resource(&format!("{GUIDES}{}", guide.name), guide.name, guide.title, "A guide of the manual.")
        }))
        .chain([chart_app::resource()])
        .collect()
    }

    pub(super) fn resource_templates() -> Vec<ResourceTemplate> {
        let template = |uri: &str, name: &str, title: &str, description: &str| {
            ResourceTemplate::new(uri, name)
                .with_title(title)
                .with_description(description)
                .with_mime_type(MARKDOWN)
        };
        vec![
            template(TOOL, "tool", "Manual page of a tool", "Arguments, columns and units of a tool."),
            template(TABLE, "table", "Schema of a table", "Columns, key and source of a table of a market."),
        ]
    }

    /// Returns the text of a resource; an error if there is no such resource.
    pub(super) fn resource(&self, uri: &str) -> Result<ReadResourceResult, ErrorData> {
        if uri == chart_app::URI {
            return Ok(ReadResourceResult::new(vec![chart_app::contents()]));
        }
        let text = match uri {
            MANUAL => Some(self.manual()),
            FORMULAS => Some(FORMULA_BOOK.to_owned()),
            ACCESS => Some(access(&self.service.shared_snapshot())),
            TABLES => Some(self.tables_by_market()),
            _ => self.page(uri),
        };
        let text = text.ok_or_else(|| {
            let uri = redact(uri);
            let message = format!("there is no resource `{}`", truncate_for_message(&uri));
            ErrorData::resource_not_found(message, Some(json!({"uri": truncate_for_message(&uri)})))
        })?;
        let contents = ResourceContents::text(text, uri).with_mime_type(MARKDOWN);
        Ok(ReadResourceResult::new(vec![contents]))
    }

    fn page(&self, uri: &str) -> Option<String> {
        if let Some(name) = uri.strip_prefix(GUIDES) {
            return guides().find(|guide| guide.name == name).map(|guide| without_comments(guide.text));
        }
        if let Some(tool) = uri.strip_prefix("parquote://tools/") {
            // The page of the chart tool is the guide to all its charts.
            if self.tools.chart().is_some_and(|chart| chart.name == tool) {
                return self.page(&format!("{GUIDES}{}", chart::TOOLSET));
            }
            let entry = self.tools.find(tool)?;
            let operation = &entry.operation;
            let snapshot = self.service.shared_snapshot();
            let answer = embedded_pages::answer(&operation.name);
            let terms = self.service.terms_of_sources(operation);
            return Some(manual::page(operation, snapshot.columns(operation), answer, terms));
        }
        let (market, table) = uri.strip_prefix("parquote://tables/")?.split_once('/')?;
        let market: Market = market.parse().ok()?;
        Some(table_page(self.service.catalogue().table(market, table)?, market))
    }

    fn manual(&self) -> String {
        let page = |operation: &Operation| match &operation.tool {
            Some(tool) => format!("parquote://tools/{tool}"),
            None => MANUAL.to_owned(),
        };
        let chart = self.tools.chart().map(|chart| {
            format!("\nThe tool `{}` draws many of them: parquote://guides/{}.\n", chart.name, chart::TOOLSET)
        });
        let table = manual::table(self.service.catalogue(), page);
        format!("# Manual\n\n{table}{}", chart.unwrap_or_default())
    }

    fn tables_by_market(&self) -> String {
        let mut text =
            String::from("# Tables\n\nThe schema of a table is `parquote://tables/{market}/{table}`.\n");
        let (snapshot, catalogue) = (self.service.shared_snapshot(), self.service.catalogue());
        for market in Market::ALL {
            let served = snapshot.market(market).and_then(|of_market| of_market.served_tables().ok());
            let _ = writeln!(text, "\n## {market}\n");
            for table in served.unwrap_or_else(|| catalogue.tables_in(market).collect()) {
                let _ = writeln!(text, "- `{}`: {}", table.name, table.title);
            }
        }
        text
    }
}

/// Removes the comments of Markdown, from which the figures of examples are generated.
fn without_comments(text: &str) -> String {
    let mut retained = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("<!--") {
        let Some((_, after)) = comment.split_once("-->") else { break };
        retained.push_str(before);
        rest = after.strip_prefix('\n').unwrap_or(after);
    }
    retained.push_str(rest);
    retained
}

fn table_page(table: &Table, market: Market) -> String {
    let mut text = format!("# {} ({market})\n\n{}\n", table.name, table.title);
    if !table.prose.is_empty() {
        let _ = write!(text, "\n{}\n", table.prose);
    }
    let _ = write!(text, "\nKey: {}.\n\n## Columns\n\n", table.key.join(", "));
    for column in table.columns_in(market) {
        text.push_str(&column_line(column));
    }
    text
}

fn column_line(column: &Column) -> String {
    let null = if column.nullable { ", may be null" } else { "" };
    let unit = match column.unit.label() {
        "" => String::new(),
        label => format!(" Unit: {label}."),
    };
    format!("- `{}` ({}{null}): {}{unit}\n", column.name, column.ty.word(), column.words)
}

/// Renders tiers, quotas and refusals from the constants in the code.
fn access(snapshot: &Snapshot) -> String {
    let mut text = String::from(
        "# Tiers\n\n| tier | calls a day | calls an hour | rows of a capped list |\n|---|---|---|---|\n",
    );
    for tier in Tier::ALL {
        let quota = tier.quota();
        let _ = writeln!(text, "| `{tier}` | {} | {} | {} |", quota.day, quota.hour, tier.row_cap());
    }
    text.push_str(
        "\nEach tier may call what the tiers above it in this table may, and more. `professional_web` and `api_pro` may call the \
         same. A `free` key sees some symbols of each market in the tools about one company, named below. Days and hours are those of India. \
         Only calls of tools count: answers, and calls that are faulty (400) or ask for what there is not (404).\n\n\
         # Refusals\n\n\
         A refused call is a result with `isError`; its text begins with the status, and `_meta[\"parquote/error\"]` has it for \
         machines.\n\n\
         - 400: an argument is missing, unknown or out of range; every fault is named with what is allowed.\n\
         - 403: the tier does not reach the tool, or the free key not the symbol.\n\
         - 404: there is no such symbol or thing; the nearest are named.\n\
         - 429: the allowance is used up; `retry_after_s` says how long to wait.\n\
         - 503: the answer cannot be had now; try again in a few seconds.\n\n# Symbols of a free key\n\n",
    );
    for market in Market::ALL {
        let symbols = snapshot.values(market, FREE_SYMBOLS);
        if !symbols.is_empty() {
            let _ = writeln!(text, "- {market}: {}", symbols.join(", "));
        }
    }
    text
}
