-- Explorer: bulk and block deals in a company's shares, the newest first, within a day the largest.
--
-- An operation of the explorer. A deal has two sides; each is a row if the exchange reports it, and one client may have several rows in a
-- session. Shares and prices are as traded, not adjusted for later splits. Each row also has the session's volume and close, and the deal
-- in percent of the volume and of the company; these are null if the stock has no bar in the session.
--
-- tool:   none
-- tier:   api_pro
-- group:  Explorer
-- answer: list
-- param:  symbol    text                             "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- param:  days      int = 365 in 1..1830             "Calendar days to look back from the market's date." e.g. 730
-- param:  deal_type text = all in (bulk, block, all) "Which kind to keep."
-- param:  side      text = all in (buy, sell, all)   "Which side to keep."
-- param:  limit     int = 50 in 1..500               "Rows to return." e.g. 20
-- column: session_volume int? shares "Shares traded in the session, as traded."
-- column: session_close  number? price "Closing price of the session, as traded."
-- column: pct_of_volume  number? pct "Shares of the deal in percent of the session's volume."
-- column: pct_of_company number? pct "Shares of the deal in percent of the company's shares outstanding on the day."
-- column: price_to_close_pct number? pct "Price of the deal above the session's close, or below it with a minus sign."
SELECT d.symbol,
       COALESCE(c.company_name, d.security_name) AS company_name,
       d.deal_date,
       d.deal_type,
       d.client,
       d.side,
       d.quantity,
       d.price,
       d.value_cr,
       p.volume                                            AS session_volume,
       p.close                                             AS session_close,
       100.0 * d.quantity / NULLIF(p.volume, 0)            AS pct_of_volume,
       100.0 * d.quantity * p.close / NULLIF(CASE WHEN NOT p.market_cap_assumed THEN p.market_cap END, 0) AS pct_of_company,
       100.0 * (d.price / NULLIF(p.close, 0) - 1)          AS price_to_close_pct,
       d.source
FROM   deals d
LEFT   JOIN companies c ON c.symbol = d.symbol
LEFT   JOIN (
           SELECT session, volume, close, market_cap, market_cap_assumed
           FROM   daily_prices
           WHERE  symbol = $symbol
           AND    session >= as_of() - $days
       ) p ON p.session = d.deal_date
WHERE  d.symbol = $symbol
AND    d.deal_date >= as_of() - $days
AND    d.deal_date <= as_of()
AND    ($deal_type = 'all' OR d.deal_type = $deal_type)
AND    ($side = 'all' OR d.side = $side)
ORDER  BY d.deal_date DESC, d.value_cr DESC NULLS LAST, d.sequence
LIMIT  $limit
