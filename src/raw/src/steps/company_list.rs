//! Companies and members of indices, from lists.
//!
//! There is a company for every stock with bars or, without any price file, for every filer; values that no list has stay empty. A list
//! without a date gets one, which the report names.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::NaiveDate;

use crate::domain::company::Company;
use crate::domain::member::Member;
use crate::instrument_filter::DatedIsin;
use crate::reference_data::{MemberList, ReferenceData};
use crate::report::{DateFrom, ListUse, Report};
use crate::sectors::finder::SectorFinder;
use crate::security_name::company_name;
use parquote_catalogue::operation::Market;

/// Returns the companies of the symbols, in their order.
pub(crate) fn companies<'a>(
    symbols: impl Iterator<Item = &'a str>,
    market: Market,
    reference: &ReferenceData,
    isins: &HashMap<String, DatedIsin>,
) -> Vec<Company> {
    let sectors = SectorFinder::new(market, reference);
    let filers: HashMap<&str, &str> = reference.ciks.names().map(|(name, symbol)| (symbol, name)).collect();
    symbols
        .map(|symbol| {
            let listed = reference.listings.get(symbol).cloned().unwrap_or_default();
            let member = reference.member_facts.get(symbol).cloned().unwrap_or_default();
            let isin_in_prices =
                isins.get(symbol).map(|(_, isin)| String::from_utf8_lossy(isin).into_owned());
            let short_name = reference.short_names.get(symbol).cloned();
            let industry = reference.sectors.user_industry(symbol).map(str::to_owned);
            let exchange = (market == Market::India).then(|| "NSE".to_owned());
            let filer = filers.get(symbol).map(|name| (*name).to_owned());
            let name = listed.name.or(member.name).or(short_name).or(filer);
            let isin = listed.isin.or(member.isin).or(isin_in_prices);
            let classification =
                isin.as_deref().and_then(|isin| reference.sectors.classification_of_share(isin));
            let classified = classification.and_then(|share| share.industry.clone());
            let (sector, sector_source) = sectors.find(symbol, name.as_deref(), isin.as_deref()).unzip();
            Company {
                symbol: symbol.to_owned(),
                name,
                sector,
                sector_source,
                industry: industry.or(listed.industry).or(member.industry).or(classified),
                isin,
                exchange: exchange.or(listed.exchange),
                listed_on: listed.since,
                cap_counted_in_symbol: None,
            }
        })
        .collect()
}

/// Replaces the names of securities with those of their companies, after the classes of shares have been distinguished.
pub(crate) fn name_companies(companies: &mut [Company]) {
    for name in companies.iter_mut().filter_map(|company| company.name.as_mut()) {
        *name = company_name(name).to_owned();
    }
}

fn symbols_of(list: &MemberList) -> BTreeSet<&str> {
    list.members.iter().map(|member| member.symbol.as_str()).collect()
}

/// Returns the lists of members to use, in their order. A truncated list would show its missing members as having left, so it is used only
/// for an index without a whole list.
fn usable_lists<'a>(lists: &'a [MemberList], report: &mut Report) -> Vec<&'a MemberList> {
    let is_truncated =
        |list: &MemberList| report.unreadable.iter().any(|file| file.is_fault && file.file == list.file);
    let (truncated, whole): (Vec<&MemberList>, Vec<&MemberList>) =
        lists.iter().partition(|list| is_truncated(list));
    let (left_out, sole): (Vec<&MemberList>, Vec<&MemberList>) =
        truncated.into_iter().partition(|list| whole.iter().any(|other| other.index == list.index));
    report.exceptions.extend(
        left_out.iter().map(|list| {
            format!("{} is cut and not used: its index {} has other lists", list.file, list.index)
        }),
    );
    whole.into_iter().chain(sole).collect()
}

/// Returns the members of all lists, by index, date and symbol; `assumed` dates the lists without a date in their path.
pub(crate) fn members(
    lists: &[MemberList],
    assumed: (NaiveDate, DateFrom),
    report: &mut Report,
) -> Vec<Member> {
    let mut chosen: BTreeMap<(&str, NaiveDate), (&MemberList, DateFrom)> = BTreeMap::new();
    for list in usable_lists(lists, report) {
        let (date, from) = list.date.map_or(assumed, |date| (date, DateFrom::Path));
        // Lists are ordered from old to new, so the last of one date wins.
        if let Some((other, _)) = chosen.insert((&list.index, date), (list, from))
            && symbols_of(other) != symbols_of(list)
        {
            report
                .exceptions
                .push(format!("{} lists {} of {date} too; {} is used", other.file, list.index, list.file));
        }
    }
    let mut members = Vec::new();
    for ((index, date), (list, from)) in chosen {
        let members_of_list: BTreeMap<&str, Option<&String>> =
            list.members.iter().map(|member| (member.symbol.as_str(), member.name.as_ref())).collect();
        report.lists.push(ListUse {
            index: index.to_owned(),
            date,
            date_from: from,
            members: members_of_list.len() as u64,
            file: list.file.clone(),
        });
        members.extend(members_of_list.into_iter().map(|(symbol, name)| Member {
            index: index.to_owned(),
            list_date: date,
            symbol: symbol.to_owned(),
            name: name.cloned(),
        }));
    }
    members
}
