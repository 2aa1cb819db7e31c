"""Statement lines of real files, parsed independently, against the table `statement_lines`.

    parquote query --data DATA --market india "SELECT ..." > lines.txt     (the SELECT that --select prints)
    python3 statements.py india RAW/india lines.txt

Only tags that determine a line by themselves are compared, so that none of the engine's rules are needed: a figure in a file must
be in the table under its company, period and filing date, unless an older filing has the same figure. Files are read
with regular expressions and zipfile; no code is shared with the engine. Prints the comparisons and every difference.
"""

import collections
import csv
import datetime
import glob
import io
import json
import re
import sys
import zipfile
from xml.etree import ElementTree

SELECT = ("SELECT symbol, CAST(period_end AS VARCHAR) AS period_end, period_type, basis, line, value, "
          "CAST(filed_at AS VARCHAR) AS filed_at, source FROM statement_lines ORDER BY 1, 5, 2, 3, 4, 7")

Key = collections.namedtuple("Key", "symbol end span basis line")


def table(path):
    """Returns versions of each figure, oldest first, from the table as `query` prints it."""
    found, names = collections.defaultdict(list), None
    for line in open(path, encoding="utf8"):
        if not line.startswith("|"):
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if names is None:
            names = cells
            continue
        row = dict(zip(names, cells))
        key = Key(row["symbol"], row["period_end"], row["period_type"], row["basis"], row["line"])
        found[key].append((row["filed_at"] or None, float(row["value"]), row["source"]))
    return found


def month_end(day):
    """Returns the end of the month nearest to a day."""
    ends = []
    for shift in (-1, 0):
        year, month = divmod(day.year * 12 + day.month - 1 + shift, 12)
        next_year, next_month = divmod(year * 12 + month + 1, 12)
        ends.append(datetime.date(next_year, next_month + 1, 1) - datetime.timedelta(days=1))
    before, this = ends
    return (before if day.day <= 15 else this).isoformat()


def span_of(days):
    return {80 <= days <= 102: "quarterly", 345 <= days <= 380: "annual"}.get(True)


def sec(raw):
    """Returns figures of company facts and of data sets: key, filing date, value. Balance dates are quarter or year ends if flows end on them."""
    symbols = {}
    for path in sorted(glob.glob(f"{raw}/**/company_tickers*.json", recursive=True)):
        for company in json.load(open(path)).values():
            symbols.setdefault(int(company["cik_str"]), company["ticker"].upper().replace("-", "."))
    lines = {"NetCashProvidedByUsedInOperatingActivities": "cfo", "IncomeTaxExpenseBenefit": "tax", "EarningsPerShareBasic": "eps_basic",
             "AssetsCurrent": "current_assets", "InventoryNet": "inventories", "IncomeTaxExpenseContinuingOperations": "tax",
             "CurrentAssets": "current_assets", "CashFlowsFromUsedInOperatingActivities": "cfo"}
    for path in glob.glob(f"{raw}/**/companyfacts/*.json", recursive=True):
        company = json.load(open(path))
        symbol = symbols.get(int(company["cik"]))
        for taxonomy in ("us-gaap", "ifrs-full"):
            for tag, concept in company["facts"].get(taxonomy, {}).items():
                for figure in (figure for unit in concept["units"].values() for figure in unit if tag in lines and symbol):
                    end = datetime.date.fromisoformat(figure["end"])
                    days = (end - datetime.date.fromisoformat(figure["start"])).days + 1 if "start" in figure else 0
                    span = span_of(days) if days else "day"
                    if span and not (span == "annual" and figure.get("form", "").startswith("10-Q")):
                        yield Key(symbol, month_end(end), span, "consolidated", lines[tag]), figure["filed"], figure["val"]
    for path in glob.glob(f"{raw}/**/20*q*.zip", recursive=True):
        archive = zipfile.ZipFile(path)
        rows = lambda name: csv.DictReader(io.TextIOWrapper(archive.open(name), "utf8"), delimiter="\t", quoting=csv.QUOTE_NONE)
        filings = {row["adsh"]: (symbols.get(int(row["cik"])), row["filed"], row["form"]) for row in rows("sub.txt")}
        for row in rows("num.txt"):
            symbol, filed, form = filings[row["adsh"]]
            span = {"0": "day", "1": "quarterly", "4": "annual"}.get(row["qtrs"])
            if span == "annual" and form.startswith("10-Q"):
                continue  # Twelve months to the end of a quarter are no year of the company.
            plain = not row.get("segments") and not row.get("coreg") and row["value"]
            if symbol and span and plain and row["tag"] in lines and row["version"].startswith("us-gaap"):
                day = lambda text: f"{text[:4]}-{text[4:6]}-{text[6:]}"
                yield Key(symbol, day(row["ddate"]), span, "consolidated", lines[row["tag"]]), day(filed), float(row["value"])


def results(raw):
    """Returns figures of results in XBRL: those of the quarter and of the year to date, by the dates in the report."""
    lines = {"TaxExpense": "tax", "OtherIncome": "other_income", "RevenueFromOperations": "revenue", "ProfitBeforeTax": "profit_before_tax",
             "FinanceCosts": "interest", "InterestExpended": "interest_expended", "CurrentAssets": "current_assets",
             "CashFlowsFromUsedInOperatingActivities": "cfo"}
    for path in glob.glob(f"{raw}/**/xbrl/**/*.xml", recursive=True):
        text = open(path, encoding="utf8", errors="replace").read()
        facts = {}
        for tag, attributes, value in re.findall(r"<in-bse-fin:(\w+)\s([^>]*)>([^<]*)<", text):
            facts[tag, re.search(r'contextRef="([^"]*)"', attributes).group(1)] = value
        day = lambda name, context: datetime.date.fromisoformat(facts[name, context]) if facts.get((name, context)) else None
        end = day("DateOfEndOfReportingPeriod", "OneD")
        detail = re.search(r"<xbrli:startDate>([^<]*)</xbrli:startDate><xbrli:endDate>([^<]*)<", text)
        declared = {context: datetime.date.fromisoformat(start) for context, start in
                    re.findall(r'id="(OneD|FourD)">.{0,300}?<xbrli:startDate>([^<]*)<', text, re.S)}
        for (tag, context), value in facts.items():
            if tag not in lines or context not in ("OneD", "FourD", "OneI"):
                continue
            if context == "OneI":
                span, last = "day", end
            else:
                first = day("DateOfStartOfReportingPeriod", context)
                if first is None and context == "FourD":
                    first = day("DateOfStartOfFinancialYear", "OneD")
                first = first or declared.get(context) or datetime.date.fromisoformat(detail.group(1))
                last = day("DateOfEndOfReportingPeriod", context) or end or datetime.date.fromisoformat(detail.group(2))
                span = span_of((last - first).days + 1)
            basis = facts.get(("NatureOfReportStandaloneConsolidated", context)) or facts["NatureOfReportStandaloneConsolidated", "OneD"]
            if span and last:
                yield Key(facts["Symbol", "OneD"], last.isoformat(), span, basis.lower(), lines[tag]), ..., float(value)


def workbooks(raw):
    """Returns figures of the sheet `Data Sheet`, keyed by the company's name instead of its symbol."""
    lines = {"Sales": "revenue", "Net profit": "pat", "Tax": "tax", "Interest": "interest", "Reserves": "reserves",
             "Borrowings": "total_debt", "Cash from Operating Activity": "cfo"}
    main = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    link = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
    for path in glob.glob(f"{raw}/**/*.xlsx", recursive=True):
        archive = zipfile.ZipFile(path)
        tree = lambda name: ElementTree.fromstring(archive.read(name))
        sheets = {sheet.get("name"): sheet.get(link) for sheet in tree("xl/workbook.xml").iter(f"{main}sheet")}
        if "Data Sheet" not in sheets:
            continue
        target = {rel.get("Id"): rel.get("Target") for rel in tree("xl/_rels/workbook.xml.rels")}[sheets["Data Sheet"]]
        shared = ["".join(t.text or "" for t in item.iter(f"{main}t")) for item in tree("xl/sharedStrings.xml").iter(f"{main}si")]
        name, part, ends = None, None, {}
        for row in tree("xl/" + target.lstrip("/").removeprefix("xl/")).iter(f"{main}row"):
            cells = {}
            for cell in row.iter(f"{main}c"):
                value = cell.find(f"{main}v")
                if value is not None:
                    column = re.match("[A-Z]+", cell.get("r")).group()
                    cells[column] = shared[int(value.text)] if cell.get("t") == "s" else value.text
            label = (cells.pop("A", None) or "").strip()
            if label == "COMPANY NAME":
                name = cells["B"]
            elif label.rstrip(":") in ("PROFIT & LOSS", "Quarters", "BALANCE SHEET", "CASH FLOW", "PRICE", "DERIVED"):
                part = label.rstrip(":")
            elif label == "Report Date":
                epoch = datetime.date(1899, 12, 30)
                ends = {column: month_end(epoch + datetime.timedelta(days=int(float(days)))) for column, days in cells.items()}
            elif label in lines and part not in (None, "PRICE", "DERIVED"):
                span = {"Quarters": "quarterly", "BALANCE SHEET": "day"}.get(part, "annual")
                for column, value in cells.items():
                    if column in ends:
                        yield name, Key(None, ends[column], span, "consolidated", lines[label]), float(value) * 1e7


def named(raw):
    """Returns symbols by name from the exchange's lists, comparing only letters."""
    symbols = collections.defaultdict(set)
    for path in glob.glob(f"{raw}/**/*EQUITY_L*.csv", recursive=True):
        for row in csv.DictReader(open(path, encoding="utf8", errors="replace")):
            row = {(name or "").strip().upper(): value for name, value in row.items()}
            if row.get("NAME OF COMPANY"):
                symbols[letters(row["NAME OF COMPANY"])].add(row["SYMBOL"].strip())
    return symbols


def letters(name):
    words = re.sub(r"[^A-Z ]", "", name.upper().replace("&", " AND ").replace("CORPN", "CORPORATION")).split()
    return "".join(word for word in words if word not in ("LTD", "LIMITED", "AND", "THE"))


def close(a, b):
    return abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))


def compare(kind, figures, lines):
    """`figures`: key, filing date (... for any, None for none), value. Returns the number of differences."""
    figures, said = list(figures), collections.defaultdict(list)
    for key, _, value in figures:
        said[key].append(value)
    missing, wrong, count = [], [], collections.Counter()
    for key, filed, value in figures:
        # A balance is stored under the quarter or the year that ends on its day; other days are not used.
        spans = ("quarterly", "annual") if key.span == "day" else (key.span,)
        versions = [version for span in spans for version in lines.get(key._replace(span=span), [])]
        in_time = lambda day: filed is ... or day is None or filed is None or day <= filed
        if any(close(have, value) and in_time(day) for day, have, _ in versions):
            count["agree"] += 1
        elif filed is None and any(day for day, _, _ in versions):
            count["give way to a filing with its date"] += 1
        elif filed is ... and any(close(have, other) for _, have, _ in versions for other in said[key]):
            count["are filed twice on a day, with another figure"] += 1
        elif versions:
            wrong.append((key, filed, value, versions[:3]))
        elif key.span == "day":
            count["are of days on which no period ends"] += 1
        else:
            missing.append((key, filed, value))
    print(f"{kind}: {len(figures)} figures, of which", ", ".join(f"{number} {what}" for what, number in count.items()))
    print(f"    {len(wrong)} differ, {len(missing)} are missing")
    for each in (wrong + missing)[:12]:
        print("   ", *each)
    return len(wrong) + len(missing)


def main():
    if sys.argv[1:] == ["--select"]:
        return print(SELECT)
    market, raw, drawn = sys.argv[1:]
    lines = table(drawn)
    faults = 0
    if market == "us":
        faults += compare("company facts and data sets", sec(raw), lines)
    else:
        faults += compare("results", results(raw), lines)
        symbols = named(raw)
        found, unknown = [], set()
        for name, key, value in workbooks(raw):
            of_name = symbols.get(letters(name), set())
            if len(of_name) == 1:
                found.append((key._replace(symbol=min(of_name)), None, value))
            else:
                unknown.add(name)
        faults += compare("workbooks", found, lines)
        print("no symbol for", sorted(unknown))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
