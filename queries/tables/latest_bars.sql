-- Latest bars: the last bar of every stock with its figures.
--
-- key:    symbol
-- sorted: symbol
-- per:    symbol
-- column: symbol       text
-- column: session      date
-- column: adj_close    number price
-- column: change_pct   number? pct
-- column: volume       int shares
-- column: turnover     number money
-- column: delivery_pct number? pct
-- column: market_cap   number? money
-- column: sma_50       number? price
-- column: sma_150      number? price
-- column: sma_200      number? price
-- column: ema_10       number? price
-- column: ema_21       number? price
-- column: ema_50       number? price
-- column: rsi_14       number? score
-- column: wk52_high    number? price
-- column: wk52_low     number? price
-- column: rvol_20      number? ratio
-- column: stage        int?          "Stage of Weinstein: 1 base, 2 advance, 3 top, 4 decline."
WITH prices AS (
    SELECT symbol, session, history, change_pct, volume, turnover, delivery_pct, market_cap,
           ROW_NUMBER() OVER (PARTITION BY symbol ORDER BY session DESC) AS age
    FROM   daily_prices
),
staged AS (
    SELECT i.*,
           stage(i.adj_close, i.sma_150) OVER (PARTITION BY i.symbol, p.history ORDER BY i.session) AS stage
    FROM   indicators i
    JOIN   daily_prices p ON p.symbol = i.symbol AND p.session = i.session
)
SELECT p.symbol,
       p.session,
       i.adj_close,
       p.change_pct,
       p.volume,
       p.turnover,
       p.delivery_pct,
       p.market_cap,
       i.sma_50,
       i.sma_150,
       i.sma_200,
       i.ema_10,
       i.ema_21,
       i.ema_50,
       i.rsi_14,
       i.wk52_high,
       i.wk52_low,
       i.rvol_20,
       i.stage
FROM   prices p
JOIN   staged i ON i.symbol = p.symbol AND i.session = p.session
WHERE  p.age = 1
ORDER  BY p.symbol
