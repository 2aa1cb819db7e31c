"""Cases of data that analysts collect in India: pledges, banking and sector figures, groups, orders, guidance."""

import datetime
import json
import os
from collections import defaultdict

from market import before, rounded

MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def write(market, case):
    pledges(market, case)
    banking(market, case)
    sector_figures(market, case)
    groups(market, case)
    orders(market, case)
    guidance(market, case)


def quarter(date):
    return f"{MONTHS[int(date[5:7]) - 1]} {date[:4]}"


def figure(text):
    return None if text == "" else rounded(float(text))


def by_symbol(rows, *key):
    """Returns the rows of each symbol, the newest first."""
    found = defaultdict(list)
    for row in sorted(rows, key=lambda r: [r[k] for k in key], reverse=True):
        found[row["symbol"]].append(row)
    return found


def pledges(market, case):
    filed = by_symbol(market.read("pledges.csv"), "period_end")

    def row(now, past):
        promoters, pledged = float(now["promoter_pct"]), float(now["pledge_pct"])
        return {
            "symbol": now["symbol"], "company_name": market.names.get(now["symbol"]), "quarter": quarter(now["period_end"]),
            "period_end": now["period_end"], "promoter_pct": rounded(promoters), "pledge_pct": rounded(pledged),
            "pledged_of_total_pct": rounded(promoters * pledged / 100),
            "pledged_shares": int(now["pledged_shares"]) if now["pledged_shares"] else None,
            "pledge_change": None if past is None else rounded(pledged - float(past["pledge_pct"])),
            "filed_on": now["filed_on"], "source": now["source"],
        }

    moves = lambda s: len({r["pledge_pct"] for r in filed[s]})
    moved = min((s for s in filed if s in market.stocks), key=lambda s: (-moves(s), s))
    rows = filed[moved]
    case("pledge-history.moved", f"company/pledge-history?symbol={moved}",
         {"@exactly": [row(now, past) for now, past in zip(rows, rows[1:] + [None])]},
         "The company whose pledge moved most often, each quarter against the one before.")
    # The promoters' holding comes from the shareholding patterns, in another file.
    held = {(r["symbol"], datetime.datetime.strptime(r["date"].title(), "%d-%b-%Y").date().isoformat()): r["promoter_pct"]
            for r in market.read("shareholding.csv")}
    assert all(held[r["symbol"], r["period_end"]] == r["promoter_pct"] for s in filed for r in filed[s])


def statement_lines(market):
    """Returns the quarterly figures as first filed, consolidated before standalone, in rupees."""
    lines = {}
    folder = os.path.join(market.folder, "statements")
    for name in sorted(os.listdir(folder)):
        for r in market.read(os.path.join("statements", name)):
            if r["period_type"] == "quarterly":
                key = r["symbol"], r["period_end"], r["line"]
                rank = r["basis"] != "consolidated", r["filed_at"]
                if key not in lines or rank < lines[key][0]:
                    factor = {"INR crore": 1e7, "INR lakh": 1e5}.get(r["unit"], 1)
                    lines[key] = rank, float(r["value"]) * factor
    return {key: value for key, (_, value) in lines.items()}


def banking(market, case):
    told = by_symbol(market.read("banking_kpis.csv"), "period_end")
    texts = "symbol", "period_end", "lender_type", "filed_on", "source"
    row = lambda r: {k: v if k in texts else figure(v) for k, v in r.items()} | {
        "company_name": market.names.get(r["symbol"]), "quarter": quarter(r["period_end"])}
    for kind in "bank", "lender":
        one = min(s for s in told if s in market.stocks and told[s][0]["lender_type"] == kind)
        case(f"banking-kpis.{kind}", f"company/banking-kpis?symbol={one}", {"@exactly": [row(r) for r in told[one]]},
             f"All quarters of a {kind}.")
    other = min(s for s in market.stocks if s not in told and s in market.names)
    case("banking-kpis.neither", f"company/banking-kpis?symbol={other}", {"@len": 0}, "A company that is neither bank nor lender.")
    # Loans and interest come from the statements, in other files.
    lines, compared = statement_lines(market), 0
    for r in (r for rows in told.values() for r in rows):
        at = lambda line: lines.get((r["symbol"], r["period_end"], line))
        for name, value in (("advances_cr", at("advances")), ("nii_cr", at("net_interest_income"))):
            if value is not None:
                assert abs(float(r[name]) - value / 1e7) < 0.0051, (r, name, value)
                compared += 1
    assert compared > 50, compared


def sector_figures(market, case):
    rows = market.read("sector_kpis.csv")
    value = {(r["symbol"], r["kpi"], r["period_end"]): float(r["kpi_value"]) for r in rows}

    def row(r):
        now, past = float(r["kpi_value"]), value.get((r["symbol"], r["kpi"], f"{int(r['period_end'][:4]) - 1}{r['period_end'][4:]}"))
        grown = None if past is None or past <= 0 or r["kpi_unit"] == "%" else rounded(100 * (now / past - 1))
        return {
            "symbol": r["symbol"], "company_name": market.names.get(r["symbol"]), "sector": market.sectors.get(r["symbol"]),
            "quarter": quarter(r["period_end"]), "period_end": r["period_end"], "kpi": r["kpi"], "kpi_name": r["kpi_name"],
            "kpi_value": now if now % 1 else int(now), "kpi_unit": r["kpi_unit"],
            "kpi_change_yoy": None if past is None else rounded(now - past), "kpi_growth_yoy_pct": grown,
            "filed_on": r["filed_on"], "source": r["source"],
        }

    told = by_symbol(sorted(rows, key=lambda r: r["kpi"]), "period_end")
    # In the order of the answer: newest quarter first, then by code.
    for symbol in told:
        told[symbol].sort(key=lambda r: r["kpi"])
        told[symbol].sort(key=lambda r: r["period_end"], reverse=True)
    rich = min((s for s in told if s in market.stocks), key=lambda s: (-len(told[s]), s))
    case("sector-kpis.all", f"company/sector-kpis?symbol={rich}", {"@exactly": [row(r) for r in told[rich]]},
         "All quarters of the company with the most figures.")
    newest = told[rich][0]["period_end"]
    one = [row(r) for r in told[rich] if r["period_end"] == newest]
    for name, label in ("quarter", quarter(newest)), ("spelled", quarter(newest).upper().replace(" ", "-")):
        case(f"sector-kpis.{name}", f"company/sector-kpis?symbol={rich}&period={label}", {"@exactly": one},
             "One quarter, however its label is spelled.")


def groups(market, case):
    found = defaultdict(list)
    for r in market.read("conglomerate_groups.csv"):
        found[r["group_name"]].append(r)
    name = min(found, key=lambda g: (-len(found[g]), g))
    caps = {r["symbol"]: market.cap(market.stocks[r["symbol"]]) for r in found[name]}
    total = sum(caps.values())
    members = sorted(found[name], key=lambda r: (-caps[r["symbol"]], r["symbol"]))
    ratings = [market.rating[r["symbol"]] for r in members if market.rating[r["symbol"]] is not None]

    def member(r):
        stock = market.stocks[r["symbol"]]
        return {
            "symbol": r["symbol"], "company_name": market.names.get(r["symbol"]), "sector": market.sectors.get(r["symbol"]),
            "group_role": r["group_role"], "stake_pct": figure(r["stake_pct"]), "market_cap_cr": rounded(caps[r["symbol"]]),
            "group_share_pct": rounded(100 * caps[r["symbol"]] / total), "price_cmp": rounded(stock.close[-1]),
            "rs_rating": market.rating[r["symbol"]],
        }

    last = members[-1]
    case("conglomerate.largest", f"company/conglomerate?symbol={last['symbol']}", {
        "symbol": last["symbol"], "company_name": market.names.get(last["symbol"]), "group_name": name,
        "group_role": last["group_role"], "group_member_count": len(members), "group_market_cap_cr": rounded(total),
        "group_avg_rs_rating": rounded(sum(ratings) / len(ratings), 1), "members": [member(r) for r in members],
    }, "The group with the most members, asked for by its smallest; market caps are those of the last session.")


def orders(market, case):
    rows = market.read("order_wins.csv")
    rows.sort(key=lambda r: (-float(r["value_cr"] or -1), r["symbol"], r["title"]))
    rows.sort(key=lambda r: r["filed_on"], reverse=True)

    def row(r, *without):
        told = {
            "symbol": r["symbol"], "company_name": market.names.get(r["symbol"]), "sector": market.sectors.get(r["symbol"]),
            "filed_on": r["filed_on"], "title": r["title"], "client": r["client"] or None, "segment": r["segment"],
            "geography": r["geography"], "value_cr": figure(r["value_cr"]), "execution_months": int(r["execution_months"]),
            "ai_summary": r["ai_summary"], "confidence": r["confidence"], "source": r["source"],
        }
        return {k: v for k, v in told.items() if k not in without}

    since = lambda days: [r for r in rows if before(market.last, days) <= r["filed_on"] <= market.last]
    feed = lambda rows, limit: {"@rows": [row(r) for r in rows[:limit]]}
    case("order-wins-feed.default", "feeds/order-wins", feed(since(30), 25), "30 days and 25 rows where nothing is given.")
    for word in "high", "medium":
        case(f"order-wins-feed.{word}", f"feeds/order-wins?days=90&confidence={word}&limit=50",
             feed([r for r in since(90) if r["confidence"] == word], 50), "Readings of one confidence in 90 days.")
    goods = [r for r in since(90) if market.sectors.get(r["symbol"]) == "Capital Goods"]
    case("order-wins-feed.sector", "feeds/order-wins?days=90&sector=capital goods&limit=50", feed(goods, 50),
         "One sector, whatever its capitals.")
    assert goods
    won = defaultdict(list)
    for r in rows:
        won[r["symbol"]].append(r)
    most = min((s for s in won if s in market.stocks), key=lambda s: (-len(won[s]), s))
    company = lambda limit: {"@rows": [row(r, "sector") for r in won[most][:limit]]}
    case("order-wins.default", f"company/order-wins?symbol={most}", company(10), "Ten rows of the company with the most orders.")
    case("order-wins.all", f"company/order-wins?symbol={most}&limit=25", company(25), "As many as may be asked for.")
    # Percent of revenue: the sum of four consecutive quarters without a gap.
    lines = statement_lines(market)
    for symbol in sorted(won):
        ends = sorted((end for s, end, line in lines if s == symbol and line == "revenue"), reverse=True)[:4]
        span = datetime.date.fromisoformat(ends[0]) - datetime.date.fromisoformat(ends[-1]) if len(ends) == 4 else None
        r = won[symbol][0]
        if span and span.days < 280 and ends[0] >= "2026-06-30" and r["value_cr"] and symbol in market.stocks:
            year = sum(lines[symbol, end, "revenue"] for end in ends)
            case("order-wins.share", f"company/order-wins?symbol={symbol}&limit=1",
                 {"@rows": [row(r, "sector") | {"revenue_share_pct": rounded(100 * float(r["value_cr"]) * 1e7 / year)}]},
                 "Its value over the revenue of the last four quarters.")
            break
    none = min(s for s in market.stocks if s not in won and s in market.names)
    case("order-wins.none", f"company/order-wins?symbol={none}", {"@len": 0}, "A company without orders.")


def guidance(market, case):
    with open(os.path.join(market.folder, "guidance_tones.ndjson"), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    told = by_symbol(rows, "period_end")

    def row(calls, at):
        r, earlier = calls[at], [c["tone_score"] for c in calls[at + 1:at + 5]]
        score, mean = r["tone_score"], sum(earlier) / len(earlier) if earlier else None
        # A change is against the quarter before; a missing call leaves none.
        days = (datetime.date.fromisoformat(r["period_end"]) - datetime.date.fromisoformat(calls[at + 1]["period_end"])).days if earlier else None
        trend = None if mean is None else "improving" if score - mean >= 5 else "worsening" if score - mean <= -5 else "steady"
        return {
            "symbol": r["symbol"], "company_name": market.names.get(r["symbol"]), "quarter": quarter(r["period_end"]),
            "period_end": r["period_end"], "call_date": r["call_date"], "tone_score": score,
            "tone": "positive" if score >= 60 else "negative" if score < 40 else "neutral",
            "tone_change": score - earlier[0] if earlier and days <= 100 else None, "tone_before": rounded(mean, 1), "tone_trend": trend,
            "guidance_change": r["guidance_change"], "guidance": r["guidance"], "confidence": r["confidence"],
            "source": r["source"], "written_by": r["written_by"],
        }

    spread = lambda s: max(r["tone_score"] for r in told[s]) - min(r["tone_score"] for r in told[s])
    moved = min(told, key=lambda s: (-len(told[s]), -spread(s), s))
    case("guidance-tone.moved", f"company/guidance-tone?symbol={moved}",
         {"@exactly": [row(told[moved], at) for at in range(len(told[moved]))]},
         "The company whose tone moved most, each call against up to four before it.")
    quiet = min(s for s in market.stocks if s not in told and s in market.names)
    case("guidance-tone.none", f"company/guidance-tone?symbol={quiet}", {"@len": 0}, "A company whose calls nobody reads.")
