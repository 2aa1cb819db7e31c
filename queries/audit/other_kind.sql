-- A list or a filing after the day tells that the company is a lender of another kind or none: its lines are joined as those of its kind.
--
-- kind:   assumed
-- tables: statements, reported_periods, quarter_changes, compared_quarters, earnings
SELECT w.symbol
FROM   whole.business_kinds AS w
       JOIN past.business_kinds AS p ON p.symbol = w.symbol
WHERE  w.business_kind <> p.business_kind
