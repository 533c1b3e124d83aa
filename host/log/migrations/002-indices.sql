-- indices for reviews

CREATE INDEX records_by_time ON records (coalesce(table_seconds, seconds));
CREATE INDEX records_by_round ON records (round) WHERE round IS NOT NULL;
CREATE INDEX records_by_earlier_round ON records (about) WHERE about IS NOT NULL;
CREATE INDEX records_by_box ON records (box) WHERE box IS NOT NULL;
CREATE INDEX records_by_wager ON records (wager, result, paid) WHERE wager IS NOT NULL;
CREATE INDEX records_by_irregularity ON records (irregularity) WHERE irregularity IS NOT NULL;
CREATE INDEX records_by_staff ON records (staff) WHERE staff IS NOT NULL;
CREATE INDEX records_by_post ON records (post) WHERE post IS NOT NULL;
CREATE INDEX records_that_begin ON records (number) WHERE kind = 'begin';
CREATE INDEX records_that_open ON records (round) WHERE kind = 'event' AND what = 'open';
CREATE INDEX records_of_game ON records (number) WHERE kind = 'config' AND what = 'game';
CREATE INDEX notices_by_time ON notices (seconds);
CREATE INDEX notices_by_kind ON notices (kind);
