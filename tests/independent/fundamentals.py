"""Cases of statements, ratios, scores, drift and screens in both markets, from the raw statements and prices."""

import math

import market as raw
from books import DIMENSIONS, Books, fiscal_year, label, times

RATIOS = (
    "roce roe roa de opm_pct gross_margin_pct net_margin_pct fcf_yield revenue_growth_1y revenue_cagr_3y revenue_cagr_5y pat_growth_1y "
    "pat_cagr_3y pat_cagr_5y altman_z_score pe pb ps ev_ebitda dividend_yield current_ratio interest_cover cash_conversion "
    "asset_turnover dilution_pct industry_revenue_share equity_to_assets tier1_pct gnpa_pct cost_of_funds margin_on_assets").split()
COUNTS = ("piotroski_f", "profitable_years_10y")


def rounded(x, places=2):
    """Rounds as in answers; allows either neighbour if the figure is halfway except for the last digit of the arithmetic."""
    if x is not None and abs(abs(x) * 10**places % 1 - 0.5) < 1e-6:
        return {"@in": [math.floor(x * 10**places) / 10**places, math.ceil(x * 10**places) / 10**places]}
    return raw.rounded(x, places)


def write(india, of_india, american, of_us):
    industries = {r["symbol"]: r["industry"] for r in india.read("industry.csv")}
    indian = Books(india, industries, 1e7)
    market(indian, of_india, "", 2)
    books = Books(american, {s: r["industry"] or None for s, r in american.listings.items()}, 1e9)
    market(books, of_us, "us/", 3)
    return indian, books


def market(books, case, pre, places):
    kinds = chosen(books)
    for kind, symbol in kinds.items():
        ratios(books, case, pre, kind, symbol)
        earnings(books, case, pre, kind, symbol)
        scorecard(books, case, pre, kind, symbol)
        financials(books, case, pre, kind, symbol)
    if "bank" in kinds:
        gates_of_lenders(case, pre, kinds["bank"])
    all_cards(books, case, pre)
    unscored(books, case, pre)
    rankings(books, case, pre)
    screens(books, case, pre, places)


def chosen(books):
    """Returns a company of each kind: the largest with a profit, with a loss, a bank, a short history, one with a split, one without results."""
    by_cap = sorted((s for s in books.companies if s in books.eligible), key=lambda s: (-(books.cap(s) or 0), s))
    latest = lambda s: books.companies[s].quarters[max(books.companies[s].quarters)]
    with_quarters = [s for s in by_cap if books.companies[s].quarters]
    bank = lambda s: any(p["deposits"] is not None for p in books.companies[s].years.values())
    kinds = {
        "profit": next((s for s in with_quarters if books.cards[s]["overall_score"] is not None and (latest(s)["pat"] or 0) > 0), None),
        "loss": next((s for s in with_quarters if (latest(s)["pat"] or 0) < 0), None),
        "bank": next((s for s in with_quarters if bank(s)), None),
        "short": min(with_quarters, key=lambda s: (len(books.companies[s].quarters), s)),
        "split": next((s for s in with_quarters if books.market.factors.get(s)), None),
        "small": with_quarters[-1]}
    return {kind: s for kind, s in kinds.items() if s}


def ratios(books, case, pre, kind, symbol):
    facts = books.facts[symbol]
    what = {n: rounded(facts[n]) for n in RATIOS} | {n: facts[n] for n in COUNTS}
    words = "Ratios from the raw statements and the last price."
    if not pre:
        around = {"symbol": symbol, "altman_model": facts["altman_model"], "ttm_period": facts["ttm_period"], "ttm_end": facts["ttm_end"],
                  "balance_date": facts["balance_date"], "business_kind": facts["business_kind"], "price_cmp": rounded(books.market.stocks[symbol].close[-1])}
        case(f"company-ratios.{kind}", f"company/ratios?symbol={symbol}", around | what, words)
        shown = ("pe", "pb", "roce", "roe", "de", "opm_pct", "revenue_cagr_5y", "pat_cagr_5y", "fcf_yield", "altman_z_score", "profitable_years_10y")
    else:
        rows = []
        for code in sorted((*RATIOS, *COUNTS)):
            pct, count, group = books.places.get((code, symbol), (None, None, None))
            rows.append({"symbol": symbol, "ratio_code": code, "ratio_value": rounded(facts[code]), "classification": grade(pct),
                         "peer_percentile": rounded(pct, 1), "peer_count": count, "peer_group": group, "applies": books.applies(symbol, code),
                         "balance_date": facts["balance_date"]})
        case(f"us-company-ratios.{kind}", f"us/company/ratios?symbol={symbol}", {"@rows": rows}, words)
        three = [r for r in rows if r["ratio_code"] in ("de", "pe", "roe")]
        case(f"us-company-ratios.{kind}-codes", f"us/company/ratios?symbol={symbol}&codes=ROE,pe, de", {"@rows": three}, "Three codes.")
        shown = ("pe", "pb", "ps", "ev_ebitda", "roce", "roe", "de", "opm_pct", "net_margin_pct", "revenue_cagr_5y", "fcf_yield",
                 "dividend_yield", "altman_z_score", "piotroski_f", "profitable_years_10y")
    case(f"{pre.replace('/', '-')}company-profile.{kind}-ratios", f"{pre}company/profile?symbol={symbol}",
         {"symbol": symbol} | {n: what[n] for n in shown}, words)


def grade(pct):
    return None if pct is None else "Excellent" if pct >= 75 else "Good" if pct >= 50 else "Average" if pct >= 25 else "Poor"


def newest(books, symbol):
    n = max(books.companies[symbol].quarters)
    return n, books.earnings[symbol, n]


def quarter_label(n):
    year, quarter = divmod(n - 1, 4)
    return f"{('Mar', 'Jun', 'Sep', 'Dec')[quarter]} {year}"


def earned(e):
    """The figures of an announcement as answers show them."""
    return {"ecs_score": rounded(e["ecs_score"], 1), "ecs_rank": e["ecs_rank"], "pead_signal": e["pead_signal"], "sue": rounded(e["sue"]),
            "pat_growth_yoy": rounded(e["pat_growth_yoy"]), "revenue_growth_yoy": rounded(e["revenue_growth_yoy"]),
            "margin_change_yoy": rounded(e["margin_change_yoy"]), "announcement_return": rounded(e["announcement_return"]),
            "drift_return": rounded(e["drift_return"]), "announced_on": e["announced_on"], "filed_assumed": e["filed_assumed"],
            "days_since": e["days_since"]}


def earnings(books, case, pre, kind, symbol):
    n, e = newest(books, symbol)
    all_of = {"symbol": symbol, "quarter": quarter_label(n), "period_end": e["period_end"], "day_0": e["day_0"]} | earned(e)
    case(f"{pre.replace('/', '-')}company-ecs.{kind}", f"{pre}company/ecs?symbol={symbol}",
         all_of | scored_before(books, symbol) | {"inputs": e["inputs"], "inputs_missing": e["inputs_missing"], "coverage": e["coverage"],
                                                   "pat_growth_qoq": rounded(e["pat_growth_qoq"])},
         "Percentiles among all companies with the same quarter, weighted.")
    if not pre:
        lacks = [n for n in ("ecs_score", "drift_return") if e[n] is None]
        case(f"company-pead.{kind}", f"company/pead?symbol={symbol}",
             all_of | scored_before(books, symbol) | {"in_window": e["days_since"] <= 45,
                                                      "pead_missing": ", ".join(lacks) if e["pead_signal"] is None else None},
             "The score, the day of the announcement, and the price since.")


def scored_before(books, symbol):
    """Expects the newest quarter of a company with a score, and the reason if the newest quarter has none."""
    n, e = newest(books, symbol)
    scored = max((m for m in books.companies[symbol].quarters if books.earnings[symbol, m]["ecs_score"] is not None), default=None)
    before = books.earnings.get((symbol, scored), {"ecs_score": None, "ecs_rank": None})
    return {"scored_quarter": scored and quarter_label(scored), "scored_quarter_ecs": rounded(before["ecs_score"], 1),
            "scored_quarter_rank": before["ecs_rank"],
            "unscored_because": None if e["ecs_score"] is not None else {"@has": [f"Only {e['inputs']} of the six inputs", e["inputs_missing"]]}}


def scorecard(books, case, pre, kind, symbol):
    case(f"{pre.replace('/', '-')}company-scorecard.{kind}", f"{pre}company/scorecard?symbol={symbol}", {"symbol": symbol} | carded(books, symbol),
         "Percentiles among the peers, turned so that more is better.")


def gates_of_lenders(case, pre, symbol):
    """In the committee's fast scan a lender has no free cash flow and no Altman score: both gates are shown as unknown."""
    gates = [{"name": "pe"}, {"name": "pb"}, {"name": "fcf_yield", "value": None, "pass": False},
             {"name": "altman", "word": None, "pass": False}, {"name": "de"}]
    lenses = [{"name": "quality_compounder"}, {"name": "india_growth"}, {"name": "value_safety", "gates": gates}]
    case(f"fast-scan.bank-{'us' if pre else 'india'}", f"committee/fast-scan?symbols={symbol}&market={'us' if pre else 'india'}",
         {"scans": [{"symbol": symbol, "lenses": lenses}]}, "A lender has no free cash flow and no Altman score.")


CARDED = ("dimensions_known", "inputs_known", "inputs_missing", "peer_group", "ranked_in_market", "business_kind", "overall_rank", "sector_rank")


def carded(books, symbol):
    card = books.cards[symbol]
    why = None if card["overall_score"] is not None else {"@has": [
        "five dimensions" if symbol in books.eligible else "did not trade in the last five sessions"]}
    return {d: rounded(card[d], 1) for d in (*DIMENSIONS, "overall_score")} | {n: card[n] for n in CARDED} | {"unscored_because": why}


def all_cards(books, case, pre):
    """Writes every scorecard of the market, one exchange each in one file."""
    case.many(f"{pre.replace('/', '-')}company-scorecard.every",
              [(f"{pre}company/scorecard?symbol={s}", {"symbol": s} | carded(books, s)) for s in sorted(books.cards)],
              "Every company of the market, each dimension of it.")


def unscored(books, case, pre):
    """Companies whose newest quarter has no score: one with a score before, one without any."""
    found = {}
    for s in sorted(books.companies):
        if books.companies[s].quarters and newest(books, s)[1]["ecs_score"] is None:
            before = any(books.earnings[s, n]["ecs_score"] is not None for n in books.companies[s].quarters)
            found.setdefault("scored-before" if before else "never-scored", s)
    for kind, symbol in found.items():
        earnings(books, case, pre, kind, symbol)


def financials(books, case, pre, kind, symbol):
    company = books.companies[symbol]
    quarters = sorted(company.all_quarters.values(), key=lambda p: p.end, reverse=True)
    years = sorted(company.years.values(), key=lambda p: p.end, reverse=True)
    words = "The newest versions of the raw lines; a missing fourth quarter is the year less three."
    if pre:
        for span, periods, named in (("annual", years, lambda p: f"FY{fiscal_year(p.end)}"), ("quarterly", quarters, lambda p: label(p.end))):
            rows = [{"symbol": symbol, "period": named(p), "period_end": p.end, "announced_on": p.announced(), "revenue": rounded(p["revenue"], 0),
                     "netinc": rounded(p["pat"], 0), "epsdil": rounded(p["eps_diluted"]), "ncfo": rounded(p["cfo"], 0),
                     "capex": rounded(p["capex"], 0), "fcf": None if books.lends(symbol) else rounded(p["fcf"], 0), "assets": rounded(p["total_assets"], 0),
                     "debtnc": rounded(p["long_term_debt"], 0), "assetsc": rounded(p["current_assets"], 0)} for p in periods[:3]]
            case(f"us-company-financials.{kind}-{span}",
                 f"us/company/financials?symbol={symbol}&statement=all&period_type={span}&periods=3", {"@rows": rows}, words)
        return
    crore = lambda x: rounded(times(1e-7, x))
    lends = books.lends(symbol)
    for span, periods, named in (("annual", years, lambda p: f"FY{fiscal_year(p.end)}"), ("quarterly", quarters, lambda p: label(p.end))):
        rows = [{"symbol": symbol, "period": named(p), "period_end": p.end, "basis": p.basis, "announced_on": p.announced(),
                 "sales_cr": crore(p["revenue"]), "ebitda_cr": crore(p["ebitda"]), "pat_cr": crore(p["pat"]), "opm_pct": rounded(p["opm"]),
                 "eps_diluted": rounded(p["eps_diluted"]), "total_assets_cr": crore(p["total_assets"]), "equity_cr": crore(p["equity"]),
                 "total_debt_cr": crore(p["total_debt"]), "cfo_cr": crore(p["cfo"]), "fcf_cr": None if lends else crore(p["fcf"])} for p in periods[:5]]
        case(f"company-financials.{kind}-{span}", f"company/financials?symbol={symbol}&period={span}&limit=5", {"@rows": rows}, words)


def rankings(books, case, pre):
    cards = sorted((s for s in books.cards if books.cards[s]["overall_score"] is not None), key=lambda s: (-books.cards[s]["overall_score"], s))
    shown = ("overall_rank", "dimensions_known", "inputs_known", "inputs_missing", "business_kind", "peer_group")
    rows = [{"symbol": s} | {n: books.cards[s][n] for n in shown} | {d: rounded(books.cards[s][d], 1) for d in (*DIMENSIONS, "overall_score")}
            for s in cards]
    dash = pre.replace("/", "-")
    case(f"{dash}company-scorecard.best", f"{pre}company/scorecard?limit=5", {"@len": 5, "@rows": rows[:5]}, "By the overall score.")
    case(f"{dash}company-scorecard.all", f"{pre}company/scorecard?limit=100", {"@len": min(100, len(rows)), "@last": rows[:100][-1]}, "All that have one.")
    if pre:
        return
    scored = lambda n: sorted((k for k in books.earnings if k[1] == n and books.earnings[k]["ecs_score"] is not None),
                              key=lambda k: (books.earnings[k]["ecs_rank"], k[0]))
    last = max(n for (_, n), e in books.earnings.items() if e["ecs_score"] is not None)
    row = lambda k: {"symbol": k[0], "quarter": quarter_label(k[1])} | earned(books.earnings[k])
    case("market-ecs.newest", "market/ecs?limit=10", {"@rows": [row(k) for k in scored(last)[:10]]}, "The newest quarter with scores.")
    case("market-ecs.before", f"market/ecs?quarter={quarter_label(last - 1).lower()}&limit=50",
         {"@rows": [row(k) for k in scored(last - 1)[:50]]}, "A quarter by its label, whatever its capitals.")
    sector = next(books.market.sectors[s] for s, _ in scored(last - 1) if books.market.sectors.get(s))
    of_sector = [k for k in scored(last - 1) if books.market.sectors.get(k[0]) == sector and books.earnings[k]["ecs_score"] >= 40]
    case("market-ecs.sector", f"market/ecs?quarter={quarter_label(last - 1)}&sector={sector}&min_ecs=40",
         {"@len": min(25, len(of_sector)), "@rows": [row(k) for k in of_sector[:25]]}, "One sector, scores from 40.")
    barren = [n for n in {n for _, n in books.earnings} if not scored(n)]
    if barren:
        label_of = quarter_label(max(barren))
        case.refused("market-ecs.unscored", f"market/ecs?quarter={label_of}", ["`quarter`", label_of],
                     "A quarter that was announced, but of which no company has a score, is no empty list.")
    drifting = sorted((k for k, e in books.earnings.items() if e["pead_signal"]), key=lambda k: (-books.earnings[k]["ecs_score"], k[0]))
    shown = [{n: v for n, v in row(k).items() if n not in ("pead_signal", "filed_assumed")} for k in drifting]
    case("market-pead", "market/pead?limit=50", {"@len": len(drifting), "@rows": shown},
         "Scored 70 and more, announced in the last 45 days, ahead of the benchmark since.")


def screens(books, case, pre, places):
    market = books.market
    facts = lambda s: books.facts.get(s) or dict.fromkeys((*RATIOS, *COUNTS))
    cap = lambda s: None if market.cap(market.stocks[s]) is None else market.cap(market.stocks[s])
    name = "market_cap_b" if pre else "market_cap_cr"

    def row(s):
        f = facts(s)
        return {"symbol": s, name: rounded(cap(s), places), "rs_rating": market.rating[s],
                "overall_score": rounded(books.cards[s]["overall_score"], 1) if s in books.cards else None} | {
                    n: rounded(f[n]) for n in ("pe", "pb", "roce", "roe", "de", "opm_pct", "fcf_yield")}

    def screen(which, query, keep, by, ascending=False):
        kept = [s for s in sorted(books.eligible) if keep(s, facts(s))]
        kept.sort(key=lambda s: (by(s) is None, (by(s) or 0) * (1 if ascending else -1), s))
        case(f"{pre.replace('/', '-')}screener.{which}", f"{pre}screener{query}",
             {"@len": min(50, len(kept)), "@rows": [row(s) for s in kept[:50]]}, "Stocks kept and sorted one by one.")

    at_least = lambda x, low: x is not None and x >= low
    at_most = lambda x, high: x is not None and x <= high
    rs = lambda s: market.rating[s]
    if not pre:
        screen("all", "", lambda s, f: True, cap)
        screen("quality", "?min_roce=10&max_pe=200&max_de=1&min_roe=5&sort_by=roe",
               lambda s, f: at_least(f["roce"], 10) and at_most(f["pe"], 200) and at_most(f["de"], 1) and at_least(f["roe"], 5), lambda s: facts(s)["roe"])
        screen("small-and-strong", "?max_mcap=5000&min_mcap=50&min_rs=40&sort_by=rs_rating&sort_dir=asc",
               lambda s, f: at_most(cap(s), 5000) and at_least(cap(s), 50) and at_least(rs(s), 40), rs, True)
        sector = next(market.sectors[s] for s in books.companies if market.sectors.get(s))
        screen("sector", f"?sector={sector.lower()}&sort_by=opm_pct", lambda s, f: market.sectors.get(s) == sector, lambda s: facts(s)["opm_pct"])
        return
    screen("all", "", lambda s, f: True, rs)
    screen("quality", "?min_roe=5&min_opm=5&max_de=2&max_pe=300&sort_by=opm_pct",
           lambda s, f: at_least(f["roe"], 5) and at_least(f["opm_pct"], 5) and at_most(f["de"], 2) and at_most(f["pe"], 300), lambda s: facts(s)["opm_pct"])
    score = lambda s: books.cards[s]["overall_score"] if s in books.cards else None
    screen("score", "?min_score=5&sort_by=overall_score", lambda s, f: at_least(score(s), 5), score)

    def above(s, n):
        stock = market.stocks[s]
        mean = stock.sma(len(stock.close) - 1, n)
        return mean is not None and stock.close[-1] > mean

    screen("above", "?above_sma50=1&above_sma200=1&min_mcap_b=0.5&max_mcap_b=500&sort_by=market_cap_b",
           lambda s, f: above(s, 50) and above(s, 200) and at_least(cap(s), 0.5) and at_most(cap(s), 500), cap)
