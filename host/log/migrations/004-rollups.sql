-- rollups

-- What follows from the records, kept so that lists, counts and statistics are quick at any size. It has no
-- triggers, because it may be made again at any time; an audit makes it again and compares.

-- One row: by which rules it was made, the last record that is in it but for the round being played, the last
-- round that is folded into blocks, and whether an old log is still being caught up.
CREATE TABLE rollup_state (id INTEGER PRIMARY KEY CHECK (id = 1), derivation INTEGER NOT NULL,
    rolled INTEGER NOT NULL, folded INTEGER NOT NULL, behind INTEGER NOT NULL);

-- One row for each round that is over. Seconds are those of its phases; `pause` is the time before it opened.
CREATE TABLE rollup_rounds (round INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL, game TEXT,
    begun INTEGER NOT NULL, ended INTEGER, outcome TEXT, paragraph TEXT, ruling TEXT,
    staked INTEGER, returned INTEGER, house_net INTEGER,
    betting INTEGER, dealing INTEGER, deciding INTEGER, settling INTEGER, pause INTEGER,
    hands INTEGER NOT NULL, bets INTEGER NOT NULL, largest INTEGER NOT NULL,
    irregularities INTEGER NOT NULL, refusals INTEGER NOT NULL, faults INTEGER NOT NULL, details TEXT NOT NULL);

-- Which rounds of a block have a value: bit 0 of the first byte is the block's first round.
CREATE TABLE rollup_facets (facet TEXT NOT NULL, value TEXT NOT NULL, block INTEGER NOT NULL,
    rounds BLOB NOT NULL, PRIMARY KEY (facet, value, block)) WITHOUT ROWID;

-- How many rounds have a value, of those that are folded.
CREATE TABLE rollup_totals (facet TEXT NOT NULL, value TEXT NOT NULL, rounds INTEGER NOT NULL,
    PRIMARY KEY (facet, value)) WITHOUT ROWID;

CREATE TABLE rollup_blocks (block INTEGER PRIMARY KEY, rounds INTEGER NOT NULL, earliest INTEGER NOT NULL,
    latest INTEGER NOT NULL);

-- What statistics add up: for each block and thing (a wager, a box, a hand, a post ...), and for each hour of UTC.
CREATE TABLE rollup_sums (block INTEGER NOT NULL, game TEXT NOT NULL, facet TEXT NOT NULL, value TEXT NOT NULL,
    rounds INTEGER NOT NULL, number INTEGER NOT NULL, staked INTEGER NOT NULL, paid INTEGER NOT NULL,
    returned INTEGER NOT NULL, PRIMARY KEY (block, game, facet, value)) WITHOUT ROWID;
CREATE TABLE rollup_hours (hour INTEGER NOT NULL, game TEXT NOT NULL, rounds INTEGER NOT NULL,
    settled INTEGER NOT NULL, void INTEGER NOT NULL, staked INTEGER NOT NULL, returned INTEGER NOT NULL,
    betting INTEGER NOT NULL, dealing INTEGER NOT NULL, deciding INTEGER NOT NULL, settling INTEGER NOT NULL,
    pause INTEGER NOT NULL, hands INTEGER NOT NULL, bets INTEGER NOT NULL, irregularities INTEGER NOT NULL,
    refusals INTEGER NOT NULL, faults INTEGER NOT NULL, PRIMARY KEY (hour, game)) WITHOUT ROWID;

-- Records that tell something about the table itself: refusals, faults, starts, new configurations.
CREATE TABLE rollup_notables (number INTEGER PRIMARY KEY, seconds INTEGER NOT NULL, kind TEXT NOT NULL);
CREATE INDEX rollup_notables_by_time ON rollup_notables (seconds);
CREATE INDEX rollup_notables_by_kind ON rollup_notables (kind, seconds);

-- Lists of notices of some kinds, newest first.
CREATE INDEX notices_by_kind_and_time ON notices (kind, seconds);
