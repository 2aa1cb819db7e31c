-- Full report on a US company: its text by sections, its scores, and a stance that follows from them.
--
-- The stance is COMPELLING with an overall score of 7 or more, a rating of 70 or more and stage 2; AVOID with an overall score below 4, or
-- stage 4 and a rating below 30; otherwise WATCHLIST. It is also WATCHLIST if one of these figures is not known, and `stance_missing` names
-- that figure. The stance is a label by rule, and no advice. The sections are texts that a person or a language model wrote; they are null
-- for a company without such a text.
--
-- tool:   us_get_full_report
-- tier:   api_max
-- group:  US Markets
-- answer: one
-- optional: full_reports
-- param:  symbol text "Ticker of the company." e.g. FAQEMO
-- column: quarter text  "Quarter by its last month, such as Jun 2026."
-- column: scores  row   "Scores of the five dimensions, 0 to 10."
SELECT n.symbol,
       c.company_name,
       c.sector,
       c.industry,
       to_char(t.period_end - 14, '%b %Y') AS quarter,
       t.period_end,
       n.stance,
       n.stance_missing,
       n.overall_score,
       named_struct(
           'financial_health', k.financial_health,
           'growth_prospects', k.growth_prospects,
           'competitive_position', k.competitive_position,
           'management_quality', k.management_quality,
           'valuation', k.valuation
       ) AS scores,
       n.rs_rating,
       n.stage,
       s.price_cmp,
       s.session,
       s.market_cap_b,
       s.market_cap_assumed,
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
FROM   stances n
LEFT   JOIN full_reports t ON t.symbol = n.symbol AND t.generated_on <= as_of()
LEFT   JOIN companies c    ON c.symbol = n.symbol
LEFT   JOIN stocks s       ON s.symbol = n.symbol
LEFT   JOIN scorecards k   ON k.symbol = n.symbol
WHERE  n.symbol = $symbol
