-- The journal: docs/formats/postgresql.md. No column has a collation.

-- +goose Up

-- A row is written with each group of its warehouse, and locked from the group's
-- beginning to its end: room in the page keeps the versions of it together.
CREATE TABLE heads (
    warehouse   uuid   PRIMARY KEY,
    incarnation uuid   NOT NULL,
    seq         bigint NOT NULL,
    hash        bytea  NOT NULL,
    at          bigint NOT NULL
) WITH (fillfactor = 10);

CREATE TABLE incarnations (
    warehouse   uuid   NOT NULL,
    incarnation uuid   NOT NULL,
    first       bigint NOT NULL,
    PRIMARY KEY (warehouse, incarnation)
);

CREATE TABLE events (
    warehouse   uuid   NOT NULL,
    incarnation uuid   NOT NULL,
    seq         bigint NOT NULL,
    id          uuid   NOT NULL,
    prev        bytea  NOT NULL,
    hash        bytea  NOT NULL,
    record      bytea  NOT NULL,
    PRIMARY KEY (warehouse, incarnation, seq),
    UNIQUE (warehouse, incarnation, id)
);

CREATE TABLE documents (
    warehouse   uuid     NOT NULL,
    incarnation uuid     NOT NULL,
    seq         bigint   NOT NULL,
    move        integer  NOT NULL,
    codec       smallint NOT NULL,
    data        bytea    NOT NULL,
    PRIMARY KEY (warehouse, incarnation, seq, move)
);
-- They are compressed as they come.
ALTER TABLE documents ALTER COLUMN data SET STORAGE EXTERNAL;

CREATE TABLE requests (
    warehouse   uuid   NOT NULL,
    incarnation uuid   NOT NULL,
    key         bytea  NOT NULL,
    until       bigint NOT NULL,
    answer      bytea  NOT NULL,
    PRIMARY KEY (warehouse, incarnation, key)
);
CREATE INDEX requests_until ON requests (warehouse, incarnation, until, key);
