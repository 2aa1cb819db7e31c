-- Results extract: a row does not state whether its figures are the group's or the company's, and one file mixes both.
--
-- No row can therefore become part of a series; each is refused with that reason, so that the user learns it.
--
-- staged: period_end text, profit text

SELECT 'basis is neither consolidated nor standalone' AS refused
FROM staged
