package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
	"puddle/rest/access"
	"puddle/rest/catalog"
)

// Defaults of Options (interface §1).
const (
	DefaultMaxBody        = 64 << 20
	DefaultMaxInflight    = 512 << 20
	DefaultRequestTimeout = 60 * time.Second
	DefaultKeyLifetime    = 30 * time.Minute
)

// Warehouse is one warehouse to serve. Its name is the prefix of its routes.
type Warehouse struct {
	Name     string
	Location string
	ID       uuid.UUID
	Catalog  *catalog.Catalog
	Journal  journal.Reader // the lineage
	State    projections.Reader
	// Past is what was true before, of the same lineage. Optional: without it, only
	// the present can be read.
	Past *projections.Past
	// Left is the line of an incarnation that a recovery has left, and what was true on
	// it; journal.ErrNoWarehouse when it is not held. Optional: without it, only the
	// lineage can be read.
	Left func(ctx context.Context, incarnation uuid.UUID) (journal.Reader, *projections.Past, error)
	// Present looks whether a metadata file is in the warehouse. Optional:
	// without it, nobody can ask.
	Present func(ctx context.Context, location string) (bool, error)
	// Remember keeps an answer to an idempotency key that made no event, durably
	// before it returns. Optional: without it, keys are ignored.
	Remember func(ctx context.Context, a journal.Answer) error
	// Cursor is the position that the pointer tables have reached. Optional:
	// without it, they count as caught up.
	Cursor func(ctx context.Context) (journal.Position, error)
	// Anchor tells how far the anchor in the warehouse is. Optional: without it,
	// there is none.
	Anchor func() Anchor
	// Sidecars tells how far the copy of the catalog in the warehouse is. Optional:
	// without it, there is none.
	Sidecars func() Sidecars
	// Archive tells how far the archive in the warehouse is. Optional: without it,
	// nobody tells.
	Archive func() Archive
	// Storage is what the warehouse is in. Optional: without a kind, nobody tells.
	Storage Storage
	// Proofs tells when each level was proven last, the lowest first. Optional.
	Proofs func() []Proof
	// Objects is the object store that its tables lie in, as clients are told of it.
	// Optional: tables in folders need none.
	Objects ObjectStore
	// Externals are those of external warehouses, by their names. Optional.
	Externals map[string]ObjectStore
	// ReadOnly tells why nothing is changed at the moment, and credentials that are made
	// only read; nil: changes are. Optional.
	ReadOnly func() error
	// Purging tells what the job does that removes the files of dropped tables.
	// Optional: without it, none runs here.
	Purging func() Purging
}

// Options is what a server stands on. Warehouses and Access are needed, the rest
// is optional.
type Options struct {
	Warehouses     []Warehouse
	Access         *access.Guard
	Ready          func(context.Context) error // nil: ready. The text of an error is shown to anybody
	Writer         func() Writer               // nil: there is nothing to tell that Ready does not
	Room           func(context.Context) Room  // nil: nobody knows
	Warnings       func() []Warning            // what was found out while serving; nil: nothing
	Database       func() Database             // nil: there is none
	Build          string                      // what status says; may be empty
	MaxBody        int64                       // bytes of one request's body; default DefaultMaxBody
	MaxInflight    int64                       // bytes of all bodies in work; default DefaultMaxInflight
	RequestTimeout time.Duration               // for all but what is recorded already; default DefaultRequestTimeout
	KeyLifetime    time.Duration               // how long an Idempotency-Key is known; default DefaultKeyLifetime
	Now            func() time.Time            // what dates events; default time.Now
	Log            func(Request)               // called after each answer, by many goroutines
	Metrics        *Metrics                    // nil: /metrics is not served
}

// server is the http.Handler. It never changes but for its budget, its idle
// writers of deflate, the keys in flight, the paths that it remembers and its
// metrics.
type server struct {
	Options
	warehouses map[string]*Warehouse
	router     *router
	sites      *http.CrossOriginProtection
	bodies     budget
	deflaters  deflaters
	inFlight   inFlight
	starting   bool // there is nothing to serve yet
}

// New is the handler of everything puddle serves over HTTP, safe for concurrent
// use. The http.Server that runs it should set DisableGeneralOptionsHandler, or
// it answers OPTIONS * itself, without asking who is there.
func New(o Options) http.Handler { return newServer(o, false) }

// Starting is the handler of a server that is being opened. It answers /healthz,
// /readyz, /metrics and status, which tell how it is. Everything else is surely
// not done, and to be tried again. o has no warehouses, and its Ready says what
// is under way.
func Starting(o Options) http.Handler {
	return newServer(o, true)
}

func newServer(o Options, starting bool) *server {
	if o.MaxBody == 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.MaxInflight == 0 {
		o.MaxInflight = DefaultMaxInflight
	}
	if o.RequestTimeout == 0 {
		o.RequestTimeout = DefaultRequestTimeout
	}
	if o.KeyLifetime == 0 {
		o.KeyLifetime = DefaultKeyLifetime
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &server{Options: o, warehouses: make(map[string]*Warehouse, len(o.Warehouses)), bodies: budget{max: o.MaxInflight}, starting: starting}
	s.sites = http.NewCrossOriginProtection()
	for i := range o.Warehouses {
		s.warehouses[o.Warehouses[i].Name] = &o.Warehouses[i]
	}
	s.router = newRouter(s.endpoints())
	if o.Metrics != nil {
		o.Metrics.watch(s)
	}
	return s
}

// only is the one warehouse that is served; nil when there are more.
func (s *server) only() *Warehouse {
	if len(s.Warehouses) == 1 {
		return &s.Warehouses[0]
	}
	return nil
}
