package warehouse

import (
	"context"
	"errors"
	"iter"
)

// Errors of every store. They are returned wrapped, with the key.
var (
	// ErrInvalidKey: the key can never name anything (see [CheckKey]).
	ErrInvalidKey = errors.New("warehouse: invalid key")

	// ErrNotFound: nothing is stored under the key. A folder is not a thing
	// stored under its name.
	ErrNotFound = errors.New("warehouse: not found")

	// ErrExists: something is stored under the key already, or stands in its
	// way: a folder where the file would be, a file where a folder would be.
	ErrExists = errors.New("warehouse: already exists")

	// ErrTooLarge: what is stored is larger than the caller's limit.
	ErrTooLarge = errors.New("warehouse: too large")

	// ErrLink: the key, or a folder on the way to it, is a symbolic link.
	// Links are never followed and never touched (cases 135 and 138).
	ErrLink = errors.New("warehouse: symbolic links are not followed")

	// ErrDenied: the storage refuses access: a right is missing, or the credentials are
	// wrong or over. The text tells the storage's own reason. Nothing was changed.
	ErrDenied = errors.New("warehouse: the storage refuses access")

	// ErrNoBucket: the bucket that all keys are in is not there. It says nothing about a
	// key, and is never ErrNotFound. Nothing was changed.
	ErrNoBucket = errors.New("warehouse: the bucket is not there")
)

// Info describes what is stored under a key.
type Info struct {
	Size     int64  // bytes
	Tag      uint64 // another one for other bytes, by all that a store can tell without reading them
	Modified int64  // nanoseconds since 1970 by the store's clock; 0: it does not tell
}

// Same tells whether what was seen twice under a key is one and the same.
func (i Info) Same(other Info) bool { return i.Size == other.Size && i.Tag == other.Tag }

// Entry is one stored key.
type Entry struct {
	Key string
	Info
}

// Reader reads a store. Its methods may be called from many goroutines.
type Reader interface {
	// Get returns the bytes under key, which are the caller's to keep. More
	// than limit bytes are ErrTooLarge and are not read. Bytes written by
	// Create or Put are seen whole or not at all.
	Get(ctx context.Context, key string, limit int64) ([]byte, error)

	// Stat says how large the bytes under key are, without reading them. It
	// is asked at every load.
	Stat(ctx context.Context, key string) (Info, error)

	// List yields everything stored below the folder prefix, ascending by the
	// bytes of the key; an empty prefix is the root. One slash at the end of
	// prefix changes nothing. Whole segments count: "a" lists "a/x", not
	// "ab" (case 130). A folder that is not there lists nothing. What is
	// created or deleted meanwhile may be yielded or not. The first error
	// ends the list.
	List(ctx context.Context, prefix string) iter.Seq2[Entry, error]
}

// Store reads and writes. Its methods may be called from many goroutines, and
// the storage may be written by other processes at the same time. A write
// that fails with another error than the ones above may have taken effect or
// not, and, but for Stage, is never seen in part; the ones above changed nothing
// under any key.
type Store interface {
	Reader

	// Create stores data under key if nothing is there, else it fails with
	// ErrExists; of racing calls one wins. On return the bytes and all new
	// folders are durable; a crash before leaves all of the bytes or none.
	// ErrExists says nothing about the durability of what was found.
	Create(ctx context.Context, key string, data []byte) error

	// Stage is Create for a fresh key that nobody looks at before Stage returned,
	// and for data that is known by its digest. A store may save a sync by it:
	// until Stage returns, and after a crash meanwhile, a part of data may lie
	// under key. It is durable on return, and Stat answers the Same as long as
	// nobody else writes key. After an error other than ErrExists, ErrInvalidKey and
	// ErrLink the caller deletes key, as the store has tried.
	Stage(ctx context.Context, key string, data []byte) (Info, error)

	// Put stores data under key in one step, replacing what was there. It is
	// durable on return.
	Put(ctx context.Context, key string, data []byte) error

	// Delete removes what is stored under key. To delete what is not there is
	// no error, so it can be repeated. It is durable on return. Folders stay.
	Delete(ctx context.Context, key string) error
}

// Folders is implemented by stores that have folders of their own.
type Folders interface {
	// MakeFolder creates the folder key and its parents where they are
	// missing, durable on return. It may be repeated. Some clients write into
	// a folder only when it exists: DuckDB after a staged create.
	MakeFolder(ctx context.Context, key string) error

	// CheckFolder reports why MakeFolder could never make the folder key, and
	// changes nothing: ErrLink when key or a folder on the way is a link,
	// ErrExists when a file stands there, ErrInvalidKey. It is nil when the
	// folder is there or can be made.
	CheckFolder(ctx context.Context, key string) error
}
