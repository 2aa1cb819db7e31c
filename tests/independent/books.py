"""The statements of a market's raw files, and every figure that follows from them. Plain Python 3.

Only the definitions of Parquote's formula book are used. Money is in whole rupees or dollars.
"""

import csv
import datetime
import glob
import math
import os
from bisect import bisect_left
from collections import Counter, defaultdict

from market import India

UNITS = {"INR crore": 1e7, "USD million": 1e6, "per share": 1, "per_share": 1, "shares": 1, "pct": 1}
PER_SHARE = ("eps_basic", "eps_diluted", "dividend_per_share")
MANUFACTURE = {
    "Automobile and Auto Components", "Basic Materials", "Capital Goods", "Chemicals", "Construction Materials", "Consumer Durables",
    "Consumer Staples", "Energy", "Fast Moving Consumer Goods", "Forest Materials", "Health Care", "Healthcare", "Industrials",
    "Metals & Mining", "Oil Gas & Consumable Fuels", "Textiles"}
FINANCE = {"Financial Services", "Finance", "Financials"}
LOWER = {"cost_of_funds", "de", "dilution_pct", "ev_ebitda", "gnpa_pct", "pb", "pe", "ps"}
# Ratios that lenders and insurers lack, ratios only of lenders, and ratios of lenders and insurers.
OTHERS = ("altman_z_score", "current_ratio", "ev_ebitda", "fcf_yield", "piotroski_f")
LENDING = ("tier1_pct", "cost_of_funds", "gnpa_pct", "margin_on_assets")
DIMENSIONS = {
    "financial_health": ("de", "current_ratio", "interest_cover", "altman_z_score"),
    "growth_prospects": ("revenue_growth_1y", "revenue_cagr_3y", "revenue_cagr_5y", "pat_growth_1y", "pat_cagr_3y", "pat_cagr_5y"),
    "competitive_position": ("roce", "opm_pct", "industry_revenue_share"),
    "management_quality": ("piotroski_f", "cash_conversion", "dilution_pct"),
    "valuation": ("pe", "pb", "ev_ebitda", "fcf_yield")}
DIMENSIONS_OF_LENDERS = {
    "financial_health": ("equity_to_assets", "tier1_pct", "gnpa_pct", "cost_of_funds"),
    "growth_prospects": DIMENSIONS["growth_prospects"],
    "competitive_position": ("roa", "roe", "margin_on_assets"),
    "management_quality": ("dilution_pct",),
    "valuation": ("pe", "pb")}
WEIGHTS = {"sue": 30, "pat_growth_yoy": 20, "revenue_growth_yoy": 15, "margin_change_yoy": 15, "pat_growth_qoq": 10,
           "announcement_return": 10}


def date(text):
    return datetime.date.fromisoformat(text)


def days(a, b):
    return (date(a) - date(b)).days


def later(text, n):
    return (date(text) + datetime.timedelta(n)).isoformat()


def quarter_number(end):
    """Returns the number of the calendar quarter that contains the middle of the fiscal quarter."""
    middle = date(end) - datetime.timedelta(45)
    return 4 * middle.year + (middle.month + 2) // 3


def label(end):
    return (date(end) - datetime.timedelta(14)).strftime("%b %Y")


def fiscal_year(end):
    return (date(end) - datetime.timedelta(14)).year


def over(a, b):
    """Returns a quotient; None if an input is missing or the base is not positive."""
    return None if a is None or b is None or b <= 0 else a / b


def times(k, x):
    return None if x is None else k * x


def less(a, b):
    return None if a is None or b is None else a - b


def plus(a, b):
    return None if a is None or b is None else a + b


def growth(a, b, years=1):
    return None if a is None or b is None or a <= 0 or b <= 0 else 100 * ((a / b) ** (1 / years) - 1)


def swing(a, b):
    """Ranks a change from profit to loss below every growth, and one from loss to profit above every growth."""
    if a is None or b is None or (a > 0) == (b > 0):
        return None
    return math.inf if a > 0 else -math.inf


def mean_base(a, b):
    """Returns the sum of both ends; None unless both are positive."""
    return plus(a, b) if None not in (a, b) and a > 0 and b > 0 else None


def first(*values):
    return next((v for v in values if v is not None), None)


def tier_1(sheet):
    """Returns tier-1 capital in percent of risk-weighted assets; values outside 4 to 60 have another unit."""
    capital = sheet["tier1_pct"]
    return capital if capital is not None and 4 <= capital <= 60 else None


def place_among(v, known):
    """Returns 100 (avg_rank - 1)/(n - 1) of a value among those known; None for fewer than five."""
    if v is None or len(known) < 5:
        return None
    below, equal = sum(1 for k in known if k < v), sum(1 for k in known if k == v)
    return 100 * (below + (equal + 1) / 2 - 1) / (len(known) - 1)


def percentiles(values, members=None):
    """Returns each key's percentile among all known values, or among those of the members."""
    known = [v for k, v in values.items() if v is not None and (members is None or k in members)]
    clamped = lambda x: None if x is None else min(max(x, 0.0), 100.0)
    return {key: clamped(place_among(v, known)) for key, v in values.items()}


def ranks(values, members=None):
    better = lambda v: sum(1 for k, w in values.items() if w is not None and w > v and (members is None or k in members))
    return {k: None if v is None else 1 + better(v) for k, v in values.items()}


def wrong_units(periods):
    """Returns the ends of periods whose revenue and share capital are off by one power of ten from both neighbours, or from the next two."""
    ends, wrong = sorted(periods), set()

    def power(a, b):
        pairs = [(periods[a][line], periods[b][line]) for line in ("revenue", "share_capital")]
        if any(x is None or y is None or x <= 0 or y <= 0 for x, y in pairs):
            return None
        revenue, capital = (math.log10(x / y) for x, y in pairs)
        return round(capital) if abs(capital - round(capital)) < 0.05 and round(revenue) == round(capital) else 0

    for at, end in enumerate(ends):
        near = ends[max(at - 1, 0):at] + ends[at + 1:at + 2]
        if len(near) == 1:  # The first or the last: the two next to it are of one unit.
            near = ends[1:3] if at == 0 else ends[at - 2:at] if at > 1 else []
            if len(near) < 2 or power(*near) != 0:
                continue
            near = near[:1] if at == 0 else near[1:]
        powers = {power(end, other) for other in near}
        if len(powers) == 1 and powers & {None, 0} == set():
            wrong.add(end)
    return wrong


class Period(dict):
    """The lines of one period; a missing line is None."""

    def __init__(self, end, basis, wrong=False, filed=(), assumed=()):
        super().__init__()
        self.end, self.basis, self.wrong, self.filed, self.assumed = end, basis, wrong, list(filed), list(assumed)

    def __missing__(self, line):
        return None

    def announced(self):
        return min(self.filed or self.assumed)

    def has_flows(self):
        return self.wrong or self["revenue"] is not None or self["pat"] is not None

    def gross_profit_of_goods(self):
        """Returns gross profit; None if no cost of goods is stated, because forms without goods state 0."""
        return None if self["cost_of_goods"] == 0 else self["gross_profit"]

    def complete(self):
        """Adds subtotals that a file leaves out."""
        sums = {"gross_profit": less(self["revenue"], self["cost_of_goods"]), "total_debt": plus(self["short_term_debt"], self["long_term_debt"]),
                "ebitda": plus(self["ebit"], self["depreciation"]), "ebit": less(self["ebitda"], self["depreciation"]),
                "total_liabilities": less(less(self["total_assets"], self["equity"]), self["minority_interest"] or 0)}
        for line, value in sums.items():
            if self[line] is None and value is not None:
                self[line] = value
        self["fcf"] = less(self["cfo"], self["capex"])
        self["opm"] = times(100, over(self["ebitda"], self["revenue"]))
        return self


class Company:
    """The series of one company: its quarters by number, its fiscal years by year."""

    def __init__(self, market, symbol, rows):
        self.market, self.symbol = market, symbol
        years = self.series(rows, "annual")
        quarters = self.series(rows, "quarterly")
        self.reported = [dict(p) for p in [*years.values(), *quarters.values()]]  # Before anything is filled in.
        self.fill(quarters, years)
        for period in [*quarters.values(), *years.values()]:
            period.complete()
        wrong = wrong_units(quarters) | wrong_units(years)
        for series in (quarters, years):
            for end in wrong & series.keys():
                series[end] = Period(end, series[end].basis, wrong=True, filed=series[end].filed, assumed=series[end].assumed)
        whole = [end for end in sorted(years) if self.is_whole(years[end], quarters)]
        self.years = {fiscal_year(end): years[end] for end in whole}
        self.all_quarters = quarters
        self.quarters = {quarter_number(end): quarters[end] for end in sorted(quarters)
                         if quarters[end].has_flows()}

    def is_whole(self, year, quarters):
        """Returns true for a year with a flow, of twelve months: not equal to the five quarters up to its end."""
        five = [quarters[e]["revenue"] for e in sorted(quarters) if 0 <= days(year.end, e) <= 380]
        if year["revenue"] is not None and len(five) == 5 and year.end in quarters and None not in five:
            return not (abs(year["revenue"] / sum(five) - 1) < 0.005 and year["revenue"] > 1.1 * sum(five[1:]))
        return year.has_flows()

    def year_before(self, n):
        """Returns the year that ended n years before the last one, on the same day within 15 days, as some calendars count weeks."""
        last = self.years[max(self.years)].end
        return next((y for y in self.years.values() if abs(days(last, y.end) - 365.25 * n) <= 15), None)

    def series(self, rows, span):
        """Returns the newest version of every line, of the consolidated accounts if they are still published."""
        rows = [r for r in rows if r["period_type"] == span]
        if not rows:
            return {}
        last = max(r["period_end"] for r in rows)
        group = [r["period_end"] for r in rows if r["basis"] == "consolidated"]
        lag = 150 if span == "quarterly" else 300
        basis = "consolidated" if group and days(last, max(group)) <= lag else "standalone"
        periods, newest = {}, {}
        for r in rows:
            if r["basis"] != basis:
                continue
            end, line = r["period_end"], r["line"]
            period = periods.setdefault(end, Period(end, basis))
            (period.filed if r["filed_at"] else period.assumed).append(r["known"])
            version = (bool(r["filed_at"]), r["known"])
            if newest.get((end, line), (False, "")) <= version:
                newest[end, line] = version
                period[line] = self.adjusted(line, float(r["value"]) * UNITS[r["unit"]], end if line == "shares_outstanding" and isinstance(self.market, India) else r["known"])
        return periods

    def adjusted(self, line, value, day):
        factor = self.market.factor(self.symbol, day)
        if line in PER_SHARE:
            return value * factor
        return value / factor if line in ("shares_diluted", "shares_outstanding") else value

    def fill(self, quarters, years):
        """Adds a fourth quarter that was not published, and the balance sheet at the end of a year."""
        published = dict(quarters)
        for end, year in years.items():
            near = [q for e, q in published.items() if abs(days(e, end)) <= 10]
            three = [q for e, q in published.items() if 60 <= days(end, e) <= 300 and q.basis == year.basis]
            made = Period(end, year.basis)
            for line, value in year.items():
                parts = [q[line] for q in three if q[line] is not None]
                if line in BALANCE or line == "shares_diluted" or len(parts) != 3 or any(q[line] is not None for q in near):
                    continue
                made[line] = value - sum(parts)
            if made and end not in quarters:
                made.filed, made.assumed = year.filed, year.assumed
                quarters[end] = made
            elif made:
                quarters[end].update(made)
            if end in quarters and quarters[end].basis == year.basis:
                for line in BALANCE:
                    if line in year and not any(q[line] is not None for q in near):
                        quarters[end][line] = year[line]


BALANCE = (
    "cash investments receivables inventories current_assets fixed_assets intangibles total_assets payables current_liabilities "
    "short_term_debt long_term_debt total_debt total_liabilities minority_interest share_capital reserves retained_earnings equity "
    "shares_outstanding advances deposits gross_npa net_npa tier1_pct").split()


class Books:
    """All companies of a market with statements, and their figures."""

    def __init__(self, market, industries, unit):
        self.market, self.industries, self.unit = market, industries, unit
        rows = defaultdict(list)
        for path in sorted(glob.glob(os.path.join(market.folder, "statements", "*.csv"))):
            with open(path, encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    row["known"] = row["filed_at"] or later(row["period_end"], 45 if row["period_type"] == "quarterly" else 60)
                    if row["known"] <= market.last:
                        rows[row["symbol"]].append(row)
        self.companies = {s: Company(market, s, rows[s]) for s in sorted(rows) if s in market.stocks}
        self.eligible = {s for s in market.stocks if market.stocks[s].held(market.last) is not None}
        self.swings = {}
        self.facts = {s: self.fundamentals(c) for s, c in self.companies.items()}
        self.shares_of_industries()
        self.places = self.peers()
        self.cards = {s: self.card(s) for s in self.companies}
        # Sums that are mathematically equal differ in their last bits.
        scored = {s: None if c["overall_score"] is None else round(c["overall_score"], 9) for s, c in self.cards.items()}
        overall = ranks(scored)
        for s, c in self.cards.items():
            fellows = [x for x in self.cards if self.market.sectors.get(x) == self.market.sectors.get(s)]
            c["overall_rank"] = overall[s]
            c["sector_rank"] = ranks({x: scored[x] for x in fellows})[s]
        self.earnings = self.announcements()

    def cap(self, symbol):
        """Returns market cap in whole rupees or dollars."""
        return times(self.unit, self.market.cap(self.market.stocks[symbol]))

    def last_four(self, c):
        """Returns the last year if it ends with the newest quarter, else the last four quarters; yearly cash flows if quarters lack them."""
        year = c.years[max(c.years)] if c.years else None
        quarters = {n: q for n, q in c.quarters.items() if year is None or q.basis == year.basis}
        four = [quarters.get(max(quarters) - i) for i in range(4)] if quarters else []
        same = year is not None and (not quarters or days(year.end, four[0].end) >= -10)
        flows = {"end": max([four[0].end] * bool(four) + [year.end] * same)}
        flows["alone"] = year is not None and (not four or days(year.end, four[0].end) > 10)

        def quarterly(line):
            return sum(q[line] for q in four) if len(four) == 4 and all(q and q[line] is not None for q in four) else None

        for p in [*c.quarters.values(), *c.years.values()]:
            p["interest_paid"] = first(p["interest_expended"], p["interest"])
            p["net_interest"] = first(p["net_interest_income"], less(p["interest_earned"], p["interest_paid"]))
            p["gross_of_goods"] = p.gross_profit_of_goods()
        for line in ("revenue", "gross_of_goods", "ebitda", "ebit", "interest", "pat", "eps_diluted", "interest_paid", "net_interest"):
            flows[line] = year[line] if same else quarterly(line)
        for line in ("cfo", "fcf"):
            flows[line] = year[line] if same else first(quarterly(line), year[line] if year else None)
        of_year = same or quarterly("cfo") is None
        flows["ebitda_of_cfo"] = (year["ebitda"] if year else None) if of_year else quarterly("ebitda")
        flows["dividend"] = year["dividend_per_share"] if year else None
        flows["label"] = f"FY{fiscal_year(flows['end'])}" if flows["alone"] else label(flows["end"])
        return flows

    def balances(self, c):
        """Returns the newest balance sheet and that of the year before."""
        sheets = {}
        for period in [*c.all_quarters.values(), *c.years.values()]:
            if period["total_assets"] is not None or period["equity"] is not None:
                sheets[period.end] = period
        if not sheets:
            return Period("", ""), Period("", "")
        now = sheets[max(sheets)]
        before = [e for e, p in sheets.items() if 350 <= days(now.end, e) <= 380 and p.basis == now.basis]
        return now, sheets[max(before)] if before else Period("", "")

    def fundamentals(self, c):
        stock, cap, flow = self.market.stocks[c.symbol], self.cap(c.symbol), self.last_four(c)
        now, past = self.balances(c)
        sector = self.market.sectors.get(c.symbol)
        kind = self.kind(c, sector)
        if days(self.market.last, flow["end"]) > (400 if flow["alone"] else 200):
            cap, price = None, None  # No price meets results that old.
        else:
            price = stock.close[-1]
        ev = less(plus(cap, now["total_debt"]), now["cash"])
        year_before = lambda n: (c.year_before(n) if c.years else None) or Period("", "")
        of_year = lambda n, line: year_before(n)[line]
        tenth = [y["pat"] for y in c.years.values() if days(c.years[max(c.years)].end, y.end) < 9.5 * 365.25]
        facts = {
            "pe": over(cap, flow["pat"]), "pb": over(cap, now["equity"]), "ps": over(cap, flow["revenue"]), "ev_ebitda": over(ev, flow["ebitda"]),
            "fcf_yield": times(100, over(flow["fcf"], cap)), "dividend_yield": times(100, over(flow["dividend"], price)),
            "roce": times(100, over(flow["ebit"], less(now["total_assets"], now["current_liabilities"]))),
            "roe": times(200, over(flow["pat"], mean_base(now["equity"], past["equity"]))),
            "roa": times(200, over(flow["pat"], mean_base(now["total_assets"], past["total_assets"]))),
            "opm_pct": times(100, over(flow["ebitda"], flow["revenue"])),
            "gross_margin_pct": times(100, over(flow["gross_of_goods"], flow["revenue"])),
            "net_margin_pct": times(100, over(flow["pat"], flow["revenue"])), "de": over(now["total_debt"], now["equity"]),
            "current_ratio": over(now["current_assets"], now["current_liabilities"]), "interest_cover": over(flow["ebit"], flow["interest"]),
            "cash_conversion": over(flow["cfo"], flow["ebitda_of_cfo"]),
            "asset_turnover": times(2, over(flow["revenue"], mean_base(now["total_assets"], past["total_assets"]))),
            "dilution_pct": times(100, less(first(over(now["shares_outstanding"], past["shares_outstanding"]),
                                                  over(of_year(0, "shares_diluted"), of_year(1, "shares_diluted"))), 1)),
            "profitable_years_10y": sum(1 for p in tenth if p > 0) if tenth and None not in tenth else None,
            "piotroski_f": self.piotroski(c), "revenue_ttm": flow["revenue"], "ttm_period": flow["label"], "ttm_end": flow["end"],
            "balance_date": now.end or None}
        for name, line in (("revenue", "revenue"), ("pat", "pat")):
            facts[f"{name}_growth_1y"] = growth(of_year(0, line), of_year(1, line))
            facts[f"{name}_cagr_3y"] = growth(of_year(0, line), of_year(3, line), 3)
            facts[f"{name}_cagr_5y"] = growth(of_year(0, line), of_year(5, line), 5)
        for code, n in (("pat_growth_1y", 1), ("pat_cagr_3y", 3), ("pat_cagr_5y", 5)):
            self.swings[code, c.symbol] = swing(of_year(0, "pat"), of_year(n, "pat"))
        facts["altman_model"], facts["altman_z_score"] = (None, None) if sector is None else self.altman(sector in MANUFACTURE, now, flow, cap)
        funds = lambda p: plus(p["total_debt"], p["deposits"] or 0)
        facts |= {
            "business_kind": kind, "interest_ttm": flow["interest"], "equity_to_assets": times(100, over(now["equity"], now["total_assets"])),
            "tier1_pct": tier_1(now), "gnpa_pct": times(100, over(now["gross_npa"], now["advances"])),
            "cost_of_funds": times(200, over(flow["interest_paid"], plus(funds(now), funds(past)))),
            "margin_on_assets": times(200, over(flow["net_interest"], mean_base(now["total_assets"], past["total_assets"])))}
        strange = {"other": (*LENDING, "equity_to_assets"), "insurer": (*OTHERS, *LENDING)}.get(kind, OTHERS)
        facts |= dict.fromkeys((*strange, "altman_model") if "altman_z_score" in strange else strange)
        # Insurers state capital too, but the ratio is not compared among them.
        if kind == "insurer":
            facts["tier1_pct"] = tier_1(now)
        return facts

    def kind(self, c, sector):
        """Returns bank, lender, insurer or other: by the reported lines if the sector is finance or unknown, else by the industry."""
        if sector is not None and sector not in FINANCE:
            return "other"
        industry = (self.industries.get(c.symbol) or "").lower()
        some = lambda line: any(p.get(line) is not None for p in c.reported)
        brokers = industry.startswith("specialty") and some("current_assets")
        if "insur" in industry and "broker" not in industry and not brokers:
            return "insurer"
        named_bank = "bank" in industry and "investment bank" not in industry
        by_name = named_bank and "custody" not in industry or "savings" in industry and "investment bank" not in industry and "custody" not in industry
        by_name = by_name or industry == "finance" or "consumer finance" in industry or "mortgage" in industry or not industry
        earns = some("interest_earned") or any((p.get("net_interest_income") or 0) > 0 for p in c.reported)
        if sector is None and some("current_assets"):
            return "other"
        if not earns and not (sector is not None and by_name):
            return "other"
        return "bank" if some("deposits") or named_bank else "lender"

    def altman(self, makes, now, flow, cap):
        assets, owed = now["total_assets"], now["total_liabilities"]
        x = [over(less(now["current_assets"], now["current_liabilities"]), assets), over(first(now["retained_earnings"], now["reserves"]), assets),
             over(flow["ebit"], assets), over(cap if makes else now["equity"], owed), over(flow["revenue"], assets)]
        if None in (x if makes else x[:4]):
            return None, None
        if makes:
            return "Z", 1.2 * x[0] + 1.4 * x[1] + 3.3 * x[2] + 0.6 * x[3] + x[4]
        return "Z''", 3.25 + 6.56 * x[0] + 3.26 * x[1] + 6.72 * x[2] + 1.05 * x[3]

    def piotroski(self, c):
        """Returns the nine signs of the last fiscal year; None if one of them is unknown."""
        last = max(c.years) if c.years else 0
        a, b, o = (c.year_before(n) if last else None for n in range(3))
        if not (a and b and o) or not a.basis == b.basis == o.basis:
            return None
        ratio = lambda p, line, base: over(p[line], base)
        debt = less(ratio(a, "long_term_debt", b["total_assets"]), ratio(b, "long_term_debt", o["total_assets"]))
        if debt is None:
            debt = less(ratio(a, "total_debt", b["total_assets"]), ratio(b, "total_debt", o["total_assets"]))
        roa, before = ratio(a, "pat", b["total_assets"]), ratio(b, "pat", o["total_assets"])
        signs = [roa, a["cfo"], less(roa, before), less(a["cfo"], a["pat"]), times(-1, debt),
                 less(over(a["current_assets"], a["current_liabilities"]), over(b["current_assets"], b["current_liabilities"])),
                 less(over(a.gross_profit_of_goods(), a["revenue"]), over(b.gross_profit_of_goods(), b["revenue"])),
                 less(ratio(a, "revenue", b["total_assets"]), ratio(b, "revenue", o["total_assets"]))]
        issued = first(less(a["shares_outstanding"], b["shares_outstanding"]), less(a["shares_diluted"], b["shares_diluted"]))
        if None in signs or issued is None:
            return None
        return sum(1 for s in signs if s > 0) + (issued <= 0)

    def shares_of_industries(self):
        fields = self.industries if any(self.industries.values()) else self.market.sectors
        total, with_revenue = defaultdict(float), defaultdict(int)
        for s, f in self.facts.items():
            if s in self.eligible and f["revenue_ttm"] is not None:
                with_revenue[fields.get(s)] += 1
                total[fields.get(s)] += max(f["revenue_ttm"], 0)
        companies = Counter(fields.get(s) for s in self.eligible)
        for s, f in self.facts.items():
            industry, revenue = fields.get(s), f["revenue_ttm"]
            known = industry and s in self.eligible and revenue is not None and revenue >= 0
            known = known and 2 * with_revenue[industry] >= companies[industry]
            f["industry_revenue_share"] = times(100, over(revenue, total[industry])) if known else None

    def peers(self):
        """By ratio and company: the percentile among its peers (more is better), the number of peers with the ratio, and the peer group."""
        places = {}
        codes = [k for k in next(iter(self.facts.values()))
                 if k not in ("revenue_ttm", "ttm_period", "ttm_end", "balance_date", "altman_model", "business_kind", "interest_ttm")]
        for code in codes:
            value = {s: first(times(-1 if code in LOWER else 1, f[code]), self.swings.get((code, s))) for s, f in self.facts.items() if s in self.eligible}
            for s in value:
                f = self.facts[s]
                alike = [x for x in value if self.lends(x) == self.lends(s)
                         and (code != "altman_z_score" or self.facts[x]["altman_model"] == f["altman_model"])]
                sector = self.market.sectors.get(s)
                near = [x for x in alike if self.market.sectors.get(x) == sector and value[x] is not None]
                group = "lenders" if self.lends(s) else "sector" if sector and len(near) >= 5 else "market"
                peers = near if group == "sector" else [x for x in alike if value[x] is not None]
                places[code, s] = (place_among(value[s], [value[x] for x in peers]), len(peers), group)
        return places

    def lends(self, symbol):
        return self.facts[symbol]["business_kind"] != "other"

    def applies(self, symbol, code):
        kind = self.facts[symbol]["business_kind"]
        if code == "interest_cover" and self.facts[symbol]["interest_ttm"] == 0:
            return False
        return kind == "other" if code in OTHERS else kind in ("bank", "lender") if code in LENDING else kind != "other" or code != "equity_to_assets"

    def card(self, symbol):
        """Returns the dimensions over known, applicable ratios, at least half of them; the score needs four dimensions."""
        lends, traded = self.lends(symbol), symbol in self.eligible
        pct = lambda code: self.places.get((code, symbol), (None, 0, None))[0]
        card, missing, known, wide = {}, [], 0, []
        for name, codes in (DIMENSIONS_OF_LENDERS if lends else DIMENSIONS).items():
            has = lambda code: (pct(code) if traded else first(self.facts[symbol][code], self.swings.get((code, symbol)))) is not None
            codes = [c for c in codes if self.applies(symbol, c)]
            codes = [c for c in codes if c not in ("tier1_pct", "gnpa_pct") or has(c)]
            if pct("tier1_pct") is not None:
                codes = [c for c in codes if c != "equity_to_assets"]
            found = [pct(c) for c in codes if pct(c) is not None]
            card[name] = sum(found) / len(found) / 10 if found and 2 * len(found) >= len(codes) else None
            missing += [c for c in codes if not has(c)]
            wide += [c for c in codes if pct(c) is not None and self.places[c, symbol][2] == "market"]
            known += len(found)
        scores = [v for v in card.values() if v is not None]
        card |= {"overall_score": sum(scores) / len(scores) if len(scores) >= 4 else None, "dimensions_known": len(scores),
                 "inputs_known": known, "inputs_missing": ", ".join(sorted(missing)) or None, "ranked_in_market": ", ".join(sorted(wide)) or None,
                 "peer_group": None if not known else "lenders" if lends else "sector" if len(wide) < known else "market",
                 "business_kind": self.facts[symbol]["business_kind"]}
        return card

    def announcements(self):
        """By company and quarter: the components of the score, the score and its rank, the drift."""
        found = {(s, n): self.announcement(c, n) for s, c in self.companies.items() for n in c.quarters}
        by_quarter = defaultdict(list)
        for key in found:
            by_quarter[key[1]].append(key)
        for keys in by_quarter.values():
            timely = {k for k in keys if days(found[k]["announced_on"], found[k]["period_end"]) <= 120}
            ranked = lambda k, name: first(found[k][name], found[k].get(f"swing_{name}"))
            places = {name: percentiles({k: ranked(k, name) for k in keys}, timely) for name in WEIGHTS}
            for k in keys:
                known = {name: places[name][k] for name in WEIGHTS if places[name][k] is not None}
                weight = sum(WEIGHTS[name] for name in known)
                found[k]["coverage"], found[k]["inputs"] = weight, len(known)
                found[k]["ecs_score"] = sum(WEIGHTS[n] * p for n, p in known.items()) / weight if len(known) >= 4 else None
                found[k]["inputs_missing"] = ", ".join(n for n in WEIGHTS if n not in known) or None
            rank = ranks({k: found[k]["ecs_score"] for k in keys}, timely)
            for k in keys:
                e = found[k]
                e["ecs_rank"] = rank[k]
                parts = [None if e["ecs_score"] is None else e["ecs_score"] >= 70, e["days_since"] <= 45,
                         None if e["drift_return"] is None else e["drift_return"] > 0]
                e["pead_signal"] = False if False in parts else None if None in parts else True
        return found

    def announcement(self, c, n):
        q, year, before = c.quarters[n], c.quarters.get(n - 4, Period("", "")), c.quarters.get(n - 1, Period("", ""))
        change = lambda m: self.eps_change(c, m)
        past = [change(m) for m in range(n - 8, n)]
        sue = None
        if None not in past and change(n) is not None:
            mean = sum(past) / 8
            spread = (sum((p - mean) ** 2 for p in past) / 7) ** 0.5
            sue = change(n) / spread if spread > 1e-9 else None
        return {"period_end": q.end, "announced_on": q.announced(), "filed_assumed": not q.filed, "sue": sue,
                "pat_growth_yoy": growth(q["pat"], year["pat"]), "pat_growth_qoq": growth(q["pat"], before["pat"]),
                "swing_pat_growth_yoy": swing(q["pat"], year["pat"]), "swing_pat_growth_qoq": swing(q["pat"], before["pat"]),
                "revenue_growth_yoy": growth(q["revenue"], year["revenue"]), "margin_change_yoy": less(q["opm"], year["opm"]),
                "days_since": days(self.market.last, q.announced())} | self.returns(c.symbol, q)

    def eps_change(self, c, n):
        if n not in c.quarters or n - 4 not in c.quarters:
            return None
        q, year = c.quarters[n], c.quarters[n - 4]
        return first(less(q["eps_diluted"], year["eps_diluted"]), less(q["eps_basic"], year["eps_basic"]))

    def returns(self, symbol, q):
        """Returns the excess over the benchmark: around the announcement, and since the close of its session."""
        answer = {"day_0": None, "announcement_return": None, "drift_return": None}
        sessions, stock, bench = self.market.sessions, self.market.stocks[symbol], self.market.benchmark
        at = bisect_left(sessions, q.announced())
        if not q.filed or at == 0 or at >= len(sessions):
            return answer
        answer["day_0"] = sessions[at]
        close = lambda d: stock.close[stock.place[d]] if d in stock.place else None
        excess = lambda a, b: None if close(a) is None or close(b) is None else 100 * (close(b) / close(a) - bench[b] / bench[a])
        if at + 2 < len(sessions):
            answer["announcement_return"] = excess(sessions[at - 1], sessions[at + 2])
        if symbol in self.eligible and stock.dates[-1] >= sessions[at]:
            answer["drift_return"] = excess(sessions[at], stock.dates[-1])
        return answer
