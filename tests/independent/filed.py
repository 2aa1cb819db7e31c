"""Cases of SEC filings: filings, insiders' transactions, holdings of institutional investors."""

import json
import os
import re
import xml.etree.ElementTree as ET
import zipfile
from collections import defaultdict

from market import before, day, rounded

ITEMS = {
    "1.01": "Entry into a Material Definitive Agreement", "1.05": "Material Cybersecurity Incidents",
    "2.02": "Results of Operations and Financial Condition", "2.03": "Creation of a Direct Financial Obligation",
    "2.05": "Costs Associated with Exit or Disposal Activities", "3.02": "Unregistered Sales of Equity Securities",
    "4.01": "Changes in Registrant's Certifying Accountant",
    "5.02": "Departure or Election of Directors or Certain Officers; Compensatory Arrangements",
    "5.07": "Submission of Matters to a Vote of Security Holders", "7.01": "Regulation FD Disclosure", "8.01": "Other Events",
    "9.01": "Financial Statements and Exhibits",
}
CODES = {
    "P": "Purchase", "S": "Sale", "A": "Grant or award", "F": "Shares withheld for price or tax", "G": "Gift",
    "M": "Exercise or conversion of a derivative",
}


def write(market, case):
    filings(market, case)
    insiders(market, case)
    investors(market, case)


def members(market, name):
    with zipfile.ZipFile(os.path.join(market.folder, "sec", name)) as archive:
        return {member: archive.read(member).decode() for member in sorted(archive.namelist())}


def ciks(market):
    with open(os.path.join(market.folder, "sec", "company_tickers.json")) as file:
        return {row["cik_str"]: row["ticker"] for row in json.load(file).values()}


def title(form, items, period):
    if form.startswith("8-K") and items:
        numbers = items.split(",")
        shown = [n for n in numbers if n != "9.01"] or numbers
        return "; ".join(ITEMS[n] for n in shown)
    words = {"10-Q": "Quarterly report", "10-K": "Annual report"}.get(form.removesuffix("/A"))
    if words:
        return f"{words} for the period ended {period}" + (", amended" if form.endswith("/A") else "")
    return {"4": "Statement of changes in an insider's holdings", "DEF 14A": "Form DEF 14A"}[form]


def filings(market, case):
    found = []
    for text in members(market, "submissions.zip").values():
        company = json.loads(text)
        symbol, lists = company["tickers"][0], company["filings"]["recent"]
        for i, number in enumerate(lists["accessionNumber"]):
            form, items, period = lists["form"][i], lists["items"][i] or None, lists["reportDate"][i] or None
            found.append({
                "symbol": symbol, "company_name": market.names.get(symbol), "sector": market.sectors.get(symbol), "form": form,
                "title": title(form, items, period), "items": items, "filed_on": lists["filingDate"][i],
                "accepted_at": lists["acceptanceDateTime"][i][:19], "report_date": period, "cik": company["cik"],
                "accession": number, "document": None,
                "url": f"https://www.sec.gov/Archives/edgar/data/{int(company['cik'])}/{number.replace('-', '')}/{number}-index.htm",
                "source": market.source("SEC filings"),
            })
    found.sort(key=lambda f: (f["accession"], f["cik"]))
    found.sort(key=lambda f: (f["filed_on"], f["accepted_at"]), reverse=True)
    since = lambda days, *forms: [f for f in found if before(market.last, days) <= f["filed_on"] <= market.last
                                  and (not forms or f["form"] in forms)]
    current = since(14, "8-K", "8-K/A")
    case("us-sec-feed.default", "us/feeds/sec", {"@len": min(25, len(current)), "@exactly": current[:25]},
         "Current reports of 14 days and 25 rows where nothing is given.")
    quarterly = since(90, "10-Q", "10-Q/A")
    case("us-sec-feed.quarterly", "us/feeds/sec?form_type=10-Q&days=90&limit=50",
         {"@len": min(50, len(quarterly)), "@exactly": quarterly[:50]}, "Quarterly reports of 90 days.")
    by_symbol = defaultdict(list)
    for filing in since(90):
        by_symbol[filing["symbol"]].append(filing)
    most = min(by_symbol, key=lambda s: (-len(by_symbol[s]), s))
    case("us-sec-feed.company", f"us/feeds/sec?symbol={most}&form_type=all&days=90&limit=50",
         {"@len": min(50, len(by_symbol[most])), "@exactly": by_symbol[most][:50]}, "All forms of the company that filed most.")


def field(text, name):
    return re.search(rf"{name}:\s*(\S+)", text)[1]


def of_form(text, symbols):
    """The transactions of a Form 4 as it was filed."""
    form = ET.fromstring(text[text.index("<ownershipDocument>"):text.index("</XML>")])
    owner = form.find("reportingOwner")
    notes = {note.get("id"): note.text for note in form.iter("footnote")}
    for table, row in (("nonDerivativeTable", "nonDerivativeTransaction"), ("derivativeTable", "derivativeTransaction")):
        for it in form.iter(row):
            value = lambda name: (it.find(f".//{name}/value").text if it.find(f".//{name}/value") is not None else None)
            filed = field(text, "FILED AS OF DATE")
            yield {
                "accession": field(text, "ACCESSION NUMBER"), "filed": f"{filed[:4]}-{filed[4:6]}-{filed[6:]}",
                "symbol": symbols[int(form.find("issuer/issuerCik").text)], "person": owner.find(".//rptOwnerName").text,
                "category": ", ".join(word for flag, word in flags_of(owner)), "title": owner.find(".//officerTitle").text,
                "security": value("securityTitle"), "traded": value("transactionDate"), "code": it.find(".//transactionCode").text,
                "shares": int(value("transactionShares")), "acquired": value("transactionAcquiredDisposedCode"), "price": value("transactionPricePerShare"),
                "after": int(value("sharesOwnedFollowingTransaction")), "ownership": value("directOrIndirectOwnership"),
                "notes": " ".join(notes[note.get("id")] for note in it.iter("footnoteId")) or None,
            }


def flags_of(owner):
    flags = (("isDirector", "Director"), ("isOfficer", "Officer"), ("isTenPercentOwner", "10% owner"))
    return [(flag, word) for flag, word in flags if owner.find(f".//{flag}").text == "1"]


def of_row(row, symbols):
    """Returns the same from a row of the table of transactions."""
    return {
        "accession": row["ACCESSION_NUMBER"], "filed": day(row["FILING_DATE"]), "symbol": symbols[int(row["ISSUERCIK"])],
        "person": row["RPTOWNERNAME"], "category": row["RPTOWNER_RELATIONSHIP"], "title": row["RPTOWNER_TITLE"] or None,
        "security": row["SECURITY_TITLE"], "traded": day(row["TRANS_DATE"]), "code": row["TRANS_CODE"],
        "shares": int(row["TRANS_SHARES"]), "acquired": None, "price": row["TRANS_PRICEPERSHARE"] or None,
        "after": int(row["SHRS_OWND_FOLWNG_TRANS"]), "ownership": row["DIRECT_INDIRECT_OWNERSHIP"], "notes": row["FOOTNOTES"] or None,
    }


def held_before(t, form):
    """Returns the holding before a transaction, from the holdings after each line of the same form."""
    def change(o):
        # The demo's table does not say if shares were acquired or disposed of; a gift and an exercise may be either.
        acquired = {"P": "A", "A": "A", "S": "D", "F": "D"}.get(o["code"]) if o["acquired"] is None else o["acquired"]
        return {"A": o["shares"], "D": -o["shares"], None: None}[acquired]

    lines = [o for o in form if (o["security"], o["ownership"]) == (t["security"], t["ownership"])]
    changes, afters = [change(o) for o in lines], [o["after"] for o in lines]
    if None in changes:
        return None
    if all(a + c == b for a, c, b in zip(afters, changes[1:], afters[1:])) or all(b + c == a for a, c, b in zip(afters, changes, afters[1:])):
        before = t["after"] - change(t)
    elif len(set(afters)) == 1:
        before = t["after"] - sum(changes)
    else:
        return None
    return before if before >= 0 else None


def insiders(market, case):
    symbols = ciks(market)
    raw = [of_row(row, symbols) for row in market.read("sec/insider_transactions.csv")]
    for text in members(market, "form4.zip").values():
        raw.extend(of_form(text, symbols))

    forms = defaultdict(list)
    for t in raw:
        forms[t["accession"]].append(t)

    def trade(t):
        price = None if t["price"] is None else float(t["price"])
        value = None if price is None else price * t["shares"]
        return {
            "symbol": t["symbol"], "company_name": market.names.get(t["symbol"]), "filed_on": t["filed"],
            "traded_from": t["traded"], "traded_to": t["traded"],
            "person": t["person"], "officer_title": t["title"] or None, "category": t["category"],
            "side": {"P": "buy", "S": "sell"}.get(t["code"], "other"), "transaction_type": CODES[t["code"]], "transaction_code": t["code"],
            "security_type": t["security"], "shares": t["shares"], "price": rounded(price), "value_usd": rounded(value, 0),
            "held_before": held_before(t, forms[t["accession"]]), "held_after": t["after"], "ownership": {"D": "direct", "I": "indirect"}[t["ownership"]], "footnotes": t["notes"],
            "form": "4", "accession": t["accession"], "source": market.source("insiders' forms"),
        }, value

    found = [trade(t) for t in raw if t["symbol"] in market.names]
    # The largest first; those whose price is in a footnote last, and equal ones in the order of submissions.
    found.sort(key=lambda t: (t[1] is None, -(t[1] or 0), t[0]["accession"]))
    found.sort(key=lambda t: t[0]["filed_on"], reverse=True)
    since = lambda days: [t for t, _ in found if before(market.last, days) <= t["filed_on"] <= market.last]
    by_symbol = defaultdict(list)
    for t in since(90):
        by_symbol[t["symbol"]].append(t)
    most = min(by_symbol, key=lambda s: (-len(by_symbol[s]), s))
    case("us-insider-trades.most", f"us/company/insider-trades?symbol={most}",
         {"@len": min(20, len(by_symbol[most])), "@exactly": by_symbol[most][:20]}, "The company with the most transactions in 90 days.")
    year = [t for t in since(365) if t["symbol"] == most]
    case("us-insider-trades.year", f"us/company/insider-trades?symbol={most}&days=365&limit=50",
         {"@len": min(50, len(year)), "@exactly": year[:50]}, "Its transactions of a year, older ones from the table.")
    which = next(t for t in since(365) if t["price"] is None)["symbol"]
    year = [t for t in since(365) if t["symbol"] == which]
    case("us-insider-trades.footnote", f"us/company/insider-trades?symbol={which}&days=365&limit=50",
         {"@exactly": year[:50]}, "One of its sales has its price in a footnote.")
    quiet = next(s for s in sorted(market.names) if s in market.stocks and s not in by_symbol)
    case("us-insider-trades.none", f"us/company/insider-trades?symbol={quiet}", {"@len": 0}, "A company without transactions in 90 days.")


def reports(market):
    """By investor and quarter: the filing date and the holdings, after amendments."""
    filed = defaultdict(list)
    name = lambda node: node.tag.split("}")[-1]
    for text in members(market, "form13f.zip").values():
        cover, table = (ET.fromstring(part.split("</XML>")[0].strip()) for part in text.split("<XML>")[1:])
        find = lambda tag: next((node.text for node in cover.iter() if name(node) == tag), None)
        month, date, year = find("reportCalendarOrQuarter").split("-")
        lines = [{name(node): node.text for node in line.iter()} for line in table]
        on = field(text, "FILED AS OF DATE")
        key = (field(text, "CENTRAL INDEX KEY"), f"{year}-{month}-{date}")
        filed[key].append((on, field(text, "ACCESSION NUMBER"), find("amendmentType"), lines))
    held = {}
    for key, forms in filed.items():
        lines = []
        for on, _, amendment, own in sorted(forms, key=lambda form: form[:2]):
            lines = lines + own if amendment == "NEW HOLDINGS" else own
        held[key] = (f"{on[:4]}-{on[4:6]}-{on[6:]}", lines)
    return held


def symbols_of(market):
    """Returns symbols by CUSIP: from the list, otherwise by the full name of a listed company, shortened as in the form."""
    listed = {row["cusip"]: row["symbol"] for row in market.read("sec/cusips.csv")}
    with open(os.path.join(market.folder, "sec", "company_tickers.json")) as file:
        names = {row["title"].upper().replace(".", "")[:30].strip(): row["ticker"] for row in json.load(file).values()}
    return lambda line: listed.get(line["cusip"]) or names.get(line["nameOfIssuer"].strip())


def investors(market, case):
    held, symbol_of = reports(market), symbols_of(market)
    rows, of_symbol = [], defaultdict(list)
    for investor in market.read("sec/investors.csv"):
        cik = investor["cik"]
        quarters = sorted(quarter for filer, quarter in held if filer == cik)
        on, lines = held[cik, quarters[-1]]
        total = sum(int(line["value"]) for line in lines)
        shares = [line for line in lines if "putCall" not in line]
        shares.sort(key=lambda line: (-int(line["value"]), line["cusip"]))
        past = {line["cusip"]: int(line["sshPrnamt"]) for line in held[cik, quarters[-2]][1] if "putCall" not in line}
        positions = []
        for rank, line in enumerate(shares, 1):
            now, was = int(line["sshPrnamt"]), past.get(line["cusip"], 0)
            for ex, factor in market.factors.get(symbol_of(line), []):
                if quarters[-2] < ex <= quarters[-1]:
                    was = round(was / factor)
            still = abs(now - was) <= 1e-5 * was  # Factors of splits have six decimals.
            change = "new" if not was else "unchanged" if still else "increased" if now > was else "reduced" if now < was else "unchanged"
            symbol, value = symbol_of(line), int(line["value"])
            both = {"symbol": symbol, "shares": now, "value_usd": value, "portfolio_pct": rounded(100 * value / total),
                    "position_change": change}
            positions.append(both | {"issuer": line["nameOfIssuer"].strip()})
            of_symbol[symbol].append(both | {
                "company_name": market.names.get(symbol), "investor": investor["investor"], "cik": cik, "style": investor["style"],
                "report_date": quarters[-1], "filed_on": on, "portfolio_rank": rank, "prior_shares": was, "shares_change": now - was,
                "shares_change_pct": rounded(100 * (now - was) / was) if was else None, "share_class": "COM", "cusip": line["cusip"],
                "source": market.source("institutional positions")})
        rows.append({"investor": investor["investor"], "cik": cik, "style": investor["style"], "report_date": quarters[-1],
                     "filed_on": on, "portfolio_value_usd": total, "portfolio_positions": len(lines), "top_holdings": positions[:10],
                     "source": market.source("institutional positions")})
    rows.sort(key=lambda row: (-row["portfolio_value_usd"], row["cik"]))
    case("us-13f-holdings.investors", "us/company/13f-holdings", {"@len": 14, "@exactly": rows},
         "The newest report of each investor, lines added up after amendments.")
    for words, choose in (("most", lambda s: -len(of_symbol[s])), ("few", lambda s: len(of_symbol[s]))):
        symbol = min((s for s in of_symbol if s in market.stocks), key=lambda s: (choose(s), s))
        holders = sorted(of_symbol[symbol], key=lambda h: (-h["value_usd"], h["cik"]))
        case(f"us-13f-holdings.{words}", f"us/company/13f-holdings?symbol={symbol}", {"@len": len(holders), "@exactly": holders},
             f"The company with {'the most' if words == 'most' else 'the fewest'} holders among the investors.")
    nobody = [s for s in sorted(market.stocks) if s not in of_symbol]
    if nobody:
        case("us-13f-holdings.none", f"us/company/13f-holdings?symbol={nobody[0]}", {"@len": 0}, "A company that none of them holds.")
