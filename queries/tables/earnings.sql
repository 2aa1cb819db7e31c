-- Earnings: every announced quarter of every company - its surprise, its growth, the market's reaction, and the score of these.
--
-- A quarter is compared with the quarter a year before and the quarter before it, never with another quarter instead. The surprise is the
-- change of earnings a share over a year in units of its own spread over the eight quarters before. Day 0 is the session on the filing day,
-- or the next session if there was none; without a filing day on file, or where the files lack one of its sessions, the market's reaction is
-- null. The score (ECS) weighs percentiles among the companies that announced the same quarter within 120 days of its end: surprise 30, profit
-- over a year 20, revenue over a year 15, margin over a year 15, profit over
-- a quarter 10, return over the benchmark from day -1 to day +2 10. A score needs at least four of them, whose weights are then scaled to
-- 100; otherwise `unscored_because` says why there is none.
--
-- key:     symbol, period_end
-- sorted:  symbol, period_end
-- of-day: is_latest, days_since, drift_return, sue_pct, pat_yoy_pct, revenue_yoy_pct, margin_pct, pat_qoq_pct, announcement_pct, inputs, coverage, inputs_missing, unscored_because, is_latest_scored, ecs_score, ecs_rank, pead_signal
-- formula: earnings 3
-- column: symbol               text
-- column: period_end           date
-- column: quarter              text          "Quarter by its last month, such as Jun 2026: the calendar quarter in which the middle of the company's quarter lies."
-- column: quarter_index        int
-- column: is_latest            bool          "Whether it is the company's newest announced quarter."
-- column: basis                text
-- column: announced_on         date
-- column: filed_assumed        bool
-- column: is_timely            bool          "Whether the quarter was announced within 120 days of its end: only such quarters set the percentiles of others."
-- column: day_0                date?         "First session on which the announcement could be traded on."
-- column: days_since           int count     "Calendar days since the announcement."
-- column: revenue              number? money
-- column: pat                  number? money
-- column: opm_pct              number? pct
-- column: eps                  number? price "Earnings a share of the period, diluted where known, adjusted for later splits."
-- column: eps_change           number? price "Earnings a share less those of the same quarter a year before."
-- column: sue                  number? ratio "Standardised surprise: the change of earnings a share over a year by its sample deviation over the eight quarters before."
-- column: pat_growth_yoy       number? pct   "Growth of profit after tax over the same quarter a year before; null unless both are positive."
-- column: pat_growth_qoq       number? pct   "Growth of profit after tax over the quarter before; null unless both are positive."
-- column: pat_swing_yoy        text? in (to loss, to profit) "Whether a year turned a profit after tax into a loss or a loss into a profit: there is no growth then, and the score takes it as the worst or the best."
-- column: pat_swing_qoq        text? in (to loss, to profit) "The same over a quarter."
-- column: revenue_growth_yoy   number? pct   "Growth of revenue over the same quarter a year before; null unless both are positive."
-- column: revenue_growth_qoq   number? pct   "Growth of revenue over the quarter before; null unless both are positive."
-- column: margin_change_yoy    number? points "Operating margin less that of the same quarter a year before."
-- column: announcement_return  number? pct   "Return over the benchmark's from the close before day 0 to the close two sessions after it."
-- column: drift_return         number? pct   "Return over the benchmark's since the close of day 0, to the stock's last bar."
-- column: sue_pct              number? score "Percentile of the surprise among companies with the same quarter."
-- column: pat_yoy_pct          number? score "Percentile of profit growth over a year among companies with the same quarter."
-- column: revenue_yoy_pct      number? score "Percentile of revenue growth over a year among companies with the same quarter."
-- column: margin_pct           number? score "Percentile of the margin's change among companies with the same quarter."
-- column: pat_qoq_pct          number? score "Percentile of profit growth over a quarter among companies with the same quarter."
-- column: announcement_pct     number? score "Percentile of the announcement's return among companies with the same quarter."
-- column: inputs               int count     "How many of the score's inputs are known."
-- column: coverage             number pct    "Weight of the inputs that are known, of 100."
-- column: inputs_missing       text?
-- column: unscored_because     text?
-- column: is_latest_scored     bool          "Whether it is the company's newest quarter with a score."
-- column: ecs_score            number? score "Earnings-quality score: weighted percentiles of surprise, growth, margin and the market's reaction."
-- column: ecs_rank             int? rank     "Place by the score among the timely companies with the same quarter."
-- column: pead_signal          bool?         "Drift after earnings: a score of 70 or more, announced in the last 45 days, and ahead of the benchmark since day 0."
-- column: benchmark            text?
WITH numbered AS (
    SELECT session,
           ROW_NUMBER() OVER (ORDER BY session)         AS place,
           COUNT(missing_before) OVER (ORDER BY session) AS gaps
    FROM   sessions
),
announced AS (
    SELECT q.symbol, q.quarter_index, b.place AS place_before
    FROM   compared_quarters q
    JOIN   numbered b ON b.session = session_on(q.announced_on - 1)
    WHERE  NOT q.filed_assumed
),
days AS (
    SELECT a.symbol, a.quarter_index, n.place - a.place_before - 1 AS day, n.session, n.gaps, m.benchmark, m.benchmark_close
    FROM   announced a
    JOIN   numbered n ON n.place IN (a.place_before, a.place_before + 1, a.place_before + 3)
    LEFT   JOIN benchmark m ON m.session = n.session
),
closes AS (
    SELECT d.symbol,
           d.quarter_index,
           MAX(d.session)         FILTER (WHERE d.day = 0)  AS day_0,
           MAX(d.gaps) FILTER (WHERE d.day = 2) - MIN(d.gaps) AS gaps_2,
           MAX(d.gaps) FILTER (WHERE d.day = 0) - MIN(d.gaps) AS gaps_0,
           MAX(d.benchmark)                                 AS benchmark,
           MAX(d.benchmark_close) FILTER (WHERE d.day = -1) AS benchmark_before,
           MAX(d.benchmark_close) FILTER (WHERE d.day = 0)  AS benchmark_0,
           MAX(d.benchmark_close) FILTER (WHERE d.day = 2)  AS benchmark_2,
           MAX(p.close * p.cumulative_split_factor) FILTER (WHERE d.day = -1) AS close_before,
           MAX(p.close * p.cumulative_split_factor) FILTER (WHERE d.day = 0)  AS close_0,
           MAX(p.close * p.cumulative_split_factor) FILTER (WHERE d.day = 2)  AS close_2,
           MAX(p.price_segment) FILTER (WHERE d.day = -1)          AS segment_before,
           MAX(p.price_segment) FILTER (WHERE d.day = 0)           AS segment_0,
           MAX(p.price_segment) FILTER (WHERE d.day = 2)           AS segment_2
    FROM   days d
    LEFT   JOIN daily_prices p ON p.symbol = d.symbol AND p.session = d.session
    GROUP  BY d.symbol, d.quarter_index
),
last_bars AS (
    SELECT l.symbol, l.session, l.adj_close * l.cumulative_split_factor_now AS adj_close, l.price_segment, m.benchmark_close
    FROM   latest_bars l
    JOIN   benchmark m ON m.session = l.session
    WHERE  l.session >= session_ago(4)
),
answers AS (
    SELECT c.symbol,
           c.quarter_index,
           c.day_0,
           c.benchmark,
           CASE WHEN c.segment_2 = c.segment_before AND c.gaps_2 = 0 THEN
               100 * (c.close_2 / c.close_before - c.benchmark_2 / c.benchmark_before)
           END AS announcement_return,
           CASE WHEN l.price_segment = c.segment_0 AND l.session >= c.day_0 AND c.gaps_0 = 0 THEN
               100 * (l.adj_close / c.close_0 - l.benchmark_close / c.benchmark_0)
           END AS drift_return
    FROM   closes c
    LEFT   JOIN last_bars l ON l.symbol = c.symbol
),
inputs AS (
    SELECT q.*,
           a.day_0,
           a.benchmark,
           a.announcement_return,
           a.drift_return,
           percentile_among(a.announcement_return, q.is_timely) OVER (PARTITION BY q.quarter_index) AS announcement_pct
    FROM   compared_quarters q
    LEFT   JOIN answers a ON a.symbol = q.symbol AND a.quarter_index = q.quarter_index
),
weights AS (
    SELECT *,
           CAST(CAST(sue_pct IS NOT NULL AS INT) + CAST(pat_yoy_pct IS NOT NULL AS INT) + CAST(revenue_yoy_pct IS NOT NULL AS INT)
               + CAST(margin_pct IS NOT NULL AS INT) + CAST(pat_qoq_pct IS NOT NULL AS INT)
               + CAST(announcement_pct IS NOT NULL AS INT) AS BIGINT) AS inputs,
           30.0 * CAST(sue_pct IS NOT NULL AS INT) + 20.0 * CAST(pat_yoy_pct IS NOT NULL AS INT)
               + 15.0 * CAST(revenue_yoy_pct IS NOT NULL AS INT) + 15.0 * CAST(margin_pct IS NOT NULL AS INT)
               + 10.0 * CAST(pat_qoq_pct IS NOT NULL AS INT) + 10.0 * CAST(announcement_pct IS NOT NULL AS INT) AS coverage
    FROM   inputs
),
scores AS (
    SELECT *,
           CASE WHEN inputs >= 4 THEN
               (30 * COALESCE(sue_pct, 0) + 20 * COALESCE(pat_yoy_pct, 0) + 15 * COALESCE(revenue_yoy_pct, 0)
                   + 15 * COALESCE(margin_pct, 0) + 10 * COALESCE(pat_qoq_pct, 0) + 10 * COALESCE(announcement_pct, 0)) / coverage
           END AS ecs_score,
           NULLIF(array_to_string(make_array(
               CASE WHEN sue_pct IS NULL THEN 'sue' END,
               CASE WHEN pat_yoy_pct IS NULL THEN 'pat_growth_yoy' END,
               CASE WHEN revenue_yoy_pct IS NULL THEN 'revenue_growth_yoy' END,
               CASE WHEN margin_pct IS NULL THEN 'margin_change_yoy' END,
               CASE WHEN pat_qoq_pct IS NULL THEN 'pat_growth_qoq' END,
               CASE WHEN announcement_pct IS NULL THEN 'announcement_return' END), ', '), '') AS inputs_missing,
           COUNT(*) FILTER (WHERE is_timely) OVER (PARTITION BY quarter_index) AS announced
    FROM   weights
),
ranked AS (
    SELECT *, COUNT(CASE WHEN is_timely THEN ecs_score END) OVER (PARTITION BY quarter_index) AS timely_scored FROM scores
)
SELECT symbol,
       period_end,
       to_char(make_date(CAST((quarter_index - 1) / 4 AS INT), CAST(3 * ((quarter_index - 1) % 4 + 1) AS INT), 1), '%b %Y') AS quarter,
       quarter_index,
       is_latest,
       basis,
       announced_on,
       filed_assumed,
       is_timely,
       day_0,
       CAST(CAST(as_of() AS INT) - CAST(announced_on AS INT) AS BIGINT) AS days_since,
       revenue,
       pat,
       opm_pct,
       eps,
       eps_change,
       sue,
       pat_growth_yoy,
       pat_growth_qoq,
       pat_swing_yoy,
       pat_swing_qoq,
       revenue_growth_yoy,
       revenue_growth_qoq,
       margin_change_yoy,
       announcement_return,
       drift_return,
       sue_pct,
       pat_yoy_pct,
       revenue_yoy_pct,
       margin_pct,
       pat_qoq_pct,
       announcement_pct,
       inputs,
       coverage,
       inputs_missing,
       CASE
           WHEN ecs_score IS NOT NULL THEN NULL
           WHEN announced < 5 THEN
               'Only ' || CAST(announced AS TEXT) || ' of the companies have announced this quarter, and a percentile needs five.'
           ELSE 'Only ' || CAST(inputs AS TEXT) || ' of the six inputs are known, four are needed; not known, or of fewer than five companies: '
               || inputs_missing || '.'
       END AS unscored_because,
       COALESCE(period_end = MAX(CASE WHEN ecs_score IS NOT NULL THEN period_end END) OVER (PARTITION BY symbol), FALSE) AS is_latest_scored,
       ecs_score,
       CASE WHEN ecs_score IS NOT NULL THEN
           -- Behind those timely ones that score more: a late one takes nobody's place.
           1 + timely_scored - COUNT(CASE WHEN is_timely THEN ecs_score END) OVER (
               PARTITION BY quarter_index ORDER BY ecs_score NULLS FIRST RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
       END AS ecs_rank,
       ecs_score >= 70 AND announced_on >= as_of() - 45 AND drift_return > 0 AS pead_signal,
       benchmark
FROM   ranked
ORDER  BY symbol, period_end
