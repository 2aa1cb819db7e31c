"""Cases of the US market: companies, strength, breadth, movers, sectors, index members, the benchmark's condition."""

from collections import defaultdict

from market import cap_assumed, ema, rounded, rsi


def write(market, case):
    listed = [s for s in market.stocks.values() if market.cap(s) is not None]
    by_cap = sorted(listed, key=lambda s: (-market.cap(s), s.symbol))
    companies(market, case, by_cap)
    company(market, case, by_cap)
    momentum(market, case)
    breadth(market, case)
    movers(market, case)
    sectors(market, case)
    members(market, case)
    conditions(market, case)


def companies(market, case, by_cap):
    def row(s):
        listing = market.listings[s.symbol]
        return {"symbol": s.symbol, "company_name": listing["name"], "sector": listing["sector"], "industry": listing["industry"],
                "exchange": listing["exchange"], "market_cap_b": rounded(market.cap(s), 3),
                "market_cap_assumed": cap_assumed(market.cap(s)), "rs_rating": market.rating[s.symbol]}

    case("us-companies.largest", "us/companies?limit=3", {"@exactly": [row(s) for s in by_cap[:3]]}, "By listed market cap.")
    tech = [s for s in by_cap if market.sectors[s.symbol] == "Technology"]
    case("us-companies.sector", "us/companies?sector=technology&limit=50", {"@len": len(tech), "@exactly": [row(s) for s in tech]},
         "One sector, whatever its capitals.")
    text = by_cap[0].symbol
    case("us-companies.symbol", f"us/companies?query={text.lower()}", {"@first": row(by_cap[0])}, "A whole ticker.")


def company(market, case, by_cap):
    split = market.stocks[max((ex, s) for s, all_of in market.factors.items() for ex, _ in all_of if s in market.stocks)[1]]
    young = min(market.stocks.values(), key=lambda s: (len(s.dates), s.symbol))
    month = market.ratings(market.sessions[-31])
    # The largest moves of an open from the previous close: figures continue across both, since neither is near a split.
    far = sorted((ratio, s) for s, moves in market.moves.items() for _, ratio in moves)
    fallen, risen = market.stocks[far[0][1]], market.stocks[far[-1][1]]
    for which, s in (("largest", by_cap[0]), ("split", split), ("young", young), ("fallen", fallen), ("risen", risen)):
        i, rating, (high, low) = len(s.close) - 1, market.rating[s.symbol], s.year()
        both = {
            "symbol": s.symbol, "company_name": market.names.get(s.symbol), "rs_rating": rating,
            "rs_rank": market.now.get(s.symbol, (None, None))[1], "price_cmp": rounded(s.close[-1]),
            "wk52_high": rounded(high), "wk52_low": rounded(low), "pct_from_high": rounded(100 * (s.close[-1] / high - 1)),
            "ema_10": rounded(s.ema(10)), "ema_21": rounded(s.ema(21)), "rsi_14": rounded(s.rsi(), 1), "stage": s.stage(),
            "session": s.dates[-1], "ema_50": rounded(s.ema(50)), "ema_alignment": s.alignment(), "universe": "all common stocks",
        } | market.turnover(s)
        case(f"us-company-profile.{which}", f"us/company/profile?symbol={s.symbol}",
             both | {"sector": market.sectors.get(s.symbol), "sector_source": market.sector_source(s.symbol),
                     "market_cap_b": rounded(market.cap(s), 3), "cap_counted_in": None,
                     "change_pct": rounded(s.change(i)), "sma_50": rounded(s.sma(i, 50)), "sma_200": rounded(s.sma(i, 200))},
             "Figures of the last bar, adjusted.")
        past = month.get(s.symbol, (None, None))[0]
        case(f"us-company-momentum.{which}", f"us/company/momentum?symbol={s.symbol}",
             both | {"ema_50": rounded(s.ema(50)), "ema_alignment": s.alignment(), "rvol_20": rounded(s.rvol()),
                     "rs_trend_30d": None if past is None or rating is None else rating - past,
                     "rs_score": rounded(s.scores[-1]) if s.held(market.last) is not None else None,
                     "universe": "all common stocks", "benchmark": "SPY"}, "Ratings among all common stocks.")


def momentum(market, case):
    order = sorted((s for s in market.stocks.values() if market.rating[s.symbol] and s.tradable()),
                   key=lambda s: (-market.rating[s.symbol], -s.scores[-1], s.symbol))
    rows = [{"symbol": s.symbol, "rs_rating": market.rating[s.symbol], "rs_rank": market.now[s.symbol][1],
             "elite": market.rating[s.symbol] >= 90, "price_cmp": rounded(s.close[-1]), "ema_alignment": s.alignment(),
             "market_cap_b": rounded(market.cap(s), 3)} | market.turnover(s) for s in order]
    case("us-momentum.strongest", "us/market/momentum?limit=5", {"count": 5, "liquidity": "tradable", "as_of": market.last, "stocks": rows[:5]}, "By rating, then score.")
    case("us-momentum.most", "us/market/momentum?limit=1000", {"count": 100, "stocks": {"@len": 100, "@last": rows[99]}}, "At most 100.")


def breadth(market, case):
    def counts(session):
        bars = [(s, s.place[session]) for s in market.stocks.values() if session in s.place]
        changes = [c for c in (s.change(i) for s, i in bars) if c is not None]
        return bars, [sum(1 for c in changes if c > 0), sum(1 for c in changes if c < 0), sum(1 for c in changes if c == 0)]

    line, nets = 0, []
    for session in market.sessions:
        _, (up, down, _) = counts(session)
        line += up - down
        nets += [1000 * (up - down) / (up + down)] if up + down else []
    bars, (up, down, same) = counts(market.last)

    def above(n):
        pairs = [(s.close[i], s.sma(i, n)) for s, i in bars if s.sma(i, n) is not None]
        return rounded(100 * sum(1 for c, m in pairs if c - m > 1e-12 * m) / len(pairs))

    # A listing's first bar is no new high.
    highs = sum(1 for s, i in bars if i > 0 and s.high[i] >= max(s.high[max(0, i - 251):i + 1]))
    lows = sum(1 for s, i in bars if i > 0 and s.low[i] <= min(s.low[max(0, i - 251):i + 1]))
    case("us-breadth", "us/market/breadth", {
        "session": market.last, "advances": up, "declines": down, "unchanged": same, "ad_line": line,
        "mcclellan": rounded(ema(nets, 19) - ema(nets, 39)), "new_highs": highs, "new_lows": lows,
        **{f"pct_above_sma{n}": above(n) for n in (10, 20, 40, 50, 200)},
        "benchmark": "SPY", "benchmark_close": rounded(market.benchmark[market.last])}, "Counted bar by bar over all sessions.")


def movers(market, case):
    for words, period, bars in (("month", "1m", 21), ("week", "1w", 5)):
        moves = [(s, s.roc(len(s.close) - 1, bars)) for s in market.stocks.values() if s.dates[-1] in market.sessions[-5:]]
        moves = [(s, m) for s, m in moves if m is not None and s.tradable()]
        row = lambda p: {"symbol": p[0].symbol, "return_pct": rounded(p[1]), "price_cmp": rounded(p[0].close[-1]),
                         "change_pct": rounded(p[0].change(len(p[0].close) - 1)), "market_cap_b": rounded(market.cap(p[0]), 3),
                         "session": p[0].dates[-1], "liquidity": "tradable"}
        up = sorted((p for p in moves if p[1] > 0), key=lambda p: (-p[1], p[0].symbol))
        down = sorted((p for p in moves if p[1] < 0), key=lambda p: (p[1], p[0].symbol))
        case(f"us-top-movers.{words}", f"us/market/top-movers?period={period}&limit=25",
             {"@rows": [row(p) for p in up[:25]]}, f"Over {bars} bars of the stock's own.")
        case(f"us-top-movers.{words}-losers", f"us/market/top-movers?period={period}&direction=losers&limit=25",
             {"@rows": [row(p) for p in down[:25]]}, "The other side.")
        large = [p for p in up if (market.cap(p[0]) or 0) >= 10 and market.sectors[p[0].symbol] == "Finance"]
        case(f"us-top-movers.{words}-large", f"us/market/top-movers?period={period}&min_mcap_b=10&sector=Finance",
             {"@len": min(20, len(large))} | ({"@first": row(large[0])} if large else {}), "One sector, 10 billion and more.")


def sectors(market, case):
    groups = defaultdict(list)
    for s in market.stocks.values():
        if market.sectors.get(s.symbol) and s.held(market.last) is not None:
            groups[market.sectors[s.symbol]].append(s)
    rows = []
    for name, of in groups.items():
        rated = [market.rating[s.symbol] for s in of if market.rating[s.symbol]]
        changes = [c for c in (s.change(len(s.close) - 1) for s in of if s.dates[-1] == market.last) if c is not None]
        rows.append((-sum(rated) / len(rated), {
            "sector": name, "stock_count": len(of), "avg_rs_rating": rounded(sum(rated) / len(rated), 1),
            "elite_count": sum(1 for r in rated if r >= 90), "advances": sum(1 for c in changes if c > 0),
            "declines": sum(1 for c in changes if c < 0),
            "total_market_cap_b": rounded(sum(market.cap(s) or 0 for s in of), 3),
            "market_cap_assumed": False if any(market.cap(s) for s in of) else None}))
    case("us-sectors", "us/market/sectors", {"@exactly": [r for _, r in sorted(rows, key=lambda r: (r[0], r[1]["sector"]))]},
         "Every sector, summed stock by stock.")


def members(market, case):
    case("us-index-constituents.all", "us/market/index-constituents",
         {"@rows": [{"index_name": n, "member_count": len(market.lists[n])} for n in sorted(market.lists)]}, "The lists, counted.")
    energy = {n: sum(1 for m in of if market.sectors.get(m) == "Energy") for n, of in market.lists.items()}
    case("us-index-constituents.energy", "us/market/index-constituents?sector=Energy",
         {"@rows": [{"index_name": n, "member_count": energy[n]} for n in sorted(energy) if energy[n]]}, "Members of one sector, counted.")
    for name in market.lists:
        stocks = sorted((market.stocks[m] for m in market.lists[name]), key=lambda s: (market.cap(s) is None, -(market.cap(s) or 0), s.symbol))
        # The Dow is weighted by price, the others by market cap, because no free float is known.
        weigh = (lambda s: s.close[-1]) if name == "DOW30" else market.cap
        total = sum(weigh(s) or 0 for s in stocks)
        basis = "price" if name == "DOW30" else "full market cap"
        rows = [{"weight_pct": rounded(100 * weigh(s) / total) if weigh(s) is not None else None, "weight_basis": basis,
                 "symbol": s.symbol, "sector": market.sectors.get(s.symbol), "market_cap_b": rounded(market.cap(s), 3),
                 "price_cmp": rounded(s.close[-1]), "change_pct": rounded(s.change(len(s.close) - 1)),
                 "rs_rating": market.rating[s.symbol], "index_name": name} for s in stocks]
        if name == "SP500":
            energy = [r for r in rows if r["sector"] == "Energy"]
            case("us-index-constituents.weights", "us/market/index-constituents?index_name=SP500&sector=Energy", {"@rows": energy},
                 "Weights are among all members of the index, also where one sector is asked for.")
        case(f"us-index-constituents.{name.lower()}", f"us/market/index-constituents?index_name={name}",
             {"@rows": rows}, "Members by market cap.")


def conditions(market, case):
    closes = [market.benchmark[d] for d in market.sessions]
    a, b, now = sum(closes[-50:]) / 50, sum(closes[-200:]) / 200, closes[-1]
    condition = "BULL_CONFIRMED" if now > a and now > b else "ABOVE_SMA50_ONLY" if now > a else "BEAR_CONFIRMED"
    case("us-breakout-conditions", "us/market/breakout-conditions",
         {"condition": condition, "price": rounded(now), "sma_50": rounded(a), "sma_200": rounded(b), "session": market.last,
          "above_sma_50": now > a, "above_sma_200": now > b, "ema_20": rounded(ema(closes, 20)), "rsi_14": rounded(rsi(closes), 1), "benchmark": "SPY"}, "The fund that stands for the index.")
