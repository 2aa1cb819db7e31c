-- Explorer: chart of a stock over up to five years or a span of its own, with its RS line, levels and events, the oldest bar first.
--
-- An operation of the explorer. Prices and volumes are adjusted for splits and bonuses to the shares of today. Averages, highs and the
-- relative-strength (RS) line are taken within one price segment, and count the stock's own bars. `rs_high_first` marks the bars on which
-- the RS line was at its highest of 252 bars while the price was not. A dividend is shown at its ex-date, results at the first session in
-- which they could be traded on. The lists of US actions have no dividends. Each bar has the RS rating of its day, if the stock was rated.
-- A week is one bar with `bars=weekly`; its averages and its rating are those of its last day. The base of a contraction pattern begins at
-- its highest swing of the last 120 bars.
--
-- tool:   none
-- tier:   free
-- group:  Explorer
-- answer: list
-- page:   company/{symbol} range, from, to, bars, scale, mean_10, mean_21, mean_50, mean_200
-- optional: benchmark, corporate_events, corporate_actions, earnings, scans, rs_ratings
-- free-symbols: yes
-- param:  symbol text                "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  range  text = 1y in (1m, 3m, 6m, 1y, 2y, 5y) "How far back from the market's last session." e.g. 6m
-- param:  from   date? "First day; if omitted, `range` says it." e.g. 2026-03-02
-- param:  to     date? "Last day; if omitted, the market's last session." e.g. 2026-09-30
-- param:  bars   text = daily in (daily, weekly) "What one bar is." e.g. weekly
-- param:  scale  text = linear in (linear, log) "The scale of prices in a picture: equal steps, or equal percentages." e.g. log
-- param:  mean_10  bool = false "Show the exponential mean of 10 days." e.g. true
-- param:  mean_21  bool = false "Show the exponential mean of 21 days." e.g. true
-- param:  mean_50  bool = true  "Show the mean of 50 days."
-- param:  mean_200 bool = true  "Show the mean of 200 days."
-- column: open   number price "Opening price, adjusted."
-- column: high   number price "Highest price, adjusted."
-- column: low    number price "Lowest price, adjusted."
-- column: close  number price "Closing price, adjusted."
-- column: volume number shares "Shares traded, adjusted."
-- column: rs_high_first bool? "Whether the RS line is at its 252-bar high while the high of the bar is below that of the 252 bars; null with fewer bars."
-- column: is_split bool "Whether a split or bonus took effect with this bar."
-- column: dividend text? "The dividend whose ex-date this is, in the source's words."
-- column: results text? "The quarter whose results could first be traded on in this session, such as Jun 2026."
-- column: split_words   text? "The split or bonus of this bar, in words."
-- column: results_words text? "The results of this bar in words: quarter, growth of sales and profit, EPS surprise, return over the benchmark then and since."
-- column: year_high   number? price "52-week high of the last bar, on the bars since it was made."
-- column: year_low    number? price "52-week low of the last bar, on the bars since it was made."
-- column: base_pivot  number? price "Pivot of the contraction pattern, on the bars of its base."
-- column: pattern_low number? price "Lowest low of the base of the contraction pattern, on its bars."
-- also:   us
-- us-tier: api_pro
-- us-free-symbols: no
-- us-param: symbol text "Ticker of the company." e.g. BAQEBO

-- when: scale = linear
-- picture: candles title="Prices and relative strength" date=session open=open high=high low=low close=close volume=volume rs=rs_line:"RS line" rs_high=rs_high_first average=ema_10:"EMA 10",ema_21:"EMA 21",sma_50:"SMA 50",sma_200:"SMA 200" level=year_high:"52-week high",year_low:"52-week low",base_pivot:"pivot",pattern_low:"low of the base" split=split_words dividend=dividend results=results_words rating=rs_rating:"RS rating"
-- when: scale = log
-- picture: candles title="Prices and relative strength" date=session open=open high=high low=low close=close volume=volume rs=rs_line:"RS line" rs_high=rs_high_first average=ema_10:"EMA 10",ema_21:"EMA 21",sma_50:"SMA 50",sma_200:"SMA 200" level=year_high:"52-week high",year_low:"52-week low",base_pivot:"pivot",pattern_low:"low of the base" split=split_words dividend=dividend results=results_words rating=rs_rating:"RS rating" scale=log
WITH bars AS (
    SELECT p.session,
           p.price_segment,
           p.open,
           p.high,
           p.low,
           p.close,
           p.volume,
           p.change_pct,
           p.cumulative_split_factor,
           p.cumulative_split_factor / (SELECT cumulative_split_factor_now FROM latest_bars WHERE symbol = $symbol) AS factor
    FROM   daily_prices p
    WHERE  p.symbol = $symbol
    -- 252 bars and a year before the first that is shown, for the means and highs.
    AND    p.session >= COALESCE($from, as_of() - CASE $range WHEN '1m' THEN 31 WHEN '3m' THEN 92 WHEN '6m' THEN 183 WHEN '1y' THEN 365 WHEN '2y' THEN 731 ELSE 1827 END) - 400
    AND    p.session <= COALESCE($to, as_of())
),
lines AS (
    SELECT b.session,
           b.price_segment,
           b.open * b.factor   AS open,
           b.high * b.factor   AS high,
           b.low * b.factor    AS low,
           b.close * b.factor  AS close,
           b.volume / b.factor AS volume,
           b.change_pct,
           -- Of a week or more also over sessions that the files lack.
           b.close * b.factor / LAG(b.close * b.factor) OVER (PARTITION BY b.price_segment ORDER BY b.session) AS growth,
           COALESCE(b.cumulative_split_factor <> LAG(b.cumulative_split_factor) OVER (ORDER BY b.session), FALSE) AS is_split,
           m.benchmark,
           m.benchmark_close,
           b.close * b.factor / m.benchmark_close AS rs_line
    FROM   bars b
    LEFT   JOIN benchmark m ON m.session = b.session
),
figures AS (
    SELECT *,
           CASE WHEN $mean_10 THEN ema(close, 10) OVER bars END AS ema_10,
           CASE WHEN $mean_21 THEN ema(close, 21) OVER bars END AS ema_21,
           CASE WHEN $mean_50 AND COUNT(close) OVER bars_50 >= 50 THEN AVG(close) OVER bars_50 END     AS sma_50,
           CASE WHEN $mean_200 AND COUNT(close) OVER bars_200 >= 200 THEN AVG(close) OVER bars_200 END AS sma_200,
           CASE WHEN COUNT(rs_line) OVER bars_252 >= 252
               THEN rs_line >= MAX(rs_line) OVER bars_252 AND high < MAX(high) OVER bars_252
           END AS rs_high_first,
           -- Swings stand out from five bars on each side, as those of the pattern do.
           high >= MAX(high) OVER swing AS is_swing,
           -- Counted from the newest, without a second order of the rows: sums of means depend on it in their last digit.
           COUNT(*) OVER () - CAST(ROW_NUMBER() OVER (ORDER BY session) AS BIGINT) + 1 AS age,
           COUNT(*) OVER (PARTITION BY price_segment) - CAST(ROW_NUMBER() OVER bars AS BIGINT) + 1 AS age_in_segment
    FROM   lines
    WINDOW bars AS (PARTITION BY price_segment ORDER BY session),
           swing AS (PARTITION BY price_segment ORDER BY session ROWS BETWEEN 5 PRECEDING AND 5 FOLLOWING),
           bars_50 AS (PARTITION BY price_segment ORDER BY session ROWS BETWEEN 49 PRECEDING AND CURRENT ROW),
           bars_200 AS (PARTITION BY price_segment ORDER BY session ROWS BETWEEN 199 PRECEDING AND CURRENT ROW),
           bars_252 AS (PARTITION BY price_segment ORDER BY session ROWS BETWEEN 251 PRECEDING AND CURRENT ROW)
),
pattern AS (
    SELECT session, vcp_pivot FROM scans WHERE symbol = $symbol AND vcp_pivot IS NOT NULL
),
candidates AS (
    SELECT f.*,
           MAX(CASE WHEN f.is_of_year THEN f.high END) OVER () AS high_of_year,
           MIN(CASE WHEN f.is_of_year THEN f.low END) OVER ()  AS low_of_year,
           -- The pattern is that of the stock's last bar, which a span of its own may not reach.
           CASE WHEN p.session = MAX(f.session) OVER () THEN p.vcp_pivot END AS pivot,
           f.age BETWEEN 6 AND 115 AND f.age = f.age_in_segment AND f.is_swing AS may_begin
    FROM   (SELECT *, age = age_in_segment AND session >= MAX(session) OVER () - 365 AS is_of_year FROM figures) f
    LEFT   JOIN pattern p ON TRUE
),
highest AS (
    SELECT *,
           MAX(CASE WHEN is_of_year AND high >= high_of_year THEN session END) OVER () AS high_since,
           MAX(CASE WHEN is_of_year AND low <= low_of_year THEN session END) OVER ()   AS low_since,
           MAX(CASE WHEN pivot IS NOT NULL AND may_begin THEN high END) OVER ()        AS high_of_base
    FROM   candidates
),
based AS (
    SELECT *,
           MIN(CASE WHEN may_begin AND high = high_of_base THEN session END) OVER () AS base_since
    FROM   highest
),
levels AS (
    SELECT *,
           MIN(CASE WHEN session >= base_since THEN low END) OVER () AS low_of_base
    FROM   based
),
dividends AS (
    SELECT ex_date AS session, MIN(purpose) AS dividend
    FROM   corporate_events
    WHERE  symbol = $symbol
    AND    action_type = 'other'
    AND    upper(purpose) LIKE '%DIV%'
    GROUP  BY ex_date
),
splits AS (
    SELECT ex_date AS session, MAX(action) AS words
    FROM   corporate_actions
    WHERE  symbol = $symbol
    GROUP  BY ex_date
),
announcements AS (
    SELECT day_0 AS session,
           MAX(quarter) AS results,
           MAX(CONCAT(quarter, ' results',
                      ': sales ' || CAST(round(revenue_growth_yoy, 1) AS TEXT) || ' % over a year',
                      ', profit ' || CAST(round(pat_growth_yoy, 1) AS TEXT) || ' %',
                      ', EPS surprise ' || CAST(round(sue, 1) AS TEXT),
                      ', ' || CAST(round(announcement_return, 1) AS TEXT) || ' % over the benchmark then',
                      ', ' || CAST(round(drift_return, 1) AS TEXT) || ' % since')) AS words
    FROM   earnings
    WHERE  symbol = $symbol
    AND    day_0 IS NOT NULL
    AND    NOT filed_assumed
    GROUP  BY day_0
),
rated AS (
    SELECT session, rs_rating
    FROM   rs_ratings
    WHERE  symbol = $symbol
    AND    session >= COALESCE($from, as_of() - CASE $range WHEN '1m' THEN 31 WHEN '3m' THEN 92 WHEN '6m' THEN 183 WHEN '1y' THEN 365 WHEN '2y' THEN 731 ELSE 1827 END)
    AND    session <= COALESCE($to, as_of())
),
shown AS (
    SELECT f.*,
           r.rs_rating,
           CAST(date_trunc('week', f.session) AS DATE) AS week,
           d.dividend,
           a.results,
           a.words AS results_words,
           CASE WHEN f.is_split THEN COALESCE(s.words, 'split or bonus') END AS split_words,
           CASE WHEN f.session >= f.high_since THEN f.high_of_year END AS year_high,
           CASE WHEN f.session >= f.low_since THEN f.low_of_year END   AS year_low,
           CASE WHEN f.session >= f.base_since THEN f.pivot END        AS base_pivot,
           CASE WHEN f.session >= f.base_since THEN f.low_of_base END  AS pattern_low
    FROM   levels f
    LEFT   JOIN rated r ON r.session = f.session
    LEFT   JOIN dividends d ON d.session = f.session
    LEFT   JOIN splits s ON s.session = f.session
    LEFT   JOIN announcements a ON a.session = f.session
    WHERE  f.session >= COALESCE($from, as_of() - CASE $range WHEN '1m' THEN 31 WHEN '3m' THEN 92 WHEN '6m' THEN 183 WHEN '1y' THEN 365 WHEN '2y' THEN 731 ELSE 1827 END)
)
SELECT session,
       open,
       high,
       low,
       close,
       volume,
       change_pct,
       ema_10,
       ema_21,
       sma_50,
       sma_200,
       benchmark,
       benchmark_close,
       rs_line,
       rs_rating,
       rs_high_first,
       is_split,
       split_words,
       dividend,
       results,
       results_words,
       year_high,
       year_low,
       base_pivot,
       pattern_low
FROM   shown
WHERE  $bars = 'daily'
UNION  ALL
SELECT MAX(session)                             AS session,
       FIRST_VALUE(open ORDER BY session)       AS open,
       MAX(high)                                AS high,
       MIN(low)                                 AS low,
       LAST_VALUE(close ORDER BY session)       AS close,
       SUM(volume)                              AS volume,
       100 * (EXP(SUM(LN(growth))) - 1)         AS change_pct,
       LAST_VALUE(ema_10 ORDER BY session)      AS ema_10,
       LAST_VALUE(ema_21 ORDER BY session)      AS ema_21,
       LAST_VALUE(sma_50 ORDER BY session)      AS sma_50,
       LAST_VALUE(sma_200 ORDER BY session)     AS sma_200,
       MAX(benchmark)                           AS benchmark,
       LAST_VALUE(benchmark_close ORDER BY session) AS benchmark_close,
       LAST_VALUE(rs_line ORDER BY session)     AS rs_line,
       LAST_VALUE(rs_rating ORDER BY session)   AS rs_rating,
       bool_or(rs_high_first)                   AS rs_high_first,
       bool_or(is_split)                        AS is_split,
       MAX(split_words)                         AS split_words,
       MAX(dividend)                            AS dividend,
       MAX(results)                             AS results,
       MAX(results_words)                       AS results_words,
       LAST_VALUE(year_high ORDER BY session)   AS year_high,
       LAST_VALUE(year_low ORDER BY session)    AS year_low,
       LAST_VALUE(base_pivot ORDER BY session)  AS base_pivot,
       LAST_VALUE(pattern_low ORDER BY session)    AS pattern_low
FROM   shown
WHERE  $bars = 'weekly'
GROUP  BY week
ORDER  BY session
