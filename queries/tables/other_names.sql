-- Other names: what companies are called beside their symbol and name: former symbols and names, and names that people use.
--
-- Searches read it. Former symbols and names come from NSE's lists of changes, the others are written here.
--
-- view:    yes
-- key:     symbol, other_name
-- sorted:  symbol, other_name
-- optional: former_names
-- column: symbol     text
-- column: other_name text "Another name of the company."
SELECT symbol, former_name AS other_name
FROM   former_names
UNION  ALL
SELECT symbol, other_name
FROM   (VALUES
           ('india', 'HINDUNILVR', 'HUL'),
           ('india', 'INDHOTEL', 'Taj Hotels'),
           ('india', 'INDIGO', 'IndiGo Airlines'),
           ('india', 'POLICYBZR', 'Policybazaar'),
           ('india', 'RELIANCE', 'RIL'),
           ('us', 'BAC', 'BofA'),
           ('us', 'GE', 'General Electric'),
           ('us', 'GOOG', 'Google'),
           ('us', 'GOOGL', 'Google'),
           ('us', 'GOOGL', 'YouTube'),
           ('us', 'JNJ', 'J&J'),
           ('us', 'KO', 'Coke'),
           ('us', 'META', 'Facebook'),
           ('us', 'META', 'Instagram'),
           ('us', 'MMM', 'Minnesota Mining'),
           ('us', 'PG', 'P&G'),
           ('us', 'PM', 'Marlboro'),
           ('us', 'RTX', 'Raytheon'),
           ('us', 'SQ', 'Square'),
           ('us', 'TSM', 'TSMC'),
           ('us', 'XYZ', 'Square')
       ) AS names (of_market, symbol, other_name)
WHERE  of_market = market()
