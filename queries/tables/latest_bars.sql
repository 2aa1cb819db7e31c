-- Latest bars: the last bar of every stock with its figures.
--
-- key:    symbol
-- sorted: symbol
-- per:    symbol
-- formula: latest bars 1
-- column: symbol         text
-- column: session        date
-- column: history        int
-- column: adj_close      number price
-- column: change_pct     number? pct
-- column: volume         int shares
-- column: turnover       number money
-- column: delivery_pct   number? pct
-- column: market_cap     number? money
-- column: sma_50         number? price
-- column: sma_150        number? price
-- column: sma_200        number? price
-- column: sma_200_change number? pct   "Change of the 200-bar mean over 21 bars."
-- column: ema_10         number? price
-- column: ema_21         number? price
-- column: ema_50         number? price
-- column: rsi_14         number? score
-- column: wk52_high      number? price
-- column: wk52_low       number? price
-- column: rvol_20        number? ratio
-- column: roc_5          number? pct   "Change of the adjusted close over 5 bars."
-- column: roc_21         number? pct   "Change of the adjusted close over 21 bars."
-- column: roc_63         number? pct
-- column: roc_126        number? pct
-- column: roc_252        number? pct
-- column: stage          int?          "Stage of Weinstein: 1 base, 2 advance, 3 top, 4 decline."
-- column: vcp_contractions int? count  "Contractions of the volatility contraction pattern; null without the pattern, which stands in stage 2 alone."
-- column: vcp_depths     text?         "Depths of the contractions in percent, the oldest first, such as 21.4, 9.8, 4.1."
-- column: vcp_last_depth number? pct   "Depth of the last contraction, from its high to the low after it."
-- column: vcp_pivot      number? price "High of the last contraction: the price to break out through."
-- column: first_bar      date          "Session of the stock's first bar in the files."
-- column: bar_count      int count     "Bars of the stock, over all its histories."
-- column: year_start     date?         "Session of the 252nd bar from the last, counting the last; null for a younger history."
WITH prices AS (
    SELECT p.*, a.first_bar, a.bar_count, a.last_bar
    FROM   daily_prices p
    JOIN   bar_spans a ON a.symbol = p.symbol
),
staged AS (
    SELECT p.symbol,
           p.session,
           p.history,
           p.session = p.last_bar AS is_last,
           p.change_pct,
           p.volume,
           p.turnover,
           p.delivery_pct,
           p.market_cap,
           p.first_bar,
           p.bar_count,
           i.adj_close,
           i.sma_50,
           i.sma_150,
           i.sma_200,
           i.ema_10,
           i.ema_21,
           i.ema_50,
           i.rsi_14,
           i.stage,
           i.wk52_high,
           i.wk52_low,
           i.rvol_20,
           i.roc_63,
           i.roc_126,
           i.roc_252,
           roc(i.sma_200, 21)             OVER bars AS sma_200_change,
           roc(i.adj_close, 5)            OVER bars AS roc_5,
           roc(i.adj_close, 21)           OVER bars AS roc_21,
           vcp(p.high * p.factor, p.low * p.factor, p.volume / p.factor, p.session = p.last_bar) OVER bars AS pattern,
           ago(CAST(p.session AS INT), 251) OVER bars AS year_start
    FROM   prices p
    JOIN   indicators i ON i.symbol = p.symbol AND i.session = p.session
    WINDOW bars AS (PARTITION BY p.symbol, p.history ORDER BY p.session)
)
SELECT symbol,
       session,
       history,
       adj_close,
       change_pct,
       volume,
       turnover,
       delivery_pct,
       market_cap,
       sma_50,
       sma_150,
       sma_200,
       sma_200_change,
       ema_10,
       ema_21,
       ema_50,
       rsi_14,
       wk52_high,
       wk52_low,
       rvol_20,
       roc_5,
       roc_21,
       roc_63,
       roc_126,
       roc_252,
       stage,
       CASE WHEN stage = 2 THEN get_field(pattern, 'contractions') END AS vcp_contractions,
       CASE WHEN stage = 2 THEN get_field(pattern, 'depths') END       AS vcp_depths,
       CASE WHEN stage = 2 THEN get_field(pattern, 'last_depth') END   AS vcp_last_depth,
       CASE WHEN stage = 2 THEN get_field(pattern, 'pivot') END        AS vcp_pivot,
       first_bar,
       bar_count,
       CAST(CAST(year_start AS INT) AS DATE) AS year_start
FROM   staged
WHERE  is_last
ORDER  BY symbol
