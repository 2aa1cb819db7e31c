-- Classified share: an exchange's classification of the company behind an ISIN, whatever symbol the company has there.
--
-- NSE writes the names of sectors without commas.
--
-- staged: isin text, sector text, industry text?

SELECT
    isin,
    nullif(replace(sector, ',', ''), '') AS sector,
    nullif(industry, '') AS industry,
    CASE
        WHEN substr(isin, 1, 3) NOT IN ('INE', 'IN9') OR substr(isin, 8, 2) IN ('23', '25') THEN 'ISIN does not start with INE'
    END AS refused
FROM staged
