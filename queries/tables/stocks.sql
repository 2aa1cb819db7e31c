-- Stocks: the present state of every stock, one row each.
--
-- Ratings are those of the market's date, and null for a stock that is not eligible then; prices are those of the stock's last bar.
--
-- key:     symbol
-- sorted:  symbol
-- schedule: 30 12 * * 1-5 india
-- schedule: 0 18 * * 1-5 us
-- stale-after-hours: 78
-- formula: stocks 3
-- column: symbol          text
-- column: company_name    text?
-- column: sector          text?
-- column: sector_source   text?
-- column: industry        text?
-- column: exchange        text?
-- column: session         date
-- column: price_cmp       number price              "Last closing price."
-- column: market_cap      number? money
-- column: market_cap_assumed bool?
-- column: cap_counted_in  text?
-- column: market_cap_cr   number? inr_crore india   "Market capitalisation."
-- column: market_cap_b    number? usd_billion us    "Market capitalisation."
-- column: change_pct      number? pct
-- column: volume          int shares
-- column: turnover_cr     number? inr_crore india   "Turnover of the session: traded close times traded volume."
-- column: median_turnover_cr number? inr_crore india "Median turnover of the last 20 bars."
-- column: median_turnover_usd_m number? usd_million us "Median turnover of the last 20 bars."
-- column: is_tradable     bool                   "Whether the stock has a bar in the last five sessions and a median turnover of at least INR 0.5 crore (in the US USD 0.5 million) over its last 20 bars."
-- column: delivery_pct    number? pct india
-- column: roc_5           number? pct
-- column: roc_21          number? pct
-- column: rvol_20         number? ratio
-- column: rs_score        number? pct
-- column: rs_rating       int? rating
-- column: rs_rank         int? rank
-- column: rs_trend_30d    int? points               "Rating now less the rating 30 sessions ago."
-- column: universe        text?
-- column: universe_as_of  date?
-- column: universe_assumed bool?
-- column: ema_10          number? price
-- column: ema_21          number? price
-- column: ema_50          number? price
-- column: sma_50          number? price
-- column: sma_150         number? price
-- column: sma_200         number? price
-- column: rsi_14          number? score
-- column: wk52_high       number? price
-- column: wk52_low        number? price
-- column: pct_from_high   number? pct               "Distance of the price from the 52-week high, 0 at the high, negative below it."
-- column: ema_alignment   text?                     "BULLISH: price above ema_10 above ema_21 above ema_50; BEARISH: the reverse; otherwise MIXED."
-- column: stage           int?
SELECT b.symbol,
       c.company_name,
       c.sector,
       c.sector_source,
       c.industry,
       c.exchange,
       b.session,
       b.adj_close              AS price_cmp,
       b.market_cap,
       b.market_cap_assumed,
       c.cap_counted_in,
       b.market_cap / 1e7       AS market_cap_cr,
       b.market_cap / 1e9       AS market_cap_b,
       b.change_pct,
       b.volume,
       b.turnover / 1e7         AS turnover_cr,
       b.median_turnover / 1e7  AS median_turnover_cr,
       b.median_turnover / 1e6  AS median_turnover_usd_m,
       COALESCE(b.is_liquid, FALSE) AND COALESCE(b.session >= session_ago(4), TRUE) AS is_tradable,
       b.delivery_pct,
       b.roc_5,
       b.roc_21,
       b.rvol_20,
       now.rs_score,
       now.rs_rating,
       now.rs_rank,
       now.rs_rating - past.rs_rating AS rs_trend_30d,
       u.universe,
       u.universe_as_of,
       u.universe_assumed,
       b.ema_10,
       b.ema_21,
       b.ema_50,
       b.sma_50,
       b.sma_150,
       b.sma_200,
       b.rsi_14,
       b.wk52_high,
       b.wk52_low,
       100 * (b.adj_close / b.wk52_high - 1) AS pct_from_high,
       CASE
           WHEN b.ema_50 IS NULL THEN NULL
           WHEN b.adj_close > b.ema_10 AND b.ema_10 > b.ema_21 AND b.ema_21 > b.ema_50 THEN 'BULLISH'
           WHEN b.adj_close < b.ema_10 AND b.ema_10 < b.ema_21 AND b.ema_21 < b.ema_50 THEN 'BEARISH'
           ELSE 'MIXED'
       END AS ema_alignment,
       b.stage
FROM   latest_bars b
JOIN   companies c ON c.symbol = b.symbol
LEFT   JOIN (SELECT * FROM rs_history WHERE session = as_of()) now ON now.symbol = b.symbol
LEFT   JOIN (SELECT * FROM rs_history WHERE session = session_ago(30)) past ON past.symbol = b.symbol
LEFT   JOIN (SELECT * FROM universe WHERE session = as_of()) u ON TRUE
ORDER  BY b.symbol
