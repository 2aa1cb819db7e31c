-- Holds up to 50 stocks against the gates of the committee's three lenses, by their figures alone.
--
-- A lens votes BUY if all its gates pass, WATCH if at least 60 % of them pass, and AVOID otherwise; it has no vote (INSUFFICIENT_DATA) if
-- fewer than half of its gates are known. A gate without a figure does not pass, and its `value` is null. A gate on a table of which the
-- market has no row at all, such as pledges, is not counted: it is in `gates`, and `not_counted` names it. The scan uses no language
-- model, costs nothing of the quota, and gives the same answer until the data changes.
--
-- tool:   fast_scan_committee
-- tier:   api_pro
-- group:  Committee
-- answer: list
-- cost:   0
-- optional: latest_pledges
-- run:    fast_scan
-- short:  gates
-- param:  symbols list in 1..50 "Tickers, with commas between them." e.g. BAXIPAPOWR
-- param:  market  text = india in (india, us) "The market of the tickers." e.g. india
-- column: market                      text    "The market."
-- column: as_of                       date?   "The market's last session."
-- column: scans                       rows    "One entry for each stock, in the order of the call."
-- column: scans.symbol                text    "Ticker on the exchange."
-- column: scans.company_name          text?   "Name of the company."
-- column: scans.ttm_period            text?   "The last quarter of the four that the growth of a year and the returns are of."
-- column: scans.committee_signal      text    "The vote of most lenses: BUY, WATCH or AVOID; WATCH on a split, INSUFFICIENT_DATA with fewer than two votes."
-- column: scans.agreement_score       number? "Share of the voting lenses that agree with the signal, in percent; null with fewer than two votes."
-- column: scans.lenses                rows    "The lenses: quality_compounder, india_growth, value_safety."
-- column: scans.lenses.name           text    "Name of the lens."
-- column: scans.lenses.vote           text    "BUY, WATCH, AVOID or INSUFFICIENT_DATA."
-- column: scans.lenses.passed         int     "Gates that pass."
-- column: scans.lenses.of             int     "Gates that are counted."
-- column: scans.lenses.gates_known    int     "Gates whose figure and threshold are known."
-- column: scans.lenses.not_counted    texts   "Gates that are not counted: the market has no row of their table."
-- column: scans.lenses.gates          rows    "The gates."
-- column: scans.lenses.gates.name     text    "The gate."
-- column: scans.lenses.gates.value    number? "The figure; null if it is not known, or if the gate compares words."
-- column: scans.lenses.gates.word     text?   "The word, such as the zone of Altman's score; null if the gate compares numbers."
-- column: scans.lenses.gates.op       text    "How the figure is compared with the threshold."
-- column: scans.lenses.gates.threshold number? "The number with which the figure is compared; null if it is not known, or if the gate compares words."
-- column: scans.lenses.gates.threshold_word text? "The word with which the stock's word is compared."
-- column: scans.lenses.gates.pass     bool    "Whether the gate passes; a gate with an unknown figure does not."
-- column: count                       int     "Number of entries."

-- when: market = india
-- omit: market_cap_b
-- when: market = us
-- omit: market_cap_cr, pledge_pct, pledges_on_file
SELECT s.symbol,
       s.company_name,
       s.sector,
       s.industry,
       CASE WHEN NOT s.market_cap_assumed THEN s.market_cap / 1e7 END AS market_cap_cr,
       CASE WHEN NOT s.market_cap_assumed THEN s.market_cap / 1e9 END AS market_cap_b,
       s.price_cmp,
       s.rs_rating,
       s.stage,
       f.roce,
       f.roe,
       f.de,
       f.profitable_years_10y,
       f.revenue_cagr_5y,
       f.revenue_growth_1y,
       f.pat_growth_1y,
       p.pledge_pct,
       (SELECT CAST(COUNT(*) AS DOUBLE) FROM latest_pledges) AS pledges_on_file,
       f.ttm_period,
       f.pe,
       m.sector_median_pe,
       f.pb,
       f.fcf_yield,
       f.altman_zone
FROM   stocks s
LEFT   JOIN fundamentals f ON f.symbol = s.symbol
LEFT   JOIN latest_pledges p ON p.symbol = s.symbol
LEFT   JOIN (SELECT sector, MEDIAN(pe) AS sector_median_pe
             FROM   fundamentals
             WHERE  is_eligible
             GROUP  BY sector) m ON m.sector = s.sector
WHERE  array_has($symbols, s.symbol)
ORDER  BY s.symbol
