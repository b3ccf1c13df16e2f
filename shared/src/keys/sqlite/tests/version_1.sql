-- A store as version 1 made it: it must go on being read.

CREATE TABLE subscriptions (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT NOT NULL UNIQUE,
    plan        TEXT NOT NULL,
    status      TEXT NOT NULL,
    quota       INTEGER NOT NULL CHECK (0 <= quota),
    started_at  INTEGER NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE keys (
    number         INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT NOT NULL UNIQUE,
    family         TEXT NOT NULL REFERENCES keys (id),
    prefix         TEXT NOT NULL UNIQUE,
    hash           BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    subscription   INTEGER NOT NULL REFERENCES subscriptions (id),
    environment    TEXT NOT NULL,
    scopes         TEXT NOT NULL,
    name           TEXT,
    rate_limit     INTEGER CHECK (1 <= rate_limit),
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER,
    revoked_at     INTEGER,
    disabled_at    INTEGER,
    replaced_by    TEXT REFERENCES keys (id),
    grace_ends_at  INTEGER
) STRICT;

CREATE TABLE usage (
    subscription  INTEGER NOT NULL REFERENCES subscriptions (id),
    period_start  INTEGER NOT NULL,
    period_end    INTEGER NOT NULL,
    charged       INTEGER NOT NULL CHECK (0 <= charged),
    PRIMARY KEY (subscription, period_start)
) STRICT, WITHOUT ROWID;

CREATE TABLE revision (number INTEGER NOT NULL) STRICT;
INSERT INTO revision VALUES (1);

CREATE TRIGGER subscriptions_INSERT AFTER INSERT ON subscriptions
                 BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER subscriptions_UPDATE AFTER UPDATE ON subscriptions
                 BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER subscriptions_DELETE AFTER DELETE ON subscriptions
                 BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER keys_INSERT AFTER INSERT ON keys
                 BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER keys_UPDATE AFTER UPDATE ON keys
                 BEGIN UPDATE revision SET number = number + 1; END;
CREATE TRIGGER keys_DELETE AFTER DELETE ON keys
                 BEGIN UPDATE revision SET number = number + 1; END;

PRAGMA application_id = 1112490324;
PRAGMA user_version = 1;
