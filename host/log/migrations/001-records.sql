-- records, where they begin, and notices

-- `seconds` is when it was applied, `felt` the version of the program that did it.
CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, seconds INTEGER NOT NULL,
    felt TEXT NOT NULL);
CREATE TRIGGER migrations_never_change BEFORE UPDATE ON migrations
    BEGIN SELECT RAISE(ABORT, 'migrations are only ever added, never changed'); END;
CREATE TRIGGER migrations_never_go BEFORE DELETE ON migrations
    BEGIN SELECT RAISE(ABORT, 'migrations are only ever added, never removed'); END;

-- INSERT OR REPLACE removes a row without asking the triggers that guard removing.
CREATE TRIGGER migrations_never_replaced BEFORE INSERT ON migrations
    WHEN EXISTS (SELECT 1 FROM migrations WHERE number = NEW.number)
    BEGIN SELECT RAISE(ABORT, 'migrations are only ever added, never replaced'); END;

-- One row: whose log this is, and the record before its first, with that record's seal.
CREATE TABLE origins (id INTEGER PRIMARY KEY CHECK (id = 1), table_name TEXT NOT NULL, number INTEGER NOT NULL,
    seal BLOB, seconds INTEGER NOT NULL, staff TEXT, reason TEXT);
CREATE TRIGGER origins_never_change BEFORE UPDATE ON origins
    BEGIN SELECT RAISE(ABORT, 'origins are only ever added, never changed'); END;
CREATE TRIGGER origins_never_go BEFORE DELETE ON origins
    BEGIN SELECT RAISE(ABORT, 'origins are only ever added, never removed'); END;
CREATE TRIGGER origins_never_replaced BEFORE INSERT ON origins
    WHEN EXISTS (SELECT 1 FROM origins WHERE id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'origins are only ever added, never replaced'); END;

CREATE TABLE records (number INTEGER PRIMARY KEY, boot INTEGER NOT NULL, kind TEXT NOT NULL, what TEXT,
    round INTEGER, about INTEGER, box INTEGER, player TEXT, wager TEXT, result TEXT, cents INTEGER, stake INTEGER,
    paid INTEGER, returned INTEGER, irregularity TEXT, paragraph TEXT, staff TEXT, post TEXT,
    seconds INTEGER NOT NULL, table_seconds INTEGER, line BLOB NOT NULL);
CREATE TRIGGER records_never_change BEFORE UPDATE ON records
    BEGIN SELECT RAISE(ABORT, 'records are only ever added, never changed'); END;
CREATE TRIGGER records_never_go BEFORE DELETE ON records
    BEGIN SELECT RAISE(ABORT, 'records are only ever added, never removed'); END;
CREATE TRIGGER records_without_gaps BEFORE INSERT ON records
    WHEN NEW.number <> coalesce((SELECT max(number) FROM records), (SELECT number FROM origins)) + 1
    BEGIN SELECT RAISE(ABORT, 'records are only ever added at the end, never replaced'); END;

-- What the host noticed, which the table did not record; `number` is the record it is about.
CREATE TABLE notices (id INTEGER PRIMARY KEY, seconds INTEGER NOT NULL, kind TEXT NOT NULL, number INTEGER,
    text TEXT NOT NULL);
CREATE TRIGGER notices_never_change BEFORE UPDATE ON notices
    BEGIN SELECT RAISE(ABORT, 'notices are only ever added, never changed'); END;
CREATE TRIGGER notices_never_go BEFORE DELETE ON notices
    BEGIN SELECT RAISE(ABORT, 'notices are only ever added, never removed'); END;
CREATE TRIGGER notices_never_replaced BEFORE INSERT ON notices
    WHEN EXISTS (SELECT 1 FROM notices WHERE id = NEW.id)
    BEGIN SELECT RAISE(ABORT, 'notices are only ever added, never replaced'); END;
