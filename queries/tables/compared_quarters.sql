-- Compared quarters: every announced quarter of every company with its place among all companies with the same quarter.
--
-- Those who announced the quarter within 120 days of its end are ranked among each other; a later prospectus is measured against them.
-- It is the part of `earnings` that depends on statements only: neither prices nor the passing of a day change it.
--
-- key:     symbol, quarter_index
-- sorted:  symbol, quarter_index
-- of-day: is_latest, sue_pct, pat_yoy_pct, revenue_yoy_pct, margin_pct, pat_qoq_pct
-- formula: earnings 3
-- column: symbol               text
-- column: period_end           date
-- column: quarter_index        int
-- column: is_latest            bool          "Whether it is the company's newest announced quarter."
-- column: basis                text
-- column: announced_on         date
-- column: filed_assumed        bool
-- column: is_timely            bool          "Whether the quarter was announced within 120 days of its end: only such quarters set the percentiles of others."
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
-- column: sue_pct              number? score "Percentile of the surprise among companies with the same quarter."
-- column: pat_yoy_pct          number? score "Percentile of profit growth over a year among companies with the same quarter."
-- column: revenue_yoy_pct      number? score "Percentile of revenue growth over a year among companies with the same quarter."
-- column: margin_pct           number? score "Percentile of the margin's change among companies with the same quarter."
-- column: pat_qoq_pct          number? score "Percentile of profit growth over a quarter among companies with the same quarter."
SELECT *,
       percentile_among(sue, is_timely)                OVER peers AS sue_pct,
       percentile_among(CASE pat_swing_yoy WHEN 'to loss' THEN -1e300 WHEN 'to profit' THEN 1e300 ELSE pat_growth_yoy END, is_timely) OVER peers AS pat_yoy_pct,
       percentile_among(revenue_growth_yoy, is_timely) OVER peers AS revenue_yoy_pct,
       percentile_among(margin_change_yoy, is_timely)  OVER peers AS margin_pct,
       percentile_among(CASE pat_swing_qoq WHEN 'to loss' THEN -1e300 WHEN 'to profit' THEN 1e300 ELSE pat_growth_qoq END, is_timely) OVER peers AS pat_qoq_pct
FROM   quarter_changes
WINDOW peers AS (PARTITION BY quarter_index)
ORDER  BY symbol, quarter_index
