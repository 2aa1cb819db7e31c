//! Writes the raw files of analysts' data; each is named after the table that it fills.

use super::banking::Banking;
use super::{banking, groups, guidance, orders, sector_figures, two_decimals};
use crate::DemoError;
use crate::output::{OutputFolder, hundredths, push_json};
use crate::ownership::Ownership;
use crate::world::World;

/// The source named in every row.
const SOURCE: &str = "invented by the demo market";

/// Writes all files.
pub(crate) fn write(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    write_pledges(world, output)?;
    write_banking(world, output)?;
    write_sector_figures(world, output)?;
    write_groups(world, output)?;
    write_orders(world, output)?;
    write_guidance(world, output)
}

fn write_pledges(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    const HEADER: &str = "symbol,period_end,promoter_pct,pledge_pct,pledged_shares,filed_on,source";
    let rows = world.main_board().flat_map(|listing| {
        Ownership::generate(world, listing).quarters.into_iter().map(|quarter| {
            [
                listing.company.symbol.clone(),
                quarter.end.to_string(),
                hundredths(u128::from(quarter.promoters)),
                hundredths(u128::from(quarter.pledged)),
                quarter.pledged_shares.map(|shares| shares.to_string()).unwrap_or_default(),
                quarter.filed.to_string(),
                SOURCE.to_owned(),
            ]
        })
    });
    output.table("pledges.csv", HEADER, rows)
}

fn write_banking(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    const HEADER: &str = "symbol,period_end,lender_type,advances_cr,deposits_cr,nii_cr,nim_pct,casa_pct,gnpa_pct,nnpa_pct,\
        pcr_pct,slippage_pct,credit_cost_pct,credit_growth_pct,deposit_growth_pct,credit_deposit_pct,\
        cost_to_income_pct,capital_adequacy_pct,filed_on,source";
    let rows = world.main_board().flat_map(|listing| {
        let quarters = banking::quarters(world, listing).into_iter();
        quarters.map(move |quarter| banking_row(&listing.company.symbol, &quarter))
    });
    output.table("banking_kpis.csv", HEADER, rows)
}

fn banking_row(symbol: &str, quarter: &Banking) -> [String; 20] {
    let percent = |figure: Option<f64>| figure.map(two_decimals).unwrap_or_default();
    let crore = |lakhs: i64| two_decimals(lakhs as f64 / 100.0);
    [
        symbol.to_owned(),
        quarter.end.to_string(),
        (if quarter.is_bank { "bank" } else { "lender" }).to_owned(),
        crore(quarter.advances),
        quarter.deposits.map(crore).unwrap_or_default(),
        crore(quarter.net_interest_income),
        percent(quarter.margin),
        percent(quarter.casa),
        two_decimals(quarter.gross_bad),
        two_decimals(quarter.net_bad),
        percent(quarter.cover),
        percent(quarter.slippage),
        percent(quarter.credit_cost),
        percent(quarter.credit_growth),
        percent(quarter.deposit_growth),
        percent(quarter.credit_deposit),
        percent(quarter.cost_to_income),
        two_decimals(quarter.capital_adequacy),
        quarter.filed.to_string(),
        SOURCE.to_owned(),
    ]
}

fn write_sector_figures(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    const HEADER: &str = "symbol,period_end,kpi,kpi_name,kpi_value,kpi_unit,filed_on,source";
    let rows = world.main_board().flat_map(|listing| {
        sector_figures::figures(world, listing).into_iter().map(|figure_row| {
            [
                listing.company.symbol.clone(),
                figure_row.end.to_string(),
                figure_row.figure.code.to_owned(),
                figure_row.figure.name.to_owned(),
                two_decimals(figure_row.value),
                figure_row.figure.unit.to_owned(),
                figure_row.filed.to_string(),
                SOURCE.to_owned(),
            ]
        })
    });
    output.table("sector_kpis.csv", HEADER, rows)
}

fn write_groups(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    const HEADER: &str = "group_name,symbol,group_role,stake_pct,known_since,source";
    let rows = groups::members(world).into_iter().map(|member| {
        [
            member.group,
            member.listing.company.symbol.clone(),
            member.role.to_owned(),
            member.stake.map(|stake| hundredths(u128::from(stake))).unwrap_or_default(),
            member.since.to_string(),
            SOURCE.to_owned(),
        ]
    });
    output.table("conglomerate_groups.csv", HEADER, rows)
}

fn write_orders(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    const SOURCE: &str = "invented filing of the demo market";
    const HEADER: &str = "symbol,filed_on,title,client,segment,geography,value_cr,execution_months,ai_summary,confidence,\
        source";
    let rows = world.main_board().flat_map(|listing| {
        orders::orders(world, listing).into_iter().map(|order| {
            [
                listing.company.symbol.clone(),
                order.filed.to_string(),
                order.title,
                order.client.unwrap_or_default(),
                order.segment.to_owned(),
                order.geography.to_owned(),
                order.value.map(|value| value.to_string()).unwrap_or_default(),
                order.months.to_string(),
                order.summary,
                order.confidence.to_owned(),
                SOURCE.to_owned(),
            ]
        })
    });
    output.table("order_wins.csv", HEADER, rows)
}

fn write_guidance(world: &World, output: &mut OutputFolder) -> Result<(), DemoError> {
    let mut text = Vec::new();
    for listing in world.main_board() {
        for call in guidance::calls(world, listing) {
            let row = serde_json::json!({
                "symbol": listing.company.symbol,
                "period_end": call.end.to_string(),
                "call_date": call.call.to_string(),
                "tone_score": call.tone_score,
                "guidance_change": call.change,
                "guidance": call.statements,
                "confidence": call.confidence,
                "source": "invented call of the demo market, no advice",
                "written_by": "the demo market's generator",
            });
            push_json(&mut text, &row);
        }
    }
    output.file("guidance_tones.ndjson", &text)
}
