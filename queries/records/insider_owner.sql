-- Insider owner: a reporting person of a submission in the SEC's data sets of Forms 3, 4 and 5.
--
-- staged: cik words, accession accession, name words, relation words?, title words?
-- fills:  insider_trades

SELECT accession, cik, name, relation, title, CASE WHEN accession IS NULL THEN 'no accession number' END AS refused
FROM staged
