//! The origin of companies' sectors, and the precedence of sources.

use super::*;

const LIST: &str = "Company Name,Industry,Symbol,Series,ISIN Code\n";

fn sector<'a>(market: &'a RawMarket, symbol: &str) -> (Option<&'a str>, Option<&'static str>) {
    let company = market.company(symbol);
    (company.sector.as_deref(), company.sector_source.map(SectorSource::word))
}

#[test]
fn an_own_file_stands_before_lists_and_lists_before_what_is_read_off() {
    let symbols = ["OWN", "LISTED", "INDEXED", "NAMED", "NOTHING", "BOTHWAYS", "OLDNAME"];
    let days: Vec<(&str, &[f64])> = symbols.iter().map(|symbol| (*symbol, [10.0, 10.0].as_slice())).collect();
    let market = Raw::new()
        .days(&days)
        .file(
            "lists_202412/ind_nifty50list.csv",
            &format!("{LIST}Own Bank,IT,OWN,EQ,INE000A01011\nListed Sugars,METALS,LISTED,EQ,INE000B01011\nNothing,CONSUMER GOODS,NOTHING,EQ,INE000C01011\n"),
        )
        .file(
            "lists_202412/ind_niftyfmcglist.csv",
            &format!("{LIST}Indexed Bank Ltd.,CONSUMER GOODS,INDEXED,EQ,INE000D01011\nListed Sugars,METALS,LISTED,EQ,INE000B01011\n"),
        )
        .file(
            "EQUITY_L.csv",
            "SYMBOL,NAME OF COMPANY,SERIES,DATE OF LISTING,PAID UP VALUE,MARKET LOT,ISIN NUMBER,FACE VALUE\n\
             NAMED,Named Textiles Limited,EQ,06-OCT-2008,5,1,INE000E01011,5\n\
             BOTHWAYS,Tea and Petroleum Limited,EQ,06-OCT-2008,5,1,INE000F01011,5\n",
        )
        .file("own.csv", "symbol,sector,industry\nOWN,PHARMA,Generics\nOLDNAME,metals & mining,\n")
        .india();
    assert_eq!(sector(&market, "OWN"), (Some("Healthcare"), Some("own_file")));
    assert_eq!(market.company("OWN").industry.as_deref(), Some("Generics"));
    assert_eq!(sector(&market, "LISTED"), (Some("Metals & Mining"), Some("index_list")));
    assert_eq!(sector(&market, "INDEXED"), (Some("Fast Moving Consumer Goods"), Some("sector_index")));
    assert_eq!(sector(&market, "NAMED"), (Some("Textiles"), Some("name")));
    assert_eq!(sector(&market, "NOTHING"), (None, None));
    assert_eq!(sector(&market, "BOTHWAYS"), (None, None));
    assert_eq!(sector(&market, "OLDNAME"), (Some("Metals & Mining"), Some("own_file")));
    let message = market.report.exceptions.join("\n");
    for words in [
        "2 companies have no sector; a file with the columns symbol,sector",
        "1 company has the sector of an index",
        "1 company has the sector that a word of the name says",
        "sectors of own files that no other company has: Healthcare",
    ] {
        assert!(message.contains(words), "{words}: {message}");
    }
}

#[test]
fn files_of_ones_own_may_say_either_or_both() {
    let market = Raw::new()
        .days(&[("AROHI", &[10.0]), ("BELA", &[10.0])])
        .file("a_20250101/sectors.csv", "symbol,sector\nAROHI,Power\nBELA,Power\n")
        .file("b_20250102/sectors.csv", "Symbol,Sector\nBELA,Realty\n")
        .file("industries.csv", "symbol,industry\nBELA,Housing\n")
        .india();
    assert_eq!(sector(&market, "AROHI"), (Some("Power"), Some("own_file")));
    assert_eq!(sector(&market, "BELA"), (Some("Realty"), Some("own_file")), "the newer file stands");
    assert_eq!(market.company("BELA").industry.as_deref(), Some("Housing"));
    assert_eq!(market.report.formats["own sectors and industries"].kept, 4);
}

#[test]
fn an_industry_says_the_sector_that_its_other_companies_have() {
    let symbols = ["A1", "A2", "A3", "A4", "B1", "B2", "B3", "B4", "C1", "C2", "C3"];
    let days: Vec<(&str, &[f64])> = symbols.iter().map(|symbol| (*symbol, [10.0].as_slice())).collect();
    let member = |symbol: &str, sector: &str| format!("{symbol} Ltd.,{sector},{symbol},EQ,INE000A01011\n");
    let members = [
        ("A1", "POWER"),
        ("A2", "POWER"),
        ("A3", "Power"),
        ("B1", "Power"),
        ("B2", "Power"),
        ("B3", "Realty"),
        ("C1", "Realty"),
        ("C2", "Realty"),
    ];
    let list: String = members.iter().map(|(symbol, sector)| member(symbol, sector)).collect();
    let rows: Vec<String> =
        symbols.iter().map(|symbol| format!("{symbol},Industry {}", &symbol[..1])).collect();
    let market = Raw::new()
        .days(&days)
        .file("lists_202412/ind_nifty50list.csv", &format!("{LIST}{list}"))
        .file("own.csv", &format!("symbol,industry\n{}\n", rows.join("\n")))
        .india();
    assert_eq!(sector(&market, "A4"), (Some("Power"), Some("industry")));
    assert_eq!(sector(&market, "B4"), (None, None), "its industry is divided");
    assert_eq!(sector(&market, "C3"), (None, None), "two companies say too little");
}

/// A submission list of a company with this number and industry.
fn submissions(cik: u64, sic: &str) -> String {
    format!(
        r#"{{"cik":"{cik}","sic":{sic},"name":"Any Inc.","tickers":[],"filings":{{"recent":{{"accessionNumber":["{cik:010}-25-000001"],
        "filingDate":["2025-01-01"],"form":["10-K"]}},"files":[]}}}}"#
    )
}

#[test]
fn us_companies_have_the_industry_under_which_they_file() {
    let prices = ["LISTED", "FILES", "DATASET", "OLDTICK", "NAMED", "DIVIDED", "OWN"]
        .map(|symbol| format!("{symbol},2025-01-02,5,5,5,5,100\n"));
    let market = Raw::new()
        .file("asof_2025-01-02.csv", &format!("symbol,date,open,high,low,close,volume\n{}", prices.concat()))
        .file(
            "listings.csv",
            "symbol,name,sector,industry,market_cap\nLISTED,Listed Inc.,Energy,Oil,100\nNAMED,Named Bancorp Common Stock,,,100\n",
        )
        .file(
            "sp500_constituents.csv",
            "Symbol,Security,GICS Sector,GICS Sub-Industry,CIK\nNEWTICK,Old and New Inc.,Financials,Payments,9000004\n",
        )
        .file(
            "company_tickers.csv",
            "cik,ticker,title\n9000001,LISTED,Listed\n9000002,FILES,Files\n9000003,DATASET,Data\n9000004,OLDTICK,Old\n9000005,DIVIDED,Divided\n9000006,OWN,Own\n",
        )
        .file("CIK0009000001.json", &submissions(9_000_001, "\"7372\""))
        .file("CIK0009000002.json", &submissions(9_000_002, "\"7372\""))
        .file("CIK0009000005.json", &submissions(9_000_005, "3714"))
        .file("CIK0009000006.json", &submissions(9_000_006, "\"6798\""))
        .file(
            "sub.txt",
            "adsh\tcik\tname\tsic\tform\tperiod\tfiled\n0009000003-24-000001\t9000003\tData\t6021\t10-K\t20231231\t20240220\n\
             0009000003-25-000001\t9000003\tData\t6798\t10-K\t20241231\t20250101\n0009000002-24-000001\t9000002\tFiles\t1311\t10-K\t20231231\t20240220\n",
        )
        .file("own.csv", "symbol,sector\nOWN,Information Technology\n")
        .us();
    assert_eq!(sector(&market, "LISTED"), (Some("Energy"), Some("listing")));
    assert_eq!(
        sector(&market, "FILES"),
        (Some("Technology"), Some("sic")),
        "the record stands before old filings"
    );
    assert_eq!(sector(&market, "DATASET"), (Some("Real Estate"), Some("sic")), "the newest filing stands");
    assert_eq!(
        sector(&market, "OLDTICK"),
        (Some("Finance"), Some("index_list")),
        "under the company's other symbol"
    );
    assert_eq!(sector(&market, "NAMED"), (Some("Finance"), Some("name")));
    assert_eq!(sector(&market, "DIVIDED"), (None, None));
    assert_eq!(sector(&market, "OWN"), (Some("Technology"), Some("own_file")), "in the words of the market");
}

#[test]
fn the_list_of_bse_says_sectors_and_industries_by_isin() {
    let listed =
        "SYMBOL,NAME OF COMPANY,SERIES,DATE OF LISTING,PAID UP VALUE,MARKET LOT,ISIN NUMBER,FACE VALUE\n";
    let market = Raw::new()
        .days(&[("AROHI", &[10.0]), ("BELA", &[10.0]), ("CHARU", &[10.0])])
        .file("lists_202412/ind_nifty50list.csv", &format!("{LIST}Bela Ltd.,Power,BELA,EQ,INE000B01011\n"))
        .file(
            "EQUITY_L.csv",
            &format!(
                "{listed}AROHI,Arohi Textiles Limited,EQ,06-OCT-2008,5,1,INE000A01029,5\n\
                 CHARU,Charu Limited,EQ,06-OCT-2008,5,1,INE000C01011,5\n"
            ),
        )
        .file(
            "ListOfScrips.csv",
            "Security Code,Issuer Name,Security Id,Security Name,Status,Group,Face Value,ISIN No,Industry,Instrument,Sector Name,Industry New Name,Igroup Name,ISubgroup Name\n\
             500001,Arohi Ltd,AROHIT,Arohi Ltd,Active,A ,5.00,INE000A01011,,Equity,Energy,\"Oil, Gas & Consumable Fuels\",Gas,LPG/CNG Supplier,\n\
             500002,Bela Ltd,BELA,Bela Ltd,Active,A ,5.00,INE000B01011,,Equity,Utilities,Utilities,Other Utilities,Water Supply,\n\
             500004,Bela Ltd,BELABOND,Bela Ltd,Active,F ,5.00,INE000B07011,,Bonds,,,,,\n\
             500003,Fund,FUND,Fund,Active,F ,5.00,INF000D01011,,Equity,,,,,\n",
        )
        .india();
    // The first company's share has had another ISIN since a split.
    assert_eq!(sector(&market, "AROHI"), (Some("Oil Gas & Consumable Fuels"), Some("other_exchange")));
    assert_eq!(market.company("AROHI").industry.as_deref(), Some("Gas"));
    assert_eq!(sector(&market, "BELA"), (Some("Power"), Some("index_list")), "NSE's own list stands first");
    assert_eq!(market.company("BELA").industry.as_deref(), Some("Other Utilities"));
    assert_eq!(sector(&market, "CHARU"), (None, None));
    assert_eq!(market.refused(Reason::IsinNotIne), 1);
}
