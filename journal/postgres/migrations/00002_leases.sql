-- Who does what only one replica is to do at a time: docs/formats/postgresql.md.

-- +goose Up

CREATE TABLE leases (
    warehouse uuid   NOT NULL,
    name      bytea  NOT NULL,
    holder    uuid   NOT NULL,
    until     bigint NOT NULL,
    PRIMARY KEY (warehouse, name)
) WITH (fillfactor = 10);
