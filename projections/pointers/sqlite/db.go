package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"puddle/projections"
	"puddle/projections/pointers"
)

// Options of a DB. The zero value is good.
type Options struct {
	// Readers is how many calls can read at the same time; 0 means 4.
	Readers int
	// CheckpointBytes is the size of the write-ahead log from which on it is
	// moved into the file; 0 means 4 MiB.
	CheckpointBytes int64
	// Boot tells the running kernel's boot from others; an empty answer says that
	// it cannot be told. nil means BootID.
	Boot func() string
	// OnCheckpoint is told how long each checkpoint took, by one goroutine. Optional.
	OnCheckpoint func(took time.Duration)
}

// DB is the store of pointers in one SQLite file. Safe for concurrent use by one
// process.
type DB struct {
	path            string
	boot            string
	db              *sql.DB
	readers         chan *session // nil stands for one that is not open yet
	checkpointBytes int64
	onCheckpoint    func(time.Duration)

	turn   chan struct{} // whoever puts something in may use writer
	writer *session

	wal     chan struct{} // asks for a checkpoint
	closing chan struct{}
	done    chan struct{} // the checkpoints have ended
	close   func() error
	damaged atomic.Bool
	stop    Stop        // of the process before
	trusted atomic.Bool // what was found at opening is known to be right
}

var _ projections.Store = (*DB)(nil)

// Open opens the file, or creates it where there is none or an empty one. What
// it cannot use is ErrForeign, pointers.ErrSchema or pointers.ErrCorrupt, and keeps what it holds.
// After a crash of the machine all of the file is read, to find out; then, and
// after one of the process, see LastStop.
func Open(path string, opts Options) (*DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if opts.Readers == 0 {
		opts.Readers = 4
	}
	if opts.CheckpointBytes == 0 {
		opts.CheckpointBytes = 4 << 20
	}
	if opts.Boot == nil {
		opts.Boot = BootID
	}
	if opts.OnCheckpoint == nil {
		opts.OnCheckpoint = func(time.Duration) {}
	}
	pool, err := sql.Open("sqlite", dsn(path, opts))
	if err != nil {
		return nil, explain(err)
	}
	db := &DB{
		path: path, boot: opts.Boot(), db: pool, readers: make(chan *session, opts.Readers), checkpointBytes: opts.CheckpointBytes,
		onCheckpoint: opts.OnCheckpoint,
		turn:         make(chan struct{}, 1), wal: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{}),
	}
	db.close = sync.OnceValue(db.closeOnce)
	for range opts.Readers {
		db.readers <- nil
	}
	log := db.walBytes() > 0 // a clean stop leaves none
	if err := makeFile(path); err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	if err := db.openWriter(log); err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	moves, err := openSession(context.Background(), pool, &db.damaged)
	if err != nil {
		return nil, errors.Join(err, db.writer.close(), pool.Close())
	}
	go db.checkpoints(moves)
	return db, nil
}

// makeFile makes the file where there is none, for nobody else to read. SQLite
// gives its log the same mode.
func makeFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// Memory for pages, in KiB; it takes twice as much. More makes no commit cheaper, nor
// a load, not even beside 100,000 tables: the kernel has the pages, too.
const (
	writerCache = 8192
	readerCache = 1024
)

func (db *DB) openWriter(log bool) error {
	s, err := openSession(context.Background(), db.db, &db.damaged)
	if err != nil {
		return err
	}
	db.writer = s
	if err := s.exec(fmt.Sprint("PRAGMA cache_size = -", writerCache)); err != nil {
		return errors.Join(err, s.close())
	}
	if err := db.prove(s, log); err != nil {
		return errors.Join(err, s.close())
	}
	return nil
}

// dsn is the file with what every connection is told. The log's file is cut to
// the size at which a checkpoint is asked for, so that its size tells when.
func dsn(path string, opts Options) string {
	pragmas := url.Values{"_pragma": {
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)", "foreign_keys(0)", "wal_autocheckpoint(0)",
		"journal_size_limit(" + strconv.FormatInt(opts.CheckpointBytes, 10) + ")", "temp_store(MEMORY)",
		"cache_size(-" + strconv.Itoa(readerCache) + ")",
	}}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: pragmas.Encode()}).String()
}

// Warehouse answers for one.
func (db *DB) Warehouse(id uuid.UUID) projections.Warehouse { return &warehouse{db: db, id: id} }

// Damaged tells whether any call found the file to be corrupt: after Close it is
// then to be set aside, or the next start would trust it.
func (db *DB) Damaged() bool { return db.damaged.Load() }

// Close waits for calls and the transaction under way, and leaves one file
// without a log. Idempotent; later calls are pointers.ErrClosed.
func (db *DB) Close() error { return db.close() }

func (db *DB) closeOnce() error {
	close(db.closing)
	<-db.done
	db.turn <- struct{}{}
	var errs []error
	for range cap(db.readers) {
		if s := <-db.readers; s != nil {
			errs = append(errs, s.close())
		}
	}
	errs = append(errs, db.markStopped(), checkpoint(db.writer, "TRUNCATE"), db.writer.close(), db.db.Close())
	return errors.Join(errs...)
}

// take waits until the writer is free.
func (db *DB) take(ctx context.Context) error {
	if err := db.usable(ctx); err != nil {
		return err
	}
	if db.writer == nil {
		return ErrReadOnly
	}
	select {
	case db.turn <- struct{}{}:
		return nil
	case <-db.closing:
		return pointers.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// give lets the next one write.
func (db *DB) give() { <-db.turn }

// read lends a reading session.
func (db *DB) read(ctx context.Context, use func(*session) error) error {
	s, err := db.lend(ctx)
	if err != nil {
		return err
	}
	defer func() { db.readers <- s }()
	return use(s)
}

// lend takes a reading session, which goes back to readers.
func (db *DB) lend(ctx context.Context) (*session, error) {
	if err := db.usable(ctx); err != nil {
		return nil, err
	}
	var s *session
	select {
	case s = <-db.readers:
	case <-db.closing:
		return nil, pointers.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s != nil {
		return s, nil
	}
	s, err := db.openReader(ctx)
	if err != nil {
		db.readers <- nil
	}
	return s, err
}

func (db *DB) openReader(ctx context.Context) (*session, error) {
	s, err := openSession(ctx, db.db, &db.damaged)
	if err != nil {
		return nil, err
	}
	if err := s.exec("PRAGMA query_only = 1"); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (db *DB) usable(ctx context.Context) error {
	select {
	case <-db.closing:
		return pointers.ErrClosed
	default:
		return ctx.Err()
	}
}
