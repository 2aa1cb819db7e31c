-- The closes that the ledger recorded in the last 63 sessions are those of the bars.
--
-- severity: note
SELECT p.symbol, p.scan_name, p.entered_on, p.recorded_close, b.close
FROM   ledger_picks AS p
JOIN   daily_prices AS b ON b.symbol = p.symbol AND b.session = p.entered_on
WHERE  b.session >= session_ago(62)
AND    (p.left_on IS NULL OR p.left_on > p.entered_on)
AND    abs(p.recorded_close - b.close) > 1e-9 * b.close
ORDER  BY p.entered_on DESC, p.symbol, p.scan_name
