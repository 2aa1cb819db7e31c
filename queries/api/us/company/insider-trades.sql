-- Trades of insiders in a US company's securities, as Forms 4 and 5 report them, the newest first.
--
-- `buy` and `sell` are purchases and sales; grants, gifts, exercised options and shares withheld for tax are `other`. A price that only a
-- footnote states is null. The shares held before are computed from those held after; they are null if a form does not determine them.
--
-- tool:   us_get_insider_trades
-- tier:   api_pro
-- group:  US Markets
-- answer: list
-- param:  symbol text               "Ticker of the company." e.g. ROZIFO
-- param:  days   int = 90 in 1..365 "Calendar days to look back from the market's date." e.g. 365
-- param:  limit  int = 20 in 1..50  "Rows to return." e.g. 5
SELECT t.symbol,
       COALESCE(c.company_name, t.security_name) AS company_name,
       t.filed_on,
       t.traded_from,
       t.traded_to,
       t.person,
       t.officer_title,
       t.category,
       t.side,
       t.transaction_type,
       t.transaction_code,
       t.security_type,
       t.shares,
       t.price,
       t.value_usd,
       t.held_before,
       t.held_after,
       t.ownership,
       t.footnotes,
       t.form,
       t.accession,
       t.source
FROM   insider_trades t
LEFT   JOIN companies c ON c.symbol = t.symbol
WHERE  t.symbol = $symbol
AND    t.filed_on >= as_of() - $days
AND    t.filed_on <= as_of()
ORDER  BY t.filed_on DESC, t.value_usd DESC NULLS LAST, t.sequence
LIMIT  $limit
