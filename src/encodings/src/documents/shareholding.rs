//! Shareholding patterns in XBRL, as Indian exchanges publish them: the taxonomy `in-bse-shp`, one row per filing.
//!
//! The form has one figure, percent of all shares, once for each class of holders; the class is the only member of its context. The ids of
//! undeclared contexts contain it (`MutualFundsOrUtiI`, since 2025 `MutualFundsOrUTI_ContextI`). Figures are percent until the taxonomy of
//! October 2025, fractions since; the largest figure decides. Forms before 2022 have one figure for all institutions and one for the
//! foreign ones among them; the difference counts as domestic only if the form has no unnamed institutions.
//!
//! Pledges are counts of shares. Forms before 2025 have one count for shares pledged or otherwise encumbered; later ones have a count for
//! each, and only the count of pledged shares is read. A form that denies pledges has no count.

use std::collections::HashMap;
use std::io;

use crate::documents::put_rows::DocumentRows;
use crate::documents::xml::XmlNode;

pub(super) const COLUMNS: [&str; 14] = [
    "SYMBOL", "DATE", "PROMOTER_PCT", "PUBLIC_PCT", "FII_PCT", "DII_PCT", "MUTUAL_FUND_PCT", "INSURER_PCT",
    "GOVERNMENT_PCT", "NON_INSTITUTION_PCT", "EMPLOYEE_TRUSTS_PCT", "PLEDGED_SHARES", "PROMOTER_SHARES",
    "ALL_SHARES",
];

/// The tag of the percentage of all shares.
const PERCENT_TAG: &str = "ShareholdingAsAPercentageOfTotalNumberOfShares";

/// Tags of the counts of pledged shares and of shares; the first tag that a form has is read.
const PLEDGED_TAGS: [&str; 2] = ["NumberOfSharesEncumberedUnderPledged", "PledgedOrEncumberedNumberOfShares"];
const SHARES_TAGS: [&str; 2] = ["NumberOfShares", "NumberOfFullyPaidUpEquityShares"];

/// Names of the class of promoters, and of the class of all holders.
const PROMOTERS: [&str; 2] = ["shareholdingofpromoterandpromotergroup", "promoterandpromotergroup"];
const ALL_HOLDERS: [&str; 1] = ["shareholdingpattern"];

/// The taxonomy, and the class of all holders; the beginning of a filing has one of these texts.
const MARKERS: [&str; 2] = ["in-bse-shp", "ShareholdingPattern"];

/// Percentage points by which the sum of promoters, public and trusts may differ from 100 because of rounding.
const SUM_TOLERANCE: f64 = 0.1;

/// Returns true if XBRL that starts like this is a shareholding pattern.
pub(super) fn detect(head: &str) -> bool {
    MARKERS.iter().any(|marker| head.contains(marker))
}

pub(super) fn rows(text: &str, rows: &mut DocumentRows<'_>) -> io::Result<()> {
    let root = XmlNode::parse(text)?;
    let first_text = |name: &str| {
        let mut stated = root.children.iter().filter(|node| node.name == name && !node.text.is_empty());
        stated.next().map(|node| node.text.as_str())
    };
    let instant = || {
        let mut contexts = root.all("context").map(|context| context.text_at(&["period", "instant"]));
        contexts.find(|day| !day.is_empty())
    };
    let is_nse = |node: &XmlNode| node.attribute("scheme").is_some_and(|scheme| scheme.contains("NSESymbol"));
    let entity_symbol = || {
        let mut entities =
            root.all("context").filter_map(|context| context.element_at(&["entity", "identifier"]));
        entities.find(|entity| is_nse(entity)).map(|entity| entity.text.as_str())
    };
    let symbol = first_text("Symbol")
        .or_else(|| first_text("NSESymbol"))
        .filter(|symbol| !symbol.contains(' '))
        .or_else(entity_symbol);
    let date = first_text("DateOfReport").or_else(instant).unwrap_or_default();
    let members = holder_classes(&root);
    let figures = HolderClasses::from_percents(&root, &members)
        .figures()
        .map(|figure| figure.map(|figure| format!("{figure:.4}")).unwrap_or_default());
    let counts =
        counts(&root, &members).map(|count| count.map(|count| count.to_string()).unwrap_or_default());
    let cells = [symbol.unwrap_or_default().to_owned(), date.to_owned()];
    let cells: Vec<String> = cells.into_iter().chain(figures).chain(counts).collect();
    rows.push_row(&cells);
    Ok(())
}

/// Returns the numbers of pledged shares of promoters, of shares of promoters, and of all shares.
fn counts(root: &XmlNode, members: &HashMap<&str, Option<String>>) -> [Option<f64>; 3] {
    let count = |names: [&str; 2], classes: &[&str]| {
        let read = |name: &&str| HolderClasses::from_facts(root, members, name).first_value(classes);
        names.iter().find_map(read)
    };
    let mut answers = root.children.iter().filter(|fact| {
        fact.name.starts_with("WhetherAnySharesHeldByPromoters") && fact.name.contains("Pledge")
    });
    let is_no = |fact: &XmlNode| matches!(fact.text.to_ascii_lowercase().as_str(), "false" | "no");
    let denied = || (answers.clone().next().is_some() && answers.all(is_no)).then_some(0.0);
    [
        count(PLEDGED_TAGS, &PROMOTERS).or_else(denied),
        count(SHARES_TAGS, &PROMOTERS),
        count(SHARES_TAGS, &ALL_HOLDERS),
    ]
}

/// Returns the class of each declared context by its id; `None` for a context with other details.
fn holder_classes(root: &XmlNode) -> HashMap<&str, Option<String>> {
    root.all("context")
        .map(|context| (context.attribute("id").unwrap_or_default(), holder_class(context)))
        .collect()
}

/// A figure of each class of holders, by the lower-case name of the class.
struct HolderClasses(HashMap<String, f64>);

impl HolderClasses {
    /// Reads the facts with a tag.
    fn from_facts(root: &XmlNode, members: &HashMap<&str, Option<String>>, name: &str) -> Self {
        let mut classes = HashMap::new();
        for fact in root.all(name) {
            let id = fact.attribute("contextRef").unwrap_or_default();
            let class = match members.get(id) {
                Some(member) => member.clone(),
                None => Some(class_in_id(id)),
            };
            if let (Some(class), Ok(figure)) = (class, fact.text.parse::<f64>()) {
                classes.entry(class).or_insert(figure);
            }
        }
        Self(classes)
    }

    /// Reads the percentages of all shares; fractions become percent.
    fn from_percents(root: &XmlNode, members: &HashMap<&str, Option<String>>) -> Self {
        let Self(mut classes) = Self::from_facts(root, members, PERCENT_TAG);
        let most = classes.values().copied().fold(0.0, f64::max);
        if most <= 1.0 + 1e-9 {
            for figure in classes.values_mut() {
                *figure *= 100.0;
            }
        }
        Self(classes)
    }

    fn first_value(&self, names: &[&str]) -> Option<f64> {
        names.iter().find_map(|name| self.0.get(*name).copied())
    }

    /// Returns the percentages in the order of the columns; `None` for a class that the form lacks.
    fn figures(&self) -> [Option<f64>; 9] {
        let public = self.first_value(&["publicshareholding"]);
        let trusts = self.first_value(&["employeebenefitstrusts", "sharesheldbyemployeetrusts"]);
        // The form of a company without promoters has no figure for them.
        let held = public.unwrap_or(0.0) + trusts.unwrap_or(0.0);
        let no_promoters = || (held >= 100.0 - SUM_TOLERANCE).then_some(0.0);
        let foreign = self.first_value(&["institutionsforeign"]).or_else(|| self.sum_foreign());
        [
            self.first_value(&PROMOTERS).or_else(no_promoters),
            public,
            foreign,
            self.first_value(&["institutionsdomestic"]).or_else(|| self.remaining_domestic()),
            self.first_value(&["mutualfundsoruti"]),
            self.first_value(&["insurancecompanies"]),
            // The taxonomies of 2022 to 2025 misspell it.
            self.first_value(&[
                "governments",
                "goverments",
                "centralgovernmentorstategovernmentsorpresidentofindia",
            ]),
            self.first_value(&["noninstitutions"]),
            trusts,
        ]
    }

    /// Returns the sum of foreign portfolio and venture capital investors, for forms before 2022.
    fn sum_foreign(&self) -> Option<f64> {
        let portfolio = self.first_value(&["institutionsforeignportfolioinvestor"])?;
        Some(portfolio + self.first_value(&["foreignventurecapitalinvestors"]).unwrap_or(0.0))
    }

    /// Returns all institutions minus the foreign ones, for forms before 2022; `None` if there are unnamed ones, which may be domestic or
    /// foreign.
    fn remaining_domestic(&self) -> Option<f64> {
        let unnamed = self.first_value(&["otherinstitutions"]).unwrap_or(0.0);
        let domestic = self.first_value(&["institutions"])? - self.sum_foreign()?;
        (unnamed < SUM_TOLERANCE / 10.0).then(|| domestic.max(0.0))
    }
}

/// Returns the class of a context, which is the name of its member without the suffix; `None` if the context has other details.
fn holder_class(context: &XmlNode) -> Option<String> {
    let mut members = Vec::new();
    let mut details = 0;
    context.visit_descendants(&mut |node| match node.name.as_str() {
        "explicitMember" => members.push(node.text.as_str()),
        "typedMember" => details += 1,
        _ => {}
    });
    let [member] = members.as_slice() else {
        // Some forms declare contexts without a member, with the class as id.
        let is_plain = members.is_empty() && details == 0;
        return is_plain.then(|| class_in_id(context.attribute("id").unwrap_or_default()));
    };
    let name = member.rsplit(':').next().unwrap_or(member);
    (details == 0).then(|| name.strip_suffix("Member").unwrap_or(name).to_lowercase())
}

/// Returns the class in the id of a context.
fn class_in_id(id: &str) -> String {
    let class = id.strip_suffix("_ContextI").or_else(|| id.strip_suffix('I')).unwrap_or(id);
    class.to_lowercase()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use crate::documents::document::RawDocument;
    use crate::documents::document::tests::read;

    /// An invented filing; contexts are declared with their member if `is_declared`.
    fn filing(ending: &str, is_declared: bool, classes: &[(&str, f64)]) -> String {
        let mut text =
            "<?xml version=\"1.0\"?><xbrli:xbrl xmlns:xbrli=\"x\" xmlns:in-bse-shp=\"y\">".to_owned();
        let place = "<xbrli:entity><xbrli:identifier scheme=\"s\">1</xbrli:identifier></xbrli:entity><xbrli:period><xbrli:instant>2026-06-30</xbrli:instant></xbrli:period>";
        for (class, _) in classes.iter().filter(|_| is_declared) {
            write!(text, "<xbrli:context id=\"{class}{ending}\">{place}<xbrli:scenario><xbrldi:explicitMember dimension=\"in-bse-shp:CategoryOfShareholdersAxis\">in-bse-shp:{class}Member</xbrldi:explicitMember></xbrli:scenario></xbrli:context>").unwrap();
        }
        write!(text, "<xbrli:context id=\"Fund1\">{place}<xbrli:scenario><xbrldi:explicitMember>in-bse-shp:MutualFundsOrUTIMember</xbrldi:explicitMember><xbrldi:typedMember>1</xbrldi:typedMember></xbrli:scenario></xbrli:context>").unwrap();
        text.push_str("<in-bse-shp:Symbol contextRef=\"M\">AROHI</in-bse-shp:Symbol><in-bse-shp:DateOfReport contextRef=\"M\">2026-06-30</in-bse-shp:DateOfReport>");
        text.push_str("<in-bse-shp:ShareholdingAsAPercentageOfTotalNumberOfShares contextRef=\"Fund1\">0.5</in-bse-shp:ShareholdingAsAPercentageOfTotalNumberOfShares>");
        for (class, figure) in classes {
            write!(text, "<in-bse-shp:ShareholdingAsAPercentageOfTotalNumberOfShares contextRef=\"{class}{ending}\">{figure}</in-bse-shp:ShareholdingAsAPercentageOfTotalNumberOfShares>").unwrap();
        }
        text + "</xbrli:xbrl>"
    }

    #[test]
    fn fractions_of_the_newest_form_are_percent() {
        let classes = [
            ("ShareholdingPattern", 1.0),
            ("ShareholdingOfPromoterAndPromoterGroup", 0.5011),
            ("PublicShareholding", 0.4949),
            ("InstitutionsForeign", 0.1906),
            ("InstitutionsDomestic", 0.1946),
            ("MutualFundsOrUTI", 0.09),
            ("InsuranceCompanies", 0.075),
            ("Governments", 0.0017),
            ("NonInstitutions", 0.108),
            ("EmployeeBenefitsTrusts", 0.004),
        ];
        let row = "AROHI,2026-06-30,50.1100,49.4900,19.0600,19.4600,9.0000,7.5000,0.1700,10.8000,0.4000,,,";
        for is_declared in [true, false] {
            let (document, rows) = read(&filing("_ContextI", is_declared, &classes));
            assert_eq!((document, rows), (RawDocument::Shareholding, vec![row.to_owned()]));
        }
    }

    #[test]
    fn older_forms_add_institutions_up() {
        let classes = [
            ("ShareholdingPattern", 100.0),
            ("ShareholdingOfPromoterAndPromoterGroup", 60.0),
            ("PublicShareholding", 40.0),
            ("Institutions", 15.0),
            ("InstitutionsForeignPortfolioInvestor", 9.5),
            ("ForeignVentureCapitalInvestors", 0.5),
            ("MutualFundsOrUti", 5.0),
            ("NonInstitutions", 25.0),
        ];
        let row = read(&filing("I", true, &classes)).1;
        assert_eq!(row, ["AROHI,2026-06-30,60.0000,40.0000,10.0000,5.0000,5.0000,,,25.0000,,,,"]);
        // Unnamed institutions may be foreign or domestic.
        let unnamed: Vec<_> = classes.into_iter().chain([("OtherInstitutions", 1.0)]).collect();
        let row = read(&filing("I", true, &unnamed)).1;
        assert_eq!(row, ["AROHI,2026-06-30,60.0000,40.0000,10.0000,,5.0000,,,25.0000,,,,"]);
    }

    #[test]
    fn a_company_may_have_no_promoters() {
        let row = read(&filing("_ContextI", true, &[("PublicShareholding", 1.0)])).1;
        assert_eq!(row, ["AROHI,2026-06-30,0.0000,100.0000,,,,,,,,,,"]);
        // Without the public, the promoters' share is unknown.
        let row = read(&filing("_ContextI", true, &[("EmployeeBenefitsTrusts", 0.01)])).1;
        assert_eq!(row, ["AROHI,2026-06-30,,,,,,,,,1.0000,,,"]);
    }

    #[test]
    fn pledges_are_counts_of_the_promoters_shares() {
        let form = |facts: &[(&str, &str, &str)]| {
            let facts = facts.iter().map(|(name, context, text)| {
                format!("<in-bse-shp:{name} contextRef=\"{context}\">{text}</in-bse-shp:{name}>")
            });
            let text = filing("_ContextI", false, &[("PublicShareholding", 0.4)]);
            let text = text.replace("</xbrli:xbrl>", &(facts.collect::<String>() + "</xbrli:xbrl>"));
            read(&text).1[0].rsplitn(4, ',').take(3).map(str::to_owned).collect::<Vec<_>>()
        };
        let promoters = "ShareholdingOfPromoterAndPromoterGroup_ContextI";
        let shares = [
            ("NumberOfShares", promoters, "600"),
            ("NumberOfShares", "ShareholdingPattern_ContextI", "1000"),
        ];
        // From the last column on: all shares, those of promoters, the pledged ones.
        let with = |more: &[(&str, &str, &str)]| form(&[&shares[..], more].concat());
        let answer = "WhetherAnySharesHeldByPromotersAreEncumberedUnderPledged";
        assert_eq!(
            with(&[
                ("NumberOfSharesEncumbered", promoters, "200"),
                ("NumberOfSharesEncumberedUnderPledged", "Indian_ContextI", "90"),
                ("NumberOfSharesEncumberedUnderPledged", promoters, "150"),
            ]),
            ["1000", "600", "150"]
        );
        assert_eq!(with(&[("PledgedOrEncumberedNumberOfShares", promoters, "150")]), ["1000", "600", "150"]);
        assert_eq!(with(&[(answer, "MainI", "false")]), ["1000", "600", "0"]);
        assert_eq!(with(&[(answer, "MainI", "false"), (answer, "Other", "true")]), ["1000", "600", ""]);
        assert_eq!(with(&[]), ["1000", "600", ""]);
        assert_eq!(form(&[]), ["", "", ""]);
    }
}
