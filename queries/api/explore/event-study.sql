-- Explorer: what followed when stocks entered a state: returns after 5, 21 and 63 bars, beside those of all stocks over the same days.
--
-- An operation of the explorer. The entries are those of the last 504 sessions, of tradable stocks; the state is known at the close from
-- which a return counts. `base_median_return_pct` and `base_positive_pct` are those of all tradable stocks over the same days. The table
-- `event_returns` has the rules for splits, for stocks that ceased to trade, and for the interval of the median. The scans brs, ipo and all
-- have no history.
--
-- tool:   none
-- tier:   api_pro
-- group:  Explorer
-- answer: list
-- param:  event   text? in (stage2, nearHigh, highVol, volume, vcp, stage2NearHigh, allThree, rs90, newHigh, aboveEmas, aboveSmas) "Only entries into this state: a scan, an RS rating of 90 or more, a 52-week high, or a close above ema_10 and ema_21, or above sma_50 and sma_200." e.g. vcp
-- param:  horizon text? in (5, 21, 63) "Only the returns after this number of bars." e.g. 21
-- column: event_label text "The state in words."
-- also:   us
SELECT event,
       CASE event
           WHEN 'stage2'         THEN 'Stage 2 advance'
           WHEN 'nearHigh'       THEN 'Near the 52-week high'
           WHEN 'highVol'        THEN 'Up on high volume'
           WHEN 'volume'         THEN 'Twice the usual volume'
           WHEN 'vcp'            THEN 'Volatility contraction pattern'
           WHEN 'stage2NearHigh' THEN 'Stage 2 and near the 52-week high'
           WHEN 'allThree'       THEN 'Stage 2, near the high, on high volume'
           WHEN 'rs90'           THEN 'RS rating of 90 or more'
           WHEN 'newHigh'        THEN '52-week high'
           WHEN 'aboveEmas'      THEN 'Close above EMA 10 and 21'
           WHEN 'aboveSmas'      THEN 'Close above SMA 50 and 200'
       END AS event_label,
       horizon,
       entry_count,
       entry_days,
       complete_count,
       incomplete_count,
       ceased_count,
       lower_quartile_return_pct,
       median_return_pct,
       upper_quartile_return_pct,
       median_return_low_pct,
       median_return_high_pct,
       positive_pct,
       base_median_return_pct,
       base_positive_pct,
       beat_pct,
       first_entry,
       last_entry
FROM   event_returns
WHERE  ($event IS NULL OR event = $event)
AND    ($horizon IS NULL OR horizon = CAST($horizon AS BIGINT))
ORDER  BY event, horizon
