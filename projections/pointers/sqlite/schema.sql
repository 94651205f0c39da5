-- Pointer tables, schema 4. docs/formats/sql.md says what every column holds.
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
    hash        BLOB    NOT NULL,
    step        INTEGER NOT NULL
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
    id        INTEGER PRIMARY KEY,
    warehouse BLOB    NOT NULL,
    uuid      BLOB    NOT NULL,
    kind      TEXT    NOT NULL CHECK (kind IN ('table', 'view')),
    state     TEXT    NOT NULL CHECK (state IN ('live', 'dropped', 'past')),
    namespace TEXT    NOT NULL,
    name      TEXT    NOT NULL,
    step      INTEGER NOT NULL,
    held      BLOB    NOT NULL
) STRICT;

CREATE UNIQUE INDEX objects_uuid ON objects (warehouse, uuid);
CREATE UNIQUE INDEX objects_name ON objects (warehouse, namespace, name) WHERE state = 'live';
CREATE INDEX objects_kind ON objects (warehouse, namespace, kind, name) WHERE state = 'live';

CREATE TABLE places (
    warehouse BLOB NOT NULL,
    path      TEXT NOT NULL,
    uuid      BLOB NOT NULL,
    PRIMARY KEY (warehouse, path)
) WITHOUT ROWID, STRICT;

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
    step   INTEGER PRIMARY KEY,
    object INTEGER NOT NULL,
    before INTEGER NOT NULL,
    what   BLOB    NOT NULL
) STRICT;

CREATE TABLE made (
    object INTEGER NOT NULL,
    file   INTEGER NOT NULL,
    step   INTEGER NOT NULL,
    PRIMARY KEY (object, file, step)
) WITHOUT ROWID, STRICT;

CREATE TABLE names (
    warehouse BLOB    NOT NULL,
    namespace TEXT    NOT NULL,
    name      TEXT    NOT NULL,
    step      INTEGER NOT NULL,
    uuid      BLOB    NOT NULL,
    PRIMARY KEY (warehouse, namespace, name, step)
) WITHOUT ROWID, STRICT;
