package bolt

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash"
	"os"
	"slices"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"puddle/journal"
)

// copyTxBytes is about how much one transaction of a copy writes.
const copyTxBytes = 4 << 20

// selection says which incarnations a copy takes along.
type selection func(warehouse, incarnation uuid.UUID) bool

func everything(uuid.UUID, uuid.UUID) bool { return true }

// editing changes what a walk tells before it is told; nil: nothing.
type editing func(visit) visit

// writeCopy writes what a journal's file holds to a new file, key by key and in
// order, so that nothing is in it but what is in use, and syncs it. Its digest is
// that of all it wrote (digestOf). The caller syncs the folder. A file that is
// there already is an error; one that is not whole is left to the caller.
func writeCopy(ctx context.Context, from *bbolt.DB, path string, takes selection, edit editing, progress func(bytes int)) (sum journal.Digest, err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return sum, err
	}
	if err := file.Close(); err != nil {
		return sum, err
	}
	to, err := bbolt.Open(path, 0o600, &bbolt.Options{
		Timeout: 1, FreelistType: bbolt.FreelistMapType, InitialMmapSize: mmapSize(),
		NoSync: true, NoGrowSync: true, NoStatistics: true, // synced once, at the end
	})
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	p := &pen{db: to}
	defer p.drop()
	wrote := newDigest()
	err = tour(ctx, from, takes, edit, func(path [][]byte, key, value []byte) error {
		wrote.add(path, key, value)
		if progress != nil {
			progress(len(key) + len(value))
		}
		return p.put(path, key, value)
	})
	if err != nil {
		return sum, err
	}
	return wrote.sum(), errors.Join(p.flush(), to.Sync())
}

// digestOf is the digest of all keys and values that a walk over a journal's file
// meets: the same for a journal and its copy.
func digestOf(ctx context.Context, db *bbolt.DB, takes selection) (journal.Digest, error) {
	met := newDigest()
	err := tour(ctx, db, takes, nil, func(path [][]byte, key, value []byte) error {
		met.add(path, key, value)
		return nil
	})
	return met.sum(), err
}

// tour is a walk through a journal's file, in a transaction of its own.
func tour(ctx context.Context, db *bbolt.DB, takes selection, edit editing, tell visit) error {
	if edit != nil {
		tell = edit(tell)
	}
	return guard(func() error {
		return db.View(func(tx *bbolt.Tx) error { return walk(ctx, tx, takes, tell) })
	})
}

// visit is told of every bucket, by its path without a key, and then of every pair
// in it.
type visit func(path [][]byte, key, value []byte) error

// walk goes through the buckets of a journal: the pairs of each, ascending, before
// the buckets in it.
func walk(ctx context.Context, tx *bbolt.Tx, takes selection, tell visit) error {
	return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		return walkBucket(ctx, b, [][]byte{name}, takes, tell)
	})
}

func walkBucket(ctx context.Context, b *bbolt.Bucket, path [][]byte, takes selection, tell visit) error {
	if err := tell(path, nil, nil); err != nil {
		return err
	}
	err := b.ForEach(func(key, value []byte) error {
		if err := ctx.Err(); err != nil || value == nil {
			return err // nil: a bucket
		}
		return tell(path, key, value)
	})
	if err != nil {
		return err
	}
	return b.ForEachBucket(func(name []byte) error {
		inner := slices.Concat(path, [][]byte{name})
		if left, err := leftOut(inner, takes); err != nil || left {
			return err
		}
		return walkBucket(ctx, b.Bucket(name), inner, takes, tell)
	})
}

// leftOut tells whether a path is that of an incarnation which a copy leaves out.
func leftOut(path [][]byte, takes selection) (bool, error) {
	if len(path) != 3 || string(path[0]) != string(bucketWarehouses) {
		return false, nil
	}
	warehouse, err := uuid.FromBytes(path[1])
	if err != nil {
		return false, &journal.Damage{Reason: "the name of a warehouse is no id"}
	}
	incarnation, err := uuid.FromBytes(path[2])
	if err != nil {
		return false, &journal.Damage{Warehouse: warehouse, Reason: "the name of an incarnation is no id"}
	}
	return !takes(warehouse, incarnation), nil
}

// digest sums up what a walk meets. Lengths are hashed with what they are of, so
// that nothing can move over a border unseen.
type digest struct{ hash hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

func (d digest) add(path [][]byte, key, value []byte) {
	if key == nil {
		d.part([]byte("bucket"))
		for _, name := range path {
			d.part(name)
		}
		return
	}
	d.part(key)
	d.part(value)
}

func (d digest) part(data []byte) {
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(data)))
	d.hash.Write(size[:])
	d.hash.Write(data)
}

func (d digest) sum() journal.Digest { return journal.Digest(d.hash.Sum(nil)) }

// pen writes buckets and pairs in the order of a walk, in transactions of bounded
// size: what is not committed is in memory.
type pen struct {
	db     *bbolt.DB
	tx     *bbolt.Tx     // nil: none is open
	bucket *bbolt.Bucket // of tx
	size   int           // written in tx
}

// put makes the bucket when there is no key, and writes the pair into it when
// there is one.
func (p *pen) put(path [][]byte, key, value []byte) error {
	if p.size >= copyTxBytes {
		if err := p.flush(); err != nil {
			return err
		}
	}
	if p.tx == nil || key == nil {
		if err := p.enter(path); err != nil {
			return err
		}
	}
	if key == nil {
		return nil
	}
	p.size += len(key) + len(value)
	return p.bucket.Put(key, value)
}

// enter goes to a bucket, which is made where it is missing.
func (p *pen) enter(path [][]byte) error {
	if p.tx == nil {
		tx, err := p.db.Begin(true)
		if err != nil {
			return err
		}
		p.tx, p.size = tx, 0
	}
	b, err := p.tx.CreateBucketIfNotExists(path[0])
	for _, name := range path[1:] {
		if err != nil {
			return err
		}
		b, err = b.CreateBucketIfNotExists(name)
	}
	if err != nil {
		return err
	}
	b.FillPercent = 1 // keys only ascend
	p.bucket = b
	return nil
}

func (p *pen) flush() error {
	if p.tx == nil {
		return nil
	}
	tx := p.tx
	p.tx = nil
	return tx.Commit()
}

func (p *pen) drop() {
	if p.tx != nil {
		_ = p.tx.Rollback()
	}
}
