-- Ratio codes: every ratio with its formula, its unit, which way is better, whom it applies to, and which dimension it scores.
--
-- Flows are those of the last twelve months, growth counts fiscal years; `fundamentals` has the ratios by these names. A ratio is null for
-- a business to which it does not apply. Scorecards are made of the ratios that have a dimension here.
--
-- key:     ratio_code
-- sorted:  ratio_code
-- formula: ratios 3
-- column: ratio_code       text "Code of the ratio, such as roce."
-- column: ratio_name text "Name of the ratio."
-- column: ratio_formula text "How the ratio is computed."
-- column: ratio_unit text "Unit of the ratio: pct (percent), ratio or count."
-- column: better     text "Which way is better: higher or lower."
-- column: applies_to text "Whom the ratio applies to: all, others (all but banks, lenders and insurers), lenders (banks and lenders), or lenders and insurers."
-- column: dimension  text? "Dimension of the scorecard that the ratio is part of."
-- column: lender_dimension text? "Dimension of the scorecard that the ratio is part of, for banks, lenders and insurers."
SELECT ratio_code, ratio_name, ratio_formula, ratio_unit, better, applies_to, dimension, lender_dimension
FROM   (VALUES
           ('altman_z_score', 'Altman Z-score', 'Altman''s Z for manufacturers, Z'''' for others', 'ratio', 'higher', 'others', 'financial_health', NULL),
           ('asset_turnover', 'Asset turnover', 'revenue / mean total assets', 'ratio', 'higher', 'all', NULL, NULL),
           ('tier1_pct', 'Tier 1 capital', '100 Tier 1 capital / risk-weighted assets, as reported, from 4 to 60', 'pct', 'higher', 'lenders', NULL, 'financial_health'),
           ('cash_conversion', 'Cash conversion', 'cash flow from operations / EBITDA', 'ratio', 'higher', 'all', 'management_quality', NULL),
           ('cost_of_funds', 'Cost of funds', '100 interest paid / mean of total debt and deposits', 'pct', 'lower', 'lenders', NULL, 'financial_health'),
           ('current_ratio', 'Current ratio', 'current assets / current liabilities', 'ratio', 'higher', 'others', 'financial_health', NULL),
           ('de', 'Debt to equity', 'total debt / equity', 'ratio', 'lower', 'all', 'financial_health', NULL),
           ('dilution_pct', 'Dilution', '100 (shares / shares a year before - 1)', 'pct', 'lower', 'all', 'management_quality', 'management_quality'),
           ('dividend_yield', 'Dividend yield', '100 dividend a share / price', 'pct', 'higher', 'all', NULL, NULL),
           ('equity_to_assets', 'Equity to assets', '100 equity / total assets', 'pct', 'higher', 'lenders and insurers', NULL, 'financial_health'),
           ('ev_ebitda', 'EV to EBITDA', '(market cap + total debt - cash) / EBITDA', 'ratio', 'lower', 'others', 'valuation', NULL),
           ('fcf_yield', 'Free cash flow yield', '100 (cash flow from operations - capital expenditure) / market cap', 'pct', 'higher', 'others', 'valuation', NULL),
           ('gnpa_pct', 'Gross bad loans', '100 gross bad loans / advances', 'pct', 'lower', 'lenders', NULL, 'financial_health'),
           ('gross_margin_pct', 'Gross margin', '100 gross profit / revenue, where a cost of goods is stated', 'pct', 'higher', 'all', NULL, NULL),
           ('industry_revenue_share', 'Share of the industry', '100 revenue / revenue of the industry', 'pct', 'higher', 'all', 'competitive_position', NULL),
           ('interest_cover', 'Interest cover', 'EBIT / interest expense', 'ratio', 'higher', 'all', 'financial_health', NULL),
           ('margin_on_assets', 'Margin on assets', '100 net interest income / mean total assets', 'pct', 'higher', 'lenders', NULL, 'competitive_position'),
           ('net_margin_pct', 'Net margin', '100 profit after tax / revenue', 'pct', 'higher', 'all', NULL, NULL),
           ('opm_pct', 'Operating margin', '100 EBITDA / revenue', 'pct', 'higher', 'all', 'competitive_position', NULL),
           ('pat_cagr_3y', 'Profit growth, 3 years', '100 ((profit / profit 3 fiscal years before)^(1/3) - 1)', 'pct', 'higher', 'all', 'growth_prospects', 'growth_prospects'),
           ('pat_cagr_5y', 'Profit growth, 5 years', '100 ((profit / profit 5 fiscal years before)^(1/5) - 1)', 'pct', 'higher', 'all', 'growth_prospects', 'growth_prospects'),
           ('pat_growth_1y', 'Profit growth, 1 year', '100 (profit / profit of the fiscal year before - 1)', 'pct', 'higher', 'all', 'growth_prospects', 'growth_prospects'),
           ('pb', 'Price to book', 'market cap / equity', 'ratio', 'lower', 'all', 'valuation', 'valuation'),
           ('pe', 'Price to earnings', 'market cap / profit after tax', 'ratio', 'lower', 'all', 'valuation', 'valuation'),
           ('piotroski_f', 'Piotroski F-score', 'signs of strength that hold, of nine', 'count', 'higher', 'others', 'management_quality', NULL),
           ('profitable_years_10y', 'Profitable years', 'fiscal years with a profit among the last ten', 'count', 'higher', 'all', NULL, NULL),
           ('ps', 'Price to sales', 'market cap / revenue', 'ratio', 'lower', 'all', NULL, NULL),
           ('revenue_cagr_3y', 'Revenue growth, 3 years', '100 ((revenue / revenue 3 fiscal years before)^(1/3) - 1)', 'pct', 'higher', 'all', 'growth_prospects', 'growth_prospects'),
           ('revenue_cagr_5y', 'Revenue growth, 5 years', '100 ((revenue / revenue 5 fiscal years before)^(1/5) - 1)', 'pct', 'higher', 'all', 'growth_prospects', 'growth_prospects'),
           ('revenue_growth_1y', 'Revenue growth, 1 year', '100 (revenue / revenue of the fiscal year before - 1)', 'pct', 'higher', 'all', 'growth_prospects', 'growth_prospects'),
           ('roa', 'Return on assets', '100 profit after tax / mean total assets', 'pct', 'higher', 'all', NULL, 'competitive_position'),
           ('roce', 'Return on capital employed', '100 EBIT / (total assets - current liabilities)', 'pct', 'higher', 'all', 'competitive_position', NULL),
           ('roe', 'Return on equity', '100 profit after tax / mean equity', 'pct', 'higher', 'all', NULL, 'competitive_position')
       ) AS listed (ratio_code, ratio_name, ratio_formula, ratio_unit, better, applies_to, dimension, lender_dimension)
ORDER  BY ratio_code
