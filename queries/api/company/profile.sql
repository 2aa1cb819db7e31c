-- Profile of a company: identity, market data, core ratios, growth, quality, strength and technical levels.
--
-- Prices are those of the last bar, adjusted; figures that need financial statements are null without them.
--
-- tool:   get_company_profile
-- tier:   free
-- group:  Core
-- answer: one
-- free-symbols: yes
-- param:  symbol text "Symbol of the company on NSE." e.g. BAXIPAPOWR
-- also: us
-- us-title: Profile of a US company: identity, market data, core ratios, growth, quality, strength and technical levels
-- us-names: company_profiles = us_company_profiles
-- us-tool:   us_get_company_profile
-- us-group:  US Markets
-- us-param:  symbol text "Ticker of the company." e.g. BAQEBO
SELECT *
-- The table has the columns of this answer, in their order.
FROM   company_profiles
WHERE  symbol = $symbol
