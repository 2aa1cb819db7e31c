-- On each recorded session of the last 63, the picks of the ledger are the stocks of the scans.
--
-- Sessions that were recorded by other formulas than the newest are not compared. A stock whose symbol has changed is found under both.
--
-- severity: note
-- identity: yes
WITH reach AS (
    SELECT session FROM sessions ORDER BY session DESC LIMIT 63
),
last_entries AS (
    SELECT session, MAX(entry_number) AS entry_number FROM ledger_entries GROUP BY session
),
newest AS (
    SELECT formulas FROM ledger_entries ORDER BY entry_number DESC LIMIT 1
),
days AS (
    SELECT e.session
    FROM   last_entries l
    JOIN   ledger_entries e ON e.entry_number = l.entry_number
    JOIN   newest n ON n.formulas = e.formulas
    JOIN   reach r ON r.session = e.session
),
recorded AS (
    SELECT d.session, p.scan_name, p.symbol
    FROM   ledger_picks AS p
    JOIN   days d ON d.session >= p.entered_on AND (p.left_on IS NULL OR d.session < p.left_on)
),
present AS (
    SELECT d.session, s.scan_name, s.symbol
    FROM   scan_spells AS s
    JOIN   days d ON d.session >= s.entered_on AND (s.left_on IS NULL OR d.session < s.left_on)
)
SELECT COALESCE(r.session, s.session)     AS session,
       COALESCE(r.scan_name, s.scan_name) AS scan_name,
       COALESCE(r.symbol, s.symbol)       AS symbol,
       CASE WHEN s.symbol IS NULL THEN 'ledger' ELSE 'tables' END AS only_in
FROM   recorded AS r
FULL   JOIN present s ON s.session = r.session AND s.scan_name = r.scan_name AND s.symbol = r.symbol
WHERE  r.symbol IS NULL
   OR  s.symbol IS NULL
ORDER  BY session DESC, scan_name, symbol
