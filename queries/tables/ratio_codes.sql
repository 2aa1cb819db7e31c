-- Ratio codes: every ratio with its formula, its unit and which way is better.
--
-- Flows are those of the last four quarters, growth counts fiscal years; `fundamentals` has the ratios by these names.
--
-- key:     ratio_code
-- sorted:  ratio_code
-- formula: ratios 1
-- column: ratio_code       text "Code of the ratio, such as roce."
-- column: ratio_name text "Name of the ratio."
-- column: ratio_formula text "How the ratio is computed."
-- column: ratio_unit text "Unit of the ratio: pct (percent), ratio or count."
-- column: better     text "Which way is better: higher or lower."
SELECT ratio_code, ratio_name, ratio_formula, ratio_unit, better
FROM   (VALUES
           ('altman_z_score', 'Altman Z-score', 'Altman''s Z for manufacturers, Z'''' for others', 'ratio', 'higher'),
           ('asset_turnover', 'Asset turnover', 'revenue / mean total assets', 'ratio', 'higher'),
           ('cash_conversion', 'Cash conversion', 'cash flow from operations / EBITDA', 'ratio', 'higher'),
           ('current_ratio', 'Current ratio', 'current assets / current liabilities', 'ratio', 'higher'),
           ('de', 'Debt to equity', 'total debt / equity', 'ratio', 'lower'),
           ('dilution_pct', 'Dilution', '100 (shares / shares a year before - 1)', 'pct', 'lower'),
           ('dividend_yield', 'Dividend yield', '100 dividend a share / price', 'pct', 'higher'),
           ('ev_ebitda', 'EV to EBITDA', '(market cap + total debt - cash) / EBITDA', 'ratio', 'lower'),
           ('fcf_yield', 'Free cash flow yield', '100 (cash flow from operations - capital expenditure) / market cap', 'pct', 'higher'),
           ('gross_margin_pct', 'Gross margin', '100 gross profit / revenue', 'pct', 'higher'),
           ('industry_revenue_share', 'Share of the industry', '100 revenue / revenue of the industry', 'pct', 'higher'),
           ('interest_cover', 'Interest cover', 'EBIT / interest expense', 'ratio', 'higher'),
           ('net_margin_pct', 'Net margin', '100 profit after tax / revenue', 'pct', 'higher'),
           ('opm_pct', 'Operating margin', '100 EBITDA / revenue', 'pct', 'higher'),
           ('pat_cagr_3y', 'Profit growth, 3 years', '100 ((profit / profit 3 fiscal years before)^(1/3) - 1)', 'pct', 'higher'),
           ('pat_cagr_5y', 'Profit growth, 5 years', '100 ((profit / profit 5 fiscal years before)^(1/5) - 1)', 'pct', 'higher'),
           ('pat_growth_1y', 'Profit growth, 1 year', '100 (profit / profit of the fiscal year before - 1)', 'pct', 'higher'),
           ('pb', 'Price to book', 'market cap / equity', 'ratio', 'lower'),
           ('pe', 'Price to earnings', 'market cap / profit after tax', 'ratio', 'lower'),
           ('piotroski_f', 'Piotroski F-score', 'signs of strength that hold, of nine', 'count', 'higher'),
           ('profitable_years_10y', 'Profitable years', 'fiscal years with a profit among the last ten', 'count', 'higher'),
           ('ps', 'Price to sales', 'market cap / revenue', 'ratio', 'lower'),
           ('revenue_cagr_3y', 'Revenue growth, 3 years', '100 ((revenue / revenue 3 fiscal years before)^(1/3) - 1)', 'pct', 'higher'),
           ('revenue_cagr_5y', 'Revenue growth, 5 years', '100 ((revenue / revenue 5 fiscal years before)^(1/5) - 1)', 'pct', 'higher'),
           ('revenue_growth_1y', 'Revenue growth, 1 year', '100 (revenue / revenue of the fiscal year before - 1)', 'pct', 'higher'),
           ('roa', 'Return on assets', '100 profit after tax / mean total assets', 'pct', 'higher'),
           ('roce', 'Return on capital employed', '100 EBIT / (total assets - current liabilities)', 'pct', 'higher'),
           ('roe', 'Return on equity', '100 profit after tax / mean equity', 'pct', 'higher')
       ) AS listed (ratio_code, ratio_name, ratio_formula, ratio_unit, better)
ORDER  BY ratio_code
