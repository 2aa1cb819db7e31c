//! Results of Indian companies in XBRL, as the exchanges publish them: the taxonomies `in-bse-fin` and `in-capmkt`.
//!
//! Each figure belongs to a context. The dates of a context are often wrong (a year to date may have those of its last quarter), so dates
//! that the report states for it take precedence. Many reports use the contexts of their main figures without declaring them; those of
//! their details have the same dates. Contexts of a segment or another detail are skipped. The number of shares is not reported; it is
//! computed from the paid-up capital and the face value, under our tag `PaidUpShares`.

use std::collections::BTreeMap;
use std::io;

use chrono::NaiveDate;

use crate::documents::company_facts::quarters;
use crate::documents::put_rows::DocumentRows;
use crate::documents::statement_columns::{FIGURE_OF_RESULTS, columns};
use crate::documents::xml::XmlNode;
use crate::text::dates;

pub(super) const COLUMNS: [&str; 12] = columns(FIGURE_OF_RESULTS);

/// Value of the column `VERSION`, which has the taxonomy of a tag.
const TAXONOMY: &str = "in-bse-fin";

/// Id of the context of year-to-date figures, whatever its dates.
const YEAR_TO_DATE: &str = "FourD";

/// The contexts of main figures: id, prefix of the ids of their details, and kind of period.
const MAIN_CONTEXTS: [(&str, &str, ContextPeriod); 4] = [
    ("OneD", "One", ContextPeriod::Span),
    (YEAR_TO_DATE, "Four", ContextPeriod::Span),
    ("OneI", "One", ContextPeriod::Day),
    ("FourI", "Four", ContextPeriod::Day),
];

/// Kind of period of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ContextPeriod {
    Day,
    Span,
}

/// The entity and the period of figures.
#[derive(Debug, Clone)]
struct Context {
    symbol: String,
    period: ContextPeriod,
    start: Option<NaiveDate>,
    end: Option<NaiveDate>,
    /// The end as written, if it is not a date.
    unparsed_end: Option<String>,
    /// True for a segment, or another part of the company's figures.
    is_detail: bool,
}

pub(super) fn rows(text: &str, rows: &mut DocumentRows<'_>) -> io::Result<()> {
    let root = XmlNode::parse(text)?;
    let report = ResultsReport::new(&root);
    for fact in root.children.iter().filter(|fact| has_unit(fact)) {
        let is_wanted = if report.contexts.is_empty() {
            // The company and period of these figures are unknown: rows without them are refused and counted.
            rows.push_row(&["", "", "", "", "", TAXONOMY, &fact.name, "", "", "", "", &fact.text])
        } else {
            report.push_figure(&fact.name, fact, &fact.text, rows)
        };
        if !is_wanted {
            return Ok(());
        }
    }
    for fact in root.all("PaidUpValueOfEquityShareCapital") {
        let id = fact.attribute("contextRef").unwrap_or_default();
        let figure = |text: Option<&str>| text?.parse::<f64>().ok().filter(|figure| *figure > 0.0);
        let face = report.text_in_context("FaceValueOfEquityShareCapital", id);
        if let (Some(paid_up), Some(face)) = (figure(Some(&fact.text)), figure(face)) {
            let shares = (paid_up / face).round().to_string();
            if !report.push_figure("PaidUpShares", fact, &shares, rows) {
                return Ok(());
            }
        }
    }
    Ok(())
}

impl Context {
    fn new(node: &XmlNode) -> Self {
        let written = |name: &str| node.text_at(&["period", name]);
        let day = |name: &str| parse_date(written(name));
        let instant = day("instant");
        let ends = ["instant", "endDate"].map(written);
        let unparsed_end = ends.into_iter().find(|end| !end.is_empty() && parse_date(end).is_none());
        Self {
            symbol: node.text_at(&["entity", "identifier"]).to_owned(),
            period: if written("instant").is_empty() { ContextPeriod::Span } else { ContextPeriod::Day },
            unparsed_end: unparsed_end.map(str::to_owned),
            start: day("startDate"),
            end: instant.or_else(|| day("endDate")),
            // A detail figure has a scenario or segment.
            is_detail: node.child("scenario").is_some() || node.element_at(&["entity", "segment"]).is_some(),
        }
    }
}

/// A report: its contexts and facts.
struct ResultsReport<'a> {
    contexts: BTreeMap<&'a str, Context>,
    /// Facts by name and context.
    facts: BTreeMap<(&'a str, &'a str), &'a str>,
}

impl<'a> ResultsReport<'a> {
    fn new(root: &'a XmlNode) -> Self {
        let mut report = Self { contexts: BTreeMap::new(), facts: BTreeMap::new() };
        for node in &root.children {
            if let Some(context) = node.attribute("contextRef") {
                report.facts.insert((&node.name, context), &node.text);
            }
            if node.name == "context" {
                report.contexts.insert(node.attribute("id").unwrap_or_default(), Context::new(node));
            }
        }
        for (id, prefix, period) in MAIN_CONTEXTS {
            if let Some(context) =
                report.derive_context(prefix, period).filter(|_| !report.contexts.contains_key(id))
            {
                report.contexts.insert(id, context);
            }
        }
        report
    }

    /// Derives an undeclared main context from one of its details, otherwise from the dates that the report states.
    fn derive_context(&self, prefix: &str, period: ContextPeriod) -> Option<Context> {
        let details =
            || self.contexts.iter().filter(|(id, _)| id.starts_with(prefix)).map(|(_, context)| context);
        let detail = details().find(|context| context.period == period);
        let from_report = || {
            let end = self.text_in_context("DateOfEndOfReportingPeriod", "OneD").and_then(parse_date);
            let other = details().next().or_else(|| self.contexts.values().next());
            // Without any context, the dates and the symbol stated in the report suffice.
            if other.is_none() && (end.is_none() || self.first_text("Symbol").is_none()) {
                return None;
            }
            let symbol = other.map(|context| context.symbol.clone()).unwrap_or_default();
            let end = end.or(other.and_then(|context| context.end));
            Some(Context { symbol, period, start: None, end, unparsed_end: None, is_detail: false })
        };
        let context = detail.cloned().or_else(from_report)?;
        Some(Context { is_detail: false, ..context })
    }

    /// Returns the text of a fact in a context; `None` if the text is missing or empty.
    fn text_in_context(&self, name: &str, context: &str) -> Option<&'a str> {
        self.facts.get(&(name, context)).copied().filter(|text| !text.is_empty())
    }

    /// Returns the first non-empty text of a fact in any context.
    fn first_text(&self, name: &str) -> Option<&'a str> {
        let stated = self.facts.range((name, "")..).take_while(|((other, _), _)| *other == name);
        stated.map(|(_, text)| *text).find(|text| !text.is_empty())
    }

    /// Passes a figure on; returns false if the receiver wants no more rows.
    fn push_figure(&self, tag: &str, fact: &XmlNode, value: &str, rows: &mut DocumentRows<'_>) -> bool {
        let id = fact.attribute("contextRef").unwrap_or_default();
        let context = self.contexts.get(id).filter(|context| !context.is_detail);
        let Some(context) = context else { return true };
        let Some((quarters, end)) = self.period(id, context) else {
            let unparsed_end = self
                .text_in_context("DateOfEndOfReportingPeriod", id)
                .filter(|end| parse_date(end).is_none());
            let Some(end) = unparsed_end.or(context.unparsed_end.as_deref()) else { return true };
            // A row with an unreadable date is refused and counted.
            let quarters = if context.period == ContextPeriod::Day { "0" } else { "1" };
            let symbol = context.symbol.as_str();
            return rows.push_row(&[symbol, "", "", "", "", TAXONOMY, tag, end, quarters, "", "", value]);
        };
        let symbol =
            self.first_text("Symbol").filter(|symbol| !symbol.contains(' ')).unwrap_or(&context.symbol);
        let basis = self.text_in_context("NatureOfReportStandaloneConsolidated", id);
        let basis = basis.or_else(|| self.first_text("NatureOfReportStandaloneConsolidated")).unwrap_or("?");
        let filed = self.approval_day(end).map(|day| day.to_string()).unwrap_or_default();
        let unit = match fact.attribute("unitRef") {
            _ if tag == "PaidUpShares" => "shares",
            Some("INRPerShare") => "INR per share",
            Some(unit) => unit,
            None if has_unit(fact) => "pure",
            None => "",
        };
        let end = end.to_string();
        rows.push_row(&[symbol, "", "", "", &filed, TAXONOMY, tag, &end, quarters, basis, unit, value])
    }

    /// Returns the cell of the column `QTRS` and the end of a context; `None` if a date is unknown.
    fn period(&self, id: &str, context: &Context) -> Option<(&'static str, NaiveDate)> {
        let day = |name: &str| self.text_in_context(name, id).and_then(parse_date);
        let end = day("DateOfEndOfReportingPeriod").or(context.end)?;
        let start = day("DateOfStartOfReportingPeriod").or_else(|| {
            let year_start = || parse_date(self.first_text("DateOfStartOfFinancialYear")?);
            if id == YEAR_TO_DATE { year_start() } else { None }
        });
        match (context.period, start.or(context.start)) {
            (ContextPeriod::Day, _) => Some((quarters(None, end), end)),
            (ContextPeriod::Span, Some(start)) => Some((quarters(Some(start), end), end)),
            (ContextPeriod::Span, None) => None,
        }
    }

    /// Returns the day on which the board approved the results, which is when they are announced.
    fn approval_day(&self, end: NaiveDate) -> Option<NaiveDate> {
        let day = parse_date(self.first_text("DateOfBoardMeetingWhenFinancialResultsWereApproved")?)?;
        (day > end && (day - end).num_days() < 200).then_some(day)
    }
}

/// Parses a date in the form of reports.
fn parse_date(text: &str) -> Option<NaiveDate> {
    dates::in_cell(text.as_bytes())
}

/// Returns true if a fact is a figure: it has a unit, or is the share of loans that forms report without one.
fn has_unit(fact: &XmlNode) -> bool {
    fact.attribute("unitRef").is_some() || fact.name == "PercentageOfNpa"
}

#[cfg(test)]
mod tests {
    use crate::documents::document::RawDocument;
    use crate::documents::document::tests::read;

    const REPORT: &str = r#"<?xml version="1.0"?><xbrli:xbrl xmlns:xbrli="http://www.xbrl.org/2003/instance">
        <xbrli:context id="OneD"><xbrli:entity><xbrli:identifier scheme="s">AROHI</xbrli:identifier></xbrli:entity>
          <xbrli:period><xbrli:startDate>2024-01-01</xbrli:startDate><xbrli:endDate>2024-03-31</xbrli:endDate></xbrli:period></xbrli:context>
        <xbrli:context id="FourD"><xbrli:entity><xbrli:identifier scheme="s">AROHI</xbrli:identifier></xbrli:entity>
          <xbrli:period><xbrli:startDate>2024-01-01</xbrli:startDate><xbrli:endDate>2024-03-31</xbrli:endDate></xbrli:period></xbrli:context>
        <xbrli:context id="OneI"><xbrli:entity><xbrli:identifier scheme="s">AROHI</xbrli:identifier></xbrli:entity>
          <xbrli:period><xbrli:instant>2024-03-31</xbrli:instant></xbrli:period></xbrli:context>
        <xbrli:context id="Seg"><xbrli:entity><xbrli:identifier scheme="s">AROHI</xbrli:identifier></xbrli:entity>
          <xbrli:period><xbrli:startDate>2024-01-01</xbrli:startDate><xbrli:endDate>2024-03-31</xbrli:endDate></xbrli:period>
          <xbrli:scenario><m>x</m></xbrli:scenario></xbrli:context>
        <f:Symbol contextRef="OneD">AROHI</f:Symbol>
        <f:NatureOfReportStandaloneConsolidated contextRef="OneD">Standalone</f:NatureOfReportStandaloneConsolidated>
        <f:DateOfStartOfFinancialYear contextRef="OneD">2023-04-01</f:DateOfStartOfFinancialYear>
        <f:DateOfBoardMeetingWhenFinancialResultsWereApproved contextRef="OneD">2024-04-20</f:DateOfBoardMeetingWhenFinancialResultsWereApproved>
        <f:RevenueFromOperations contextRef="OneD" unitRef="INR" decimals="-5">700.00</f:RevenueFromOperations>
        <f:RevenueFromOperations contextRef="FourD" unitRef="INR" decimals="-5">2500.00</f:RevenueFromOperations>
        <f:RevenueFromOperations contextRef="Seg" unitRef="INR" decimals="-5">1.00</f:RevenueFromOperations>
        <f:Assets contextRef="OneI" unitRef="INR" decimals="-5">9000</f:Assets>
        <f:PaidUpValueOfEquityShareCapital contextRef="OneD" unitRef="INR">50</f:PaidUpValueOfEquityShareCapital>
        <f:FaceValueOfEquityShareCapital contextRef="OneD" unitRef="INRPerShare">2</f:FaceValueOfEquityShareCapital>
        <f:PercentageOfNpa contextRef="OneD">0.0098</f:PercentageOfNpa>
        </xbrli:xbrl>"#;

    #[test]
    fn contexts_that_are_not_declared_have_the_dates_of_their_details() {
        let context = |id: &str, period: &str| {
            format!(
                "<context id='{id}'><entity><identifier>AROHI</identifier></entity><period>{period}</period><scenario><m/></scenario></context>"
            )
        };
        let span = "<startDate>2024-10-01</startDate><endDate>2024-12-31</endDate>";
        let text = format!(
            "<xbrl>{}{}<Symbol contextRef='OneD'>AROHI</Symbol>\
             <NatureOfReportStandaloneConsolidated contextRef='OneD'>Consolidated</NatureOfReportStandaloneConsolidated>\
             <DateOfStartOfFinancialYear contextRef='OneD'>2024-04-01</DateOfStartOfFinancialYear>\
             <TaxExpense contextRef='OneD' unitRef='INR'>5</TaxExpense><TaxExpense contextRef='FourD' unitRef='INR'>14</TaxExpense>\
             <Assets contextRef='OneI' unitRef='INR'>900</Assets><Assets contextRef='Other' unitRef='INR'>1</Assets></xbrl>",
            context("OneExpenses01D", span),
            context("FourExpenses01D", span)
        );
        let row = |tag: &str, quarters: &str, value: &str| {
            format!("AROHI,,,,,in-bse-fin,{tag},2024-12-31,{quarters},Consolidated,INR,{value}")
        };
        assert_eq!(
            read(&text).1,
            [row("TaxExpense", "1", "5"), row("TaxExpense", "3", "14"), row("Assets", "0", "900")]
        );
    }

    #[test]
    fn a_report_without_contexts_says_its_dates_itself() {
        let context = |id: &str, start: &str| {
            format!(
                "<NatureOfReportStandaloneConsolidated contextRef='{id}'>Standalone</NatureOfReportStandaloneConsolidated>\
                 <DateOfStartOfReportingPeriod contextRef='{id}'>{start}</DateOfStartOfReportingPeriod>\
                 <DateOfEndOfReportingPeriod contextRef='{id}'>2019-09-30</DateOfEndOfReportingPeriod>"
            )
        };
        let figures = "<TaxExpense contextRef='OneD' unitRef='INR'>5</TaxExpense>\
             <TaxExpense contextRef='FourD' unitRef='INR'>14</TaxExpense><Assets contextRef='OneI' unitRef='INR'>900</Assets>";
        let dates = format!("{}{}", context("OneD", "2019-07-01"), context("FourD", "2019-04-01"));
        let symbol = "<Symbol contextRef='OneD'>AROHI</Symbol>";
        let row = |tag: &str, quarters: &str, value: &str| {
            format!("AROHI,,,,,in-bse-fin,{tag},2019-09-30,{quarters},Standalone,INR,{value}")
        };
        assert_eq!(
            read(&format!("<xbrl xmlns:in-bse-fin='x'>{symbol}{dates}{figures}</xbrl>")).1,
            [row("TaxExpense", "1", "5"), row("TaxExpense", "2", "14"), row("Assets", "0", "900")]
        );
        // Without dates the period of the figures is unknown: they remain rows, to be refused and counted.
        let nameless = read(&format!("<xbrl>{symbol}{figures}</xbrl>")).1;
        assert_eq!(nameless.len(), 3);
        assert_eq!(nameless[0], ",,,,,in-bse-fin,TaxExpense,,,,,5");
    }

    #[test]
    fn figures_have_the_periods_that_the_report_states() {
        let (kind, rows) = read(REPORT);
        assert_eq!(kind, RawDocument::Results);
        let row = |tag: &str, quarters: &str, unit: &str, value: &str| {
            format!("AROHI,,,,2024-04-20,in-bse-fin,{tag},2024-03-31,{quarters},Standalone,{unit},{value}")
        };
        assert_eq!(
            rows,
            [
                row("RevenueFromOperations", "1", "INR", "700.00"),
                // The context claims to be the quarter; it is the year.
                row("RevenueFromOperations", "4", "INR", "2500.00"),
                row("Assets", "0", "INR", "9000"),
                row("PaidUpValueOfEquityShareCapital", "1", "INR", "50"),
                row("FaceValueOfEquityShareCapital", "1", "INR per share", "2"),
                row("PercentageOfNpa", "1", "pure", "0.0098"),
                row("PaidUpShares", "1", "shares", "25"),
            ]
        );
    }
}
