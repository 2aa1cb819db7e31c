-- A stock's alignment is that of its price and averages, and its distance from the high that of both.
--
-- To as much as figures of 7 digits have.
--
-- severity: row
SELECT symbol, price_cmp, ema_10, ema_21, ema_50, ema_alignment, wk52_high, pct_from_high
FROM   stocks
WHERE  (ema_alignment = 'BULLISH' AND NOT (price_cmp > ema_10 AND ema_10 > ema_21 AND ema_21 > ema_50))
   OR  (ema_alignment = 'BEARISH' AND NOT (price_cmp < ema_10 AND ema_10 < ema_21 AND ema_21 < ema_50))
   OR  abs(pct_from_high - 100 * (price_cmp / wk52_high - 1)) > 1e-5
   OR  price_cmp > wk52_high * 1.000001
   OR  price_cmp < wk52_low * 0.999999
ORDER  BY symbol
