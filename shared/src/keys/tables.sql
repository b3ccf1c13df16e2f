-- The tables of a key store, in SQLite's words; tables.rs has PostgreSQL's.

CREATE TABLE catalogue.subscriptions (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT NOT NULL UNIQUE,
    status      TEXT NOT NULL,
    quota       INTEGER NOT NULL CHECK (0 <= quota),
    started_at  INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    deleted_at  INTEGER
) STRICT;

CREATE TABLE catalogue.keys (
    number         INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT NOT NULL UNIQUE,
    family         TEXT NOT NULL REFERENCES catalogue.keys (id) DEFERRABLE,
    prefix         TEXT NOT NULL UNIQUE,
    hash           BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    subscription   INTEGER NOT NULL REFERENCES catalogue.subscriptions (id),
    environment    TEXT NOT NULL,
    scopes         TEXT NOT NULL,
    name           TEXT,
    rate_limit     INTEGER CHECK (1 <= rate_limit AND rate_limit <= 4294967295),
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER,
    revoked_at     INTEGER,
    disabled_at    INTEGER,
    replaced_by    TEXT REFERENCES catalogue.keys (id) DEFERRABLE,
    -- In milliseconds, unlike all other times.
    grace_ends_at  INTEGER
) STRICT;

CREATE TABLE catalogue.usage (
    subscription  INTEGER NOT NULL REFERENCES catalogue.subscriptions (id),
    period_start  INTEGER NOT NULL,
    period_end    INTEGER NOT NULL,
    charged       INTEGER NOT NULL CHECK (0 <= charged),
    -- What the last lease took.
    granted       INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (subscription, period_start)
) STRICT;

CREATE TABLE catalogue.last_uses (
    key  TEXT PRIMARY KEY REFERENCES catalogue.keys (id),
    at   INTEGER NOT NULL
) STRICT;

-- Requests of each key, of those that "usage" counts for its subscription: a part of them, since a crash loses the last
-- few.
CREATE TABLE catalogue.key_usage (
    key         TEXT NOT NULL REFERENCES catalogue.keys (id),
    period_end  INTEGER NOT NULL,
    charged     INTEGER NOT NULL CHECK (0 <= charged),
    PRIMARY KEY (key, period_end)
) STRICT;

-- The state of keys and subscriptions: the number for people, and a token that no other state has, also of a store that
-- was restored or replaced. Commands raise it with each of their changes, and so must whoever changes rows by hand;
-- usage and last uses are no part of it.
CREATE TABLE catalogue.revision (
    number  INTEGER NOT NULL,
    token   TEXT NOT NULL
) STRICT;
INSERT INTO catalogue.revision VALUES (0, '');

CREATE TABLE catalogue.audit (
    number        INTEGER PRIMARY KEY AUTOINCREMENT,
    at            INTEGER NOT NULL,
    uid           INTEGER NOT NULL CHECK (0 <= uid AND uid <= 4294967295),
    "user"        TEXT,
    sudo_user     TEXT,
    event         TEXT NOT NULL,
    subscription  INTEGER NOT NULL REFERENCES catalogue.subscriptions (id),
    key           TEXT REFERENCES catalogue.keys (id),
    changes       TEXT NOT NULL
) STRICT;
