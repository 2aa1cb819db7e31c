-- Trades of insiders in a company's securities, as disclosed, the newest first.
--
-- `buy` and `sell` are purchases and sales; pledges, gifts, employees' options, transfers between promoters, bonuses and conversions are
-- `other`, which only `all` lists.
--
-- tool:   get_insider_trades
-- tier:   api_pro
-- group:  Company Intel
-- answer: list
-- own-param:  symbol text                             "Symbol of the company on NSE." e.g. NAQIMESTEE
-- param:  days   int = 90 in 1..365               "Calendar days to look back from the market's date." e.g. 365
-- param:  type   text = all in (buy, sell, all)   "Which side to keep."
-- feeds-param:  min_value_cr number?                       "Smallest value, INR crore." e.g. 0.5
-- feeds-param:  sector       text? among sectors.sector "Only this sector; capitals do not matter." e.g. Financial Services
-- param:  limit  int = 20 in 1..50 rest-only      "Rows to return." e.g. 5
-- also: feeds/insider
-- own-omit: sector
-- feeds-title: Trades of insiders in all companies, as disclosed, the newest first
-- feeds-tool:   get_insider_feed
-- feeds-group:  Feeds
-- feeds-param:  days         int = 30 in 1..90             "Calendar days to look back from the market's date." e.g. 90
-- feeds-param:  limit        int = 25 in 1..50             "Rows to return." e.g. 10
SELECT t.symbol,
       COALESCE(c.company_name, t.security_name) AS company_name,
       c.sector,
       t.filed_on,
       t.traded_from,
       t.traded_to,
       t.person,
       t.category,
       t.side,
       t.transaction_type,
       t.mode,
       t.security_type,
       t.shares,
       1e7 * t.value_cr / NULLIF(t.shares, 0) AS price,
       t.value_cr,
       t.held_before,
       t.held_before_pct,
       t.held_after,
       t.held_after_pct,
       t.trade_exchange,
       t.document,
       t.source
FROM   insider_trades t
LEFT   JOIN companies c ON c.symbol = t.symbol
WHERE  t.filed_on >= as_of() - $days
AND    ($symbol IS NULL OR t.symbol = $symbol)
AND    t.filed_on <= as_of()
AND    ($type = 'all' OR t.side = $type)
AND    ($min_value_cr IS NULL OR t.value_cr >= $min_value_cr)
AND    ($sector IS NULL OR c.sector = $sector)
ORDER  BY t.filed_on DESC, t.value_cr DESC NULLS LAST, t.symbol, t.sequence
LIMIT  $limit
