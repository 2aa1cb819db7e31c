-- Full report on a US company: its text by sections, its scores, and a stance that follows from them.
--
-- The stance is COMPELLING with an overall score of 7 or more, a rating of 70 or more and stage 2; AVOID with an overall score below 4, or stage 4 and a rating below 30; otherwise WATCHLIST, and null where a figure is missing that decides. It is a label by rule, and no advice.
--
-- tool:   us_get_full_report
-- tier:   api_max
-- group:  US Markets
-- answer: one
-- param:  symbol text "Ticker of the company." e.g. FAQEMO
-- column: quarter text  "Quarter by its last month, such as Jun 2026."
-- column: stance  text? "COMPELLING, WATCHLIST or AVOID, by the rule above."
-- column: scores  row   "Scores of the five dimensions, 0 to 10."
SELECT t.symbol,
       c.company_name,
       c.sector,
       c.industry,
       to_char(t.period_end - 14, '%b %Y') AS quarter,
       t.period_end,
       CASE
           WHEN k.overall_score >= 7 AND s.rs_rating >= 70 AND s.stage = 2      THEN 'COMPELLING'
           WHEN k.overall_score < 4                                            THEN 'AVOID'
           WHEN s.stage = 4 AND s.rs_rating < 30                               THEN 'AVOID'
           WHEN k.overall_score IS NULL OR s.rs_rating IS NULL OR s.stage IS NULL THEN NULL
           ELSE 'WATCHLIST'
       END AS stance,
       k.overall_score,
       named_struct(
           'financial_health', k.financial_health,
           'growth_prospects', k.growth_prospects,
           'competitive_position', k.competitive_position,
           'management_quality', k.management_quality,
           'valuation', k.valuation
       ) AS scores,
       s.rs_rating,
       s.stage,
       s.price_cmp,
       s.market_cap_b,
       t.headline,
       t.executive_summary,
       t.business_overview,
       t.financial_review,
       t.market_position,
       t.management_view,
       t.catalysts,
       t.key_risks,
       t.conclusion,
       t.source,
       t.written_by,
       t.generated_on
FROM   full_reports t
LEFT   JOIN companies c  ON c.symbol = t.symbol
LEFT   JOIN stocks s     ON s.symbol = t.symbol
LEFT   JOIN scorecards k ON k.symbol = t.symbol
WHERE  t.symbol = $symbol
AND    t.generated_on <= as_of()
