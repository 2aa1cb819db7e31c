-- Explorer: bulk and block deals by company: what was bought, what was sold, and the net, the largest net first.
--
-- An operation of the explorer. A purchase and a sale of one deal are two rows of the exchange, which need not report both. The net is the
-- value bought less the value sold; a client that buys and sells the same shares within a session adds nothing to it. `client` is a part of
-- the client's name as the exchange writes it; capitals do not matter.
--
-- tool:   none
-- tier:   api_pro
-- group:  Explorer
-- answer: list
-- param:  days         int = 14 in 1..365                "Calendar days to look back from the market's date." e.g. 30
-- param:  client       text? in 2..80                    "Part of the client's name." e.g. CAPITAL
-- param:  min_value_cr number? in 0..1000000             "Smallest value of a deal in crore." e.g. 10
-- param:  deal_type    text = all in (bulk, block, all)  "Which kind to keep."
-- param:  sector       text? among sectors.sector        "Only this sector; capitals do not matter." e.g. Financial Services
-- param:  limit        int = 50 in 1..500                "Rows to return." e.g. 5
-- column: net_bought_cr  number inr_crore "Value bought less value sold."
-- column: deals_bought_cr number inr_crore "Value of the purchases."
-- column: deals_sold_cr  number inr_crore "Value of the sales."
-- column: deal_rows      int count "Rows of deals, each one side."
-- column: deal_clients   int count "Clients with a row."
-- column: largest_client text "Client of the largest row."
-- column: last_deal_on   date "Day of the newest row."
WITH shown AS (
    SELECT d.symbol,
           COALESCE(c.company_name, d.security_name) AS company_name,
           c.sector,
           d.deal_date,
           d.side,
           d.client,
           d.value_cr
    FROM   deals d
    LEFT   JOIN companies c ON c.symbol = d.symbol
    WHERE  d.deal_date >= as_of() - $days
    AND    d.deal_date <= as_of()
    AND    ($client IS NULL OR strpos(upper(d.client), upper($client)) > 0)
    AND    ($min_value_cr IS NULL OR d.value_cr >= $min_value_cr)
    AND    ($deal_type = 'all' OR d.deal_type = $deal_type)
    AND    ($sector IS NULL OR c.sector = $sector)
),
sums AS (
    SELECT symbol,
           MAX(company_name)                                            AS company_name,
           MAX(sector)                                                  AS sector,
           COALESCE(SUM(CASE WHEN side = 'buy'  THEN value_cr END), 0)  AS bought_cr,
           COALESCE(SUM(CASE WHEN side = 'sell' THEN value_cr END), 0)  AS sold_cr,
           COUNT(*)                                                     AS deal_rows,
           COUNT(DISTINCT client)                                       AS deal_clients,
           FIRST_VALUE(client ORDER BY value_cr DESC NULLS LAST, client) AS largest_client,
           MAX(deal_date)                                               AS last_deal_on
    FROM   shown
    GROUP  BY symbol
)
SELECT symbol,
       company_name,
       sector,
       bought_cr - sold_cr AS net_bought_cr,
       bought_cr           AS deals_bought_cr,
       sold_cr             AS deals_sold_cr,
       deal_rows,
       deal_clients,
       largest_client,
       last_deal_on
FROM   sums
ORDER  BY abs(bought_cr - sold_cr) DESC, symbol
LIMIT  $limit
