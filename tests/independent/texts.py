"""Cases of texts about companies: summaries, profiles, calls, tones, reports, contracts."""

import json
import os
from collections import defaultdict

from market import before, rounded

MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def write(market, case, american, of_us, american_books):
    for side, to, path, param in (market, case, "company", "period"), (american, of_us, "us/company", "quarter"):
        texts = {name: read(side, name) for name in
                 ("ai_summaries", "ai_profiles", "call_decoders", "call_numbers", "management_tones", "call_phrases")}
        of = Texts(side, to, path, param, texts)
        of.summaries()
        of.decoders()
        of.profiles()
        of.tones()
    contracts(american, of_us)
    reports(american, of_us, american_books)


def read(market, table):
    with open(os.path.join(market.folder, "texts", table + ".ndjson"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def quarter(date):
    return f"{MONTHS[int(date[5:7]) - 1]} {date[:4]}"


def by_symbol(rows):
    """Returns the rows of each symbol, the newest first."""
    found = defaultdict(list)
    for row in sorted(rows, key=lambda r: r["period_end"], reverse=True):
        found[row["symbol"]].append(row)
    return found


class Texts:
    def __init__(self, market, case, path, param, texts):
        self.market, self.case, self.path, self.param, self.texts = market, case, path, param, texts
        self.us = "us-" if path.startswith("us/") else ""

    def head(self, row):
        return {"symbol": row["symbol"], "company_name": self.market.names.get(row["symbol"]),
                "quarter": quarter(row["period_end"]), "period_end": row["period_end"]}

    def company(self, rows):
        """Returns the company with the most texts; if there are several, the first by symbol."""
        return min(rows, key=lambda s: (-len(rows[s]), s))

    def latest_and_older(self, name, operation, rows, told, names, hint):
        symbol = self.company(rows)
        newest, older = rows[symbol][0], rows[symbol][-1]
        quarters = {"quarters": [quarter(r["period_end"]) for r in rows[symbol]]}
        ask = f"{self.path}/{operation}?symbol={symbol}"
        label = quarter(older["period_end"])
        self.case(f"{self.us}{name}.latest", ask, self.head(newest) | told(newest) | quarters, f"The newest call; {hint}")
        self.case(f"{self.us}{name}.older", f"{ask}&{self.param}={label.lower()}", self.head(older) | told(older) | quarters,
                  "An earlier quarter by its label, whatever its capitals.")
        self.case(f"{self.us}{name}.compact", f"{ask}&detail=compact",
                  {"@exactly": self.head(newest) | names | quarters | {"generated_on": newest["generated_on"]}},
                  "The names of the sections alone.")

    def dates(self, row):
        return {key: row[key] for key in ("call_date", "source", "written_by", "generated_on") if key in row}

    def summaries(self):
        keys = ("headline_verdict", "key_positives", "key_risks", "management_outlook")
        self.latest_and_older("ai-summary", "ai-summary", by_symbol(self.texts["ai_summaries"]),
                              lambda r: {k: exactly(r[k]) for k in keys} | self.dates(r), {"section_names": list(keys)}, "its text as it was given.")

    def decoders(self):
        keys = ("tone_read", "top_messages", "dodged_topics", "tone_shifts", "outlook", "investor_lens")
        score = {(r["symbol"], r["period_end"]): r["tone_score"] for r in self.texts["management_tones"]}
        numbers = defaultdict(list)
        for r in sorted(self.texts["call_numbers"], key=lambda r: r["position"]):
            numbers[r["symbol"], r["period_end"]].append(
                {"metric": r["metric"], "metric_value": r["metric_value"], "metric_unit": r["metric_unit"],
                 "change_yoy_pct": rounded(r["change_yoy_pct"]), "change_yoy_points": rounded(r["change_yoy_points"])})

        def told(r):
            key = r["symbol"], r["period_end"]
            return {k: exactly(r[k]) for k in keys} | self.dates(r) | {
                "key_numbers": {"@exactly": numbers[key]}, "tone_score": score[key], "tone": tone(score[key])}

        names = ["tone_read", "top_messages", "dodged_topics", "tone_shifts", "key_numbers", "outlook", "investor_lens"]
        self.latest_and_older("concall-decoder", "concall-decoder", by_symbol(self.texts["call_decoders"]), told,
                              {"section_names": names}, "key numbers from their own file, the tone from the scores.")

    def profiles(self):
        sections = defaultdict(list)
        for r in sorted(self.texts["ai_profiles"], key=lambda r: r["position"]):
            sections[r["symbol"], r["period_end"]].append({"section": r["section"], "text": r["text"]})
        rows = by_symbol([r for r in self.texts["ai_profiles"] if r["position"] == 1])
        names = [s["section"] for s in next(iter(sections.values()))]
        assert len(names) == 10
        self.latest_and_older("ai-profile", "ai-profile", rows,
                              lambda r: {"sections": {"@exactly": sections[r["symbol"], r["period_end"]]}} | self.dates(r),
                              {"section_names": names}, "its ten sections in their order.")

    def tones(self):
        rows = by_symbol(self.texts["management_tones"])
        symbol = self.company(rows)
        calls, newest = rows[symbol], rows[symbol][0]
        said = defaultdict(dict)
        for r in self.texts["call_phrases"]:
            if r["symbol"] == symbol:
                said[r["period_end"]][r["phrase"]] = r["mentions"]
        now, then = said[newest["period_end"]], said[calls[1]["period_end"]]
        drift = [{"phrase": p, "mentions": now.get(p, 0), "mentions_before": then.get(p, 0),
                  "mentions_change": now.get(p, 0) - then.get(p, 0), "drift": word(now.get(p, 0), then.get(p, 0))}
                 for p in now.keys() | then.keys()]
        drift.sort(key=lambda d: (-abs(d["mentions_change"]), d["phrase"]))

        def answer(count):
            shown = calls[:count]
            means = [None if not (past := [c["tone_score"] for c in calls[at + 1:at + 5]]) else sum(past) / len(past)
                     for at in range(len(calls))]
            moves = [None if mean is None else r["tone_score"] - mean for r, mean in zip(calls, means)]
            trends = [None if m is None else "improving" if m >= 5 else "worsening" if m <= -5 else "steady" for m in moves]
            changes = [a["tone_score"] - b["tone_score"] for a, b in zip(calls, calls[1:])] + [None]
            return self.head(newest) | self.dates(newest) | {
                "tone_score": newest["tone_score"], "tone": tone(newest["tone_score"]), "tone_change": changes[0],
                "tone_before": rounded(means[0], 1), "tone_trend": trends[0], "confidence": newest["confidence"], "themes": newest["themes"],
                "investor_lens": newest["investor_lens"], "phrase_drift": {"@exactly": drift},
                "tone_trajectory": {"@exactly": [
                    {"quarter": quarter(r["period_end"]), "period_end": r["period_end"], "call_date": r["call_date"],
                     "tone_score": r["tone_score"], "tone": tone(r["tone_score"]), "tone_change": change,
                     "tone_before": rounded(mean, 1), "tone_trend": trend}
                    for r, change, mean, trend in zip(shown, changes, means, trends)]}}

        words = "Scores against those of the quarter before, phrases against the call before, trends against the mean of up to four calls before."
        ask = f"{self.path}/management-tone?symbol={symbol}"
        self.case(f"{self.us}management-tone.default", ask, answer(4 if self.us else 8), words)
        for count in (1, 2, 8) if self.us else ():
            self.case(f"{self.us}management-tone.{count}", f"{ask}&periods={count}", answer(count), words)


def exactly(value):
    return {"@exactly": value} if isinstance(value, list) else value


def tone(score):
    return "positive" if score >= 60 else "neutral" if score >= 40 else "negative"


def word(now, then):
    return "new" if then == 0 else "gone" if now == 0 else "rising" if now > then else "falling" if now < then else "steady"


def contracts(market, case):
    rows = read(market, "order_wins")
    rows.sort(key=lambda r: (-(r["value_usd_m"] or -1), r["symbol"], r["title"]))
    rows.sort(key=lambda r: r["filed_on"], reverse=True)
    keys = ("symbol", "filed_on", "contract_type", "title", "client", "segment", "geography", "ai_summary", "confidence", "accession", "source")

    def row(r):
        return {k: r[k] for k in keys} | {"company_name": market.names.get(r["symbol"]), "sector": market.sectors.get(r["symbol"]),
                                          "value_usd_m": rounded(r["value_usd_m"])}

    since = lambda days, keep=lambda r: True: [
        row(r) for r in rows if before(market.last, days) <= r["filed_on"] <= market.last and keep(r)]
    case("us-order-wins.feed", "us/company/order-wins", {"@exactly": since(90)[:20]}, "90 days and 20 rows where nothing is given.")
    for kind in "order_win", "credit_facility", "lease", "ma_agreement", "other":
        found = since(365, lambda r: r["contract_type"] == kind)
        assert found
        case(f"us-order-wins.{kind}", f"us/company/order-wins?contract_type={kind}&days=365&limit=50",
             {"@exactly": found[:50]}, "One kind of contract in a year.")
    count = defaultdict(int)
    for r in since(365):
        count[r["symbol"]] += 1
    most = min(count, key=lambda s: (-count[s], s))
    case("us-order-wins.company", f"us/company/order-wins?symbol={most}&days=365",
         {"@exactly": since(365, lambda r: r["symbol"] == most)[:20]}, "The company with the most contracts in a year.")


def reports(market, case, books):
    rows = {r["symbol"]: r for r in read(market, "full_reports")}
    keys = ("symbol", "period_end", "headline", "executive_summary", "business_overview", "financial_review", "market_position",
            "management_view", "catalysts", "key_risks", "conclusion", "source", "written_by", "generated_on")
    dimensions = ("financial_health", "growth_prospects", "competitive_position", "management_quality", "valuation")
    shown = set()
    for symbol in sorted(s for s in rows if s in market.stocks):
        r, s, card = rows[symbol], market.stocks[symbol], books.cards[symbol]
        score, rating, stage = card["overall_score"], market.rating[symbol], s.stage()
        stance = stance_of(score, rating, stage)
        # One report of each stance, and of each combination that leads to it.
        way = f"{stance}-{'low' if score is not None and score < 4 else 'stage'}-{stage}".lower()
        unknown = [n for n, v in (("overall_score", score), ("rs_rating", rating), ("stage", stage)) if v is None]
        if way in shown:
            continue
        shown.add(way)
        case(f"us-full-report.{way}", f"us/company/full-report?symbol={symbol}",
             {k: exactly(r[k]) for k in keys} | {
                 "company_name": market.names[symbol], "sector": market.sectors[symbol], "quarter": quarter(r["period_end"]),
                 "stance": stance, "stance_missing": ", ".join(unknown) or None if stance == "WATCHLIST" else None, "overall_score": tenth(score), "rs_rating": rating, "stage": stage,
                 "price_cmp": rounded(s.close[-1]), "scores": {"@exactly": {d: tenth(card[d]) for d in dimensions}}},
             "Its text as it was given; the stance by its rule from score, rating and stage.")


def stance_of(score, rating, stage):
    """Returns a label: unknown values decide nothing."""
    if None not in (score, rating) and score >= 7 and rating >= 70 and stage == 2:
        return "COMPELLING"
    if (score is not None and score < 4) or (stage == 4 and rating is not None and rating < 30):
        return "AVOID"
    return "WATCHLIST"


def tenth(score):
    return rounded(score, 1)
