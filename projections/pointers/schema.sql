-- Pointer tables, schema 3. docs/formats/sql.md says what every column holds.
-- Text is compared byte by byte. UUIDs and digests are bytes.

CREATE TABLE running (
    boot TEXT NOT NULL
) STRICT;

CREATE TABLE warehouses (
    warehouse BLOB NOT NULL PRIMARY KEY,
    name      TEXT NOT NULL,
    location  TEXT NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE cursor (
    warehouse   BLOB    NOT NULL PRIMARY KEY,
    incarnation BLOB    NOT NULL,
    seq         INTEGER NOT NULL,
    hash        BLOB    NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE namespaces (
    warehouse  BLOB NOT NULL,
    id         BLOB NOT NULL,
    parent     BLOB NOT NULL,
    name       TEXT NOT NULL,
    path       TEXT NOT NULL,
    properties BLOB NOT NULL,
    PRIMARY KEY (warehouse, id)
) STRICT;

CREATE UNIQUE INDEX namespaces_path ON namespaces (warehouse, path);
CREATE UNIQUE INDEX namespaces_name ON namespaces (warehouse, parent, name);

CREATE TABLE objects (
    warehouse         BLOB    NOT NULL,
    uuid              BLOB    NOT NULL,
    kind              TEXT    NOT NULL CHECK (kind IN ('table', 'view')),
    state             TEXT    NOT NULL CHECK (state IN ('live', 'dropped')),
    namespace         TEXT    NOT NULL,
    name              TEXT    NOT NULL,
    location          TEXT    NOT NULL,
    metadata_location TEXT    NOT NULL,
    size              INTEGER NOT NULL,
    sha256            BLOB    NOT NULL,
    encoding          TEXT    NOT NULL,
    document_sha256   BLOB    NOT NULL,
    PRIMARY KEY (warehouse, uuid)
) WITHOUT ROWID, STRICT;

CREATE UNIQUE INDEX objects_name ON objects (warehouse, namespace, name) WHERE state = 'live';
CREATE INDEX objects_kind ON objects (warehouse, namespace, kind, name) WHERE state = 'live';

CREATE TABLE places (
    warehouse BLOB NOT NULL,
    path      TEXT NOT NULL,
    uuid      BLOB NOT NULL,
    role      TEXT NOT NULL,
    PRIMARY KEY (warehouse, path)
) WITHOUT ROWID, STRICT;

CREATE INDEX places_uuid ON places (warehouse, uuid, path, role);

CREATE TABLE purges (
    warehouse         BLOB    NOT NULL,
    uuid              BLOB    NOT NULL,
    seq               INTEGER NOT NULL,
    event_id          BLOB    NOT NULL,
    at                INTEGER NOT NULL,
    state             TEXT    NOT NULL CHECK (state IN ('pending', 'done')),
    namespace         TEXT    NOT NULL,
    name              TEXT    NOT NULL,
    location          TEXT    NOT NULL,
    metadata_location TEXT    NOT NULL,
    size              INTEGER NOT NULL,
    sha256            BLOB    NOT NULL,
    encoding          TEXT    NOT NULL,
    document_sha256   BLOB    NOT NULL,
    places            BLOB    NOT NULL,
    PRIMARY KEY (warehouse, uuid)
) WITHOUT ROWID, STRICT;

CREATE UNIQUE INDEX purges_pending ON purges (warehouse, seq) WHERE state = 'pending';

CREATE TABLE history (
    warehouse              BLOB    NOT NULL,
    uuid                   BLOB    NOT NULL,
    seq                    INTEGER NOT NULL,
    move                   INTEGER NOT NULL,
    event_id               BLOB    NOT NULL,
    at                     INTEGER NOT NULL,
    event                  TEXT    NOT NULL,
    actor                  TEXT    NOT NULL,
    request_id             TEXT    NOT NULL,
    kind                   TEXT    NOT NULL,
    named                  INTEGER NOT NULL CHECK (named IN (0, 1)),
    made                   INTEGER NOT NULL,
    from_namespace         TEXT,
    from_name              TEXT,
    from_metadata_location TEXT,
    from_size              INTEGER,
    from_sha256            BLOB,
    from_encoding          TEXT,
    from_document_sha256   BLOB,
    to_namespace           TEXT,
    to_name                TEXT,
    to_metadata_location   TEXT,
    to_size                INTEGER,
    to_sha256              BLOB,
    to_encoding            TEXT,
    to_document_sha256     BLOB,
    to_location            TEXT,
    snapshot_id            INTEGER,
    PRIMARY KEY (warehouse, uuid, seq, move, made)
) STRICT;

CREATE INDEX history_name ON history (warehouse, to_namespace, to_name, seq, move, uuid) WHERE named = 1;
