-- A company has a sector if and only if it is said where the sector is from.
--
-- severity: error
SELECT symbol, sector, sector_source
FROM   companies
WHERE  (sector IS NULL) <> (sector_source IS NULL)
   OR  sector_source NOT IN ('own_file', 'listing', 'index_list', 'other_exchange', 'industry', 'sector_index', 'sic', 'name')
ORDER  BY symbol
