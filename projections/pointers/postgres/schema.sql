-- The pointer tables: docs/formats/postgresql.md. No column has a collation. Nothing is
-- unique but primary keys: the rules are the fold's, under the lock of a head.

-- A row is written with each group of its warehouse: room in the page keeps the
-- versions of it together.
CREATE TABLE cursor (
    warehouse   uuid   PRIMARY KEY,
    incarnation uuid   NOT NULL,
    seq         bigint NOT NULL,
    hash        bytea  NOT NULL,
    step        bigint NOT NULL,
    name        bytea  NOT NULL,
    location    bytea  NOT NULL
) WITH (fillfactor = 10);

CREATE TABLE namespaces (
    warehouse  uuid  NOT NULL,
    key        uuid  NOT NULL,
    id         uuid  NOT NULL,
    parent     uuid  NOT NULL,
    name       bytea NOT NULL,
    path       bytea NOT NULL,
    properties bytea NOT NULL,
    PRIMARY KEY (warehouse, key)
);
CREATE INDEX namespaces_id ON namespaces (warehouse, id);
CREATE INDEX namespaces_name ON namespaces (warehouse, parent, name);

-- A commit changes step and held, which no index has.
CREATE TABLE objects (
    warehouse uuid     NOT NULL,
    uuid      uuid     NOT NULL,
    kind      smallint NOT NULL,
    state     smallint NOT NULL,
    parent    uuid     NOT NULL,
    namespace bytea    NOT NULL,
    name      bytea    NOT NULL,
    step      bigint   NOT NULL,
    held      bytea    NOT NULL,
    PRIMARY KEY (warehouse, uuid)
) WITH (fillfactor = 60);
CREATE INDEX objects_name ON objects (warehouse, parent, name) WHERE state = 1;
CREATE INDEX objects_kind ON objects (warehouse, parent, kind, name) WHERE state = 1;

-- A path may be longer than what an index holds.
CREATE TABLE places (
    warehouse uuid  NOT NULL,
    path      bytea NOT NULL,
    uuid      uuid  NOT NULL
);
CREATE INDEX places_path ON places (warehouse, substring(path FROM 1 FOR 512));

CREATE TABLE purges (
    warehouse uuid    NOT NULL,
    uuid      uuid    NOT NULL,
    seq       bigint  NOT NULL,
    event     uuid    NOT NULL,
    at        bigint  NOT NULL,
    done      boolean NOT NULL,
    namespace bytea   NOT NULL,
    name      bytea   NOT NULL,
    held      bytea   NOT NULL,
    PRIMARY KEY (warehouse, uuid)
);
CREATE INDEX purges_pending ON purges (warehouse, seq) WHERE NOT done;

CREATE TABLE history (
    warehouse uuid   NOT NULL,
    object    uuid   NOT NULL,
    step      bigint NOT NULL,
    made      bigint,
    what      bytea  NOT NULL,
    PRIMARY KEY (warehouse, object, step)
);
CREATE INDEX history_made ON history (warehouse, object, made) WHERE made IS NOT NULL;

CREATE TABLE names (
    warehouse uuid   NOT NULL,
    parent    uuid   NOT NULL,
    name      bytea  NOT NULL,
    step      bigint NOT NULL,
    uuid      uuid   NOT NULL,
    PRIMARY KEY (warehouse, parent, name, step)
);
