-- Directory entry: a listing in Nasdaq's symbol directories. Without a column of exchanges, all are listed at Nasdaq.
--
-- Symbols and names are written as in other listings: preferred shares, `BAC$L` here, are `BAC^L`, and `Alfa Inc. - Common Stock` is `Alfa
-- Inc. Common Stock`.
--
-- staged: symbol symbol, name text, exchange text?, test_issue text, etf text, next_shares text?

SELECT
    CASE WHEN starts_with(symbol, 'NSE:') THEN substr(replace(symbol, '$', '^'), 5) ELSE replace(symbol, '$', '^') END AS symbol,
    regexp_replace(nullif(name, ''), '^(.*) - ', '\1 ') AS name,
    CASE coalesce(nullif(exchange, ''), 'Q')
        WHEN 'Q' THEN 'NASDAQ'
        WHEN 'N' THEN 'NYSE'
        WHEN 'A' THEN 'AMEX'
        WHEN 'P' THEN 'NYSE Arca'
        WHEN 'Z' THEN 'BATS'
        WHEN 'V' THEN 'IEX'
    END AS exchange,
    test_issue = 'Y' AS is_test,
    etf = 'Y' OR coalesce(next_shares = 'Y', false) AS is_fund,
    CASE WHEN symbol IS NULL THEN 'no symbol' END AS refused
FROM staged
