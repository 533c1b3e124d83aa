-- rounds

-- A line ends with a star and eight digits, which are no JSON. A settlement that was taken back,
-- wholly or for one box, takes its money out of the sums again.
CREATE VIEW rounds AS SELECT
    opened.round AS round,
    opened.number AS first,
    (SELECT max(number) FROM records WHERE round = opened.round) AS last,
    (SELECT CASE WHEN json_valid(CAST(substr(line, 1, length(line) - 9) AS TEXT))
        THEN json_extract(CAST(substr(line, 1, length(line) - 9) AS TEXT), '$[3][2]') END FROM records
        WHERE kind = 'config' AND what = 'game' AND number < opened.number
        ORDER BY number DESC LIMIT 1) AS game,
    coalesce(opened.table_seconds, opened.seconds) AS begun,
    (SELECT max(coalesce(table_seconds, seconds)) FROM records WHERE round = opened.round
        AND kind = 'state' AND what IN ('settled', 'void')) AS ended,
    (SELECT what FROM records WHERE round = opened.round AND kind = 'state'
        ORDER BY number DESC LIMIT 1) AS outcome,
    (SELECT sum(CASE kind WHEN 'total' THEN stake ELSE -stake END) FROM records
        WHERE round = opened.round AND kind IN ('total', 'reversed')) AS staked,
    (SELECT sum(CASE kind WHEN 'total' THEN returned ELSE -returned END) FROM records
        WHERE round = opened.round AND kind IN ('total', 'reversed')) AS returned,
    (SELECT sum(CASE kind WHEN 'total' THEN stake - returned ELSE returned - stake END) FROM records
        WHERE round = opened.round AND kind IN ('total', 'reversed')) AS house_net,
    (SELECT count(*) FROM records WHERE round = opened.round
        AND kind = 'event' AND irregularity IS NOT NULL) AS irregularities
FROM records AS opened WHERE opened.kind = 'event' AND opened.what = 'open';
