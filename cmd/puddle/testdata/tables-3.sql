-- The pointer tables of schema 3, with rows, as a build that kept a column for each value left them.
PRAGMA application_id = 0x7075646c;
PRAGMA user_version = 3;
BEGIN TRANSACTION;
CREATE TABLE running (
    boot TEXT NOT NULL
) STRICT;
CREATE TABLE warehouses (
    warehouse BLOB NOT NULL PRIMARY KEY,
    name      TEXT NOT NULL,
    location  TEXT NOT NULL
) WITHOUT ROWID, STRICT;
INSERT INTO warehouses VALUES(X'0b6c1d5e7f3a4c2b9a8d5e4f3c2b1a09','lake','s3://lake/wh');
CREATE TABLE cursor (
    warehouse   BLOB    NOT NULL PRIMARY KEY,
    incarnation BLOB    NOT NULL,
    seq         INTEGER NOT NULL,
    hash        BLOB    NOT NULL
) WITHOUT ROWID, STRICT;
INSERT INTO cursor VALUES(X'0b6c1d5e7f3a4c2b9a8d5e4f3c2b1a09',X'50d896ff7f4d58a6bb18167ef7f3fd6b',7,X'91028afedf2c4370fc309cd0202b98628a042cb1e68a51cf4c60a33a00ffc6c4');
CREATE TABLE namespaces (
    warehouse  BLOB NOT NULL,
    id         BLOB NOT NULL,
    parent     BLOB NOT NULL,
    name       TEXT NOT NULL,
    path       TEXT NOT NULL,
    properties BLOB NOT NULL,
    PRIMARY KEY (warehouse, id)
) STRICT;
INSERT INTO namespaces VALUES(X'0b6c1d5e7f3a4c2b9a8d5e4f3c2b1a09',X'01ffd1fa517b576d8c54d20082ce1f42',X'00000000000000000000000000000000','ns','ns',X'7b226b223a2276227d');
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
INSERT INTO objects VALUES(X'0b6c1d5e7f3a4c2b9a8d5e4f3c2b1a09',X'3d28d878864a5a319c7c484c53f65185','table','dropped','ns','table-0000001','s3://lake/wh/a/b/t6','s3://lake/wh/a/b/t6/metadata/00006-3d28d878-864a-5a31-9c7c-484c53f65185.metadata.json',133,X'278f88b8e16a5cfc63acc33e83bb2598f5dc0a09e0965966566758c23549c7aa','none',X'278f88b8e16a5cfc63acc33e83bb2598f5dc0a09e0965966566758c23549c7aa');
INSERT INTO objects VALUES(X'0b6c1d5e7f3a4c2b9a8d5e4f3c2b1a09',X'ccb593c777345c8293b66c15e0c8f88d','table','live','ns','table-0000002','s3://lake/wh/t8','s3://lake/wh/t8/metadata/00008-ccb593c7-7734-5c82-93b6-6c15e0c8f88d.metadata.json',129,X'5a7e13e1525a79556bb9214b5ba280389a9761f3c56658eba1ed69f17915f49b','none',X'5a7e13e1525a79556bb9214b5ba280389a9761f3c56658eba1ed69f17915f49b');
INSERT INTO objects VALUES(X'0b6c1d5e7f3a4c2b9a8d5e4f3c2b1a09',X'f7cb1d12846252339ce8a2d81ce35d87','table','live','ns','table-0000000','s3://lake/wh/t4','s3://lake/wh/t4/metadata/00010-f7cb1d12-8462-5233-9ce8-a2d81ce35d87.metadata.json',159,X'1f0083d28bed66a1032f3410ceecae602dee3f3bb4a2449cfa82bde3981fce77','gzip',X'95059f56734182c55acb2a687a2ef3c9ef167ef30895dd048b908333d2cd7cd5');
CREATE TABLE places (
    warehouse BLOB NOT NULL,
    path      TEXT NOT NULL,
    uuid      BLOB NOT NULL,
    role      TEXT NOT NULL,
    PRIMARY KEY (warehouse, path)
) WITHOUT ROWID, STRICT;
INSERT INTO places VALUES(X'0b6c1d5e7f3a4c2b9a8d5e4f3c2b1a09','//lake/wh/t8/',X'ccb593c777345c8293b66c15e0c8f88d','location');
INSERT INTO places VALUES(X'0b6c1d5e7f3a4c2b9a8d5e4f3c2b1a09','//lake/wh/t4/',X'f7cb1d12846252339ce8a2d81ce35d87','location');
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
INSERT INTO purges VALUES(X'0b6c1d5e7f3a4c2b9a8d5e4f3c2b1a09',X'3d28d878864a5a319c7c484c53f65185',7,X'019b76daa80c761abd14d91a2e7af06c',1767225600000,'pending','ns','table-0000001','s3://lake/wh/a/b/t6','s3://lake/wh/a/b/t6/metadata/00006-3d28d878-864a-5a31-9c7c-484c53f65185.metadata.json',133,X'278f88b8e16a5cfc63acc33e83bb2598f5dc0a09e0965966566758c23549c7aa','none',X'278f88b8e16a5cfc63acc33e83bb2598f5dc0a09e0965966566758c23549c7aa',X'5b7b2270617468223a222f2f6c616b652f646174612f33643238643837382d383634612d356133312d396337632d3438346335336636353138352f222c22726f6c65223a2277726974652e646174612e70617468227d2c7b2270617468223a222f2f6c616b652f77682f612f622f74362f222c22726f6c65223a226c6f636174696f6e227d5d');
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
INSERT INTO history VALUES(X'0b6c1d5e7f3a4c2b9a8d5e4f3c2b1a09',X'f7cb1d12846252339ce8a2d81ce35d87',3,0,X'019b76daa8057cdcb81942ffff0afb39',1767225600000,'table-created','token:etl','request-5','table',1,6738950501721606325,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'ns','table-0000000','s3://lake/wh/t4/metadata/00004-f7cb1d12-8462-5233-9ce8-a2d81ce35d87.metadata.json',129,X'daa50861f61d6c0d0aae01d6e336afadca4ff806a92657b6b4e05e9f25d31819','none',X'daa50861f61d6c0d0aae01d6e336afadca4ff806a92657b6b4e05e9f25d31819','s3://lake/wh/t4',NULL);
INSERT INTO history VALUES(X'0b6c1d5e7f3a4c2b9a8d5e4f3c2b1a09',X'3d28d878864a5a319c7c484c53f65185',4,0,X'019b76daa8077df1bdaf566f25077785',1767225600000,'table-created','cli:operator','','table',1,-5397094236520239167,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'ns','table-0000001','s3://lake/wh/a/b/t6/metadata/00006-3d28d878-864a-5a31-9c7c-484c53f65185.metadata.json',133,X'278f88b8e16a5cfc63acc33e83bb2598f5dc0a09e0965966566758c23549c7aa','none',X'278f88b8e16a5cfc63acc33e83bb2598f5dc0a09e0965966566758c23549c7aa','s3://lake/wh/a/b/t6',9223372036854775807);
INSERT INTO history VALUES(X'0b6c1d5e7f3a4c2b9a8d5e4f3c2b1a09',X'ccb593c777345c8293b66c15e0c8f88d',5,0,X'019b76daa8097a619966b87eddb28ff7',1767225600000,'table-created','token:etl','request-9','table',1,-4841092399740818649,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'ns','table-0000002','s3://lake/wh/t8/metadata/00008-ccb593c7-7734-5c82-93b6-6c15e0c8f88d.metadata.json',129,X'5a7e13e1525a79556bb9214b5ba280389a9761f3c56658eba1ed69f17915f49b','none',X'5a7e13e1525a79556bb9214b5ba280389a9761f3c56658eba1ed69f17915f49b','s3://lake/wh/t8',1);
INSERT INTO history VALUES(X'0b6c1d5e7f3a4c2b9a8d5e4f3c2b1a09',X'f7cb1d12846252339ce8a2d81ce35d87',6,0,X'019b76daa80b7d89bc1cf3498fa45026',1767225600000,'tables-committed','token:etl','request-11','table',0,7046291721089821703,'ns','table-0000000','s3://lake/wh/t4/metadata/00004-f7cb1d12-8462-5233-9ce8-a2d81ce35d87.metadata.json',129,X'daa50861f61d6c0d0aae01d6e336afadca4ff806a92657b6b4e05e9f25d31819','none',X'daa50861f61d6c0d0aae01d6e336afadca4ff806a92657b6b4e05e9f25d31819','ns','table-0000000','s3://lake/wh/t4/metadata/00010-f7cb1d12-8462-5233-9ce8-a2d81ce35d87.metadata.json',159,X'1f0083d28bed66a1032f3410ceecae602dee3f3bb4a2449cfa82bde3981fce77','gzip',X'95059f56734182c55acb2a687a2ef3c9ef167ef30895dd048b908333d2cd7cd5','s3://lake/wh/t4',4598286611352242712);
INSERT INTO history VALUES(X'0b6c1d5e7f3a4c2b9a8d5e4f3c2b1a09',X'3d28d878864a5a319c7c484c53f65185',7,0,X'019b76daa80c761abd14d91a2e7af06c',1767225600000,'table-dropped','token:etl','request-12','table',0,0,'ns','table-0000001','s3://lake/wh/a/b/t6/metadata/00006-3d28d878-864a-5a31-9c7c-484c53f65185.metadata.json',133,X'278f88b8e16a5cfc63acc33e83bb2598f5dc0a09e0965966566758c23549c7aa','none',X'278f88b8e16a5cfc63acc33e83bb2598f5dc0a09e0965966566758c23549c7aa',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE UNIQUE INDEX namespaces_path ON namespaces (warehouse, path);
CREATE UNIQUE INDEX namespaces_name ON namespaces (warehouse, parent, name);
CREATE UNIQUE INDEX objects_name ON objects (warehouse, namespace, name) WHERE state = 'live';
CREATE INDEX objects_kind ON objects (warehouse, namespace, kind, name) WHERE state = 'live';
CREATE INDEX places_uuid ON places (warehouse, uuid, path, role);
CREATE UNIQUE INDEX purges_pending ON purges (warehouse, seq) WHERE state = 'pending';
CREATE INDEX history_name ON history (warehouse, to_namespace, to_name, seq, move, uuid) WHERE named = 1;
COMMIT;
