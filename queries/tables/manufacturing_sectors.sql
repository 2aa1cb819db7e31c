-- Manufacturing sectors: the sectors for which Altman's first model, made for manufacturers, is used.
--
-- Sectors are named as the exchanges and the usual classifications name them; companies of all others are rated by the model
-- for those that do not manufacture.
--
-- key:    sector
-- sorted: sector
-- column: sector text
SELECT sector
FROM   (VALUES
           ('Automobile and Auto Components'),
           ('Basic Materials'),
           ('Capital Goods'),
           ('Chemicals'),
           ('Construction Materials'),
           ('Consumer Defensive'),
           ('Consumer Durables'),
           ('Consumer Staples'),
           ('Energy'),
           ('Fast Moving Consumer Goods'),
           ('Forest Materials'),
           ('Health Care'),
           ('Healthcare'),
           ('Industrials'),
           ('Materials'),
           ('Metals & Mining'),
           ('Oil Gas & Consumable Fuels'),
           ('Oil, Gas & Consumable Fuels'),
           ('Textiles')
       ) AS named (sector)
ORDER  BY sector
