package importtest

// rule says what the packages that match may import. A pattern is a path below
// the module; "x/..." is x and all below it.
type rule struct {
	packages string
	ours     []string // of our packages, only these
	never    []string // of the others, not these and nothing below them
	why      string
}

var (
	logs     = []string{"log", "github.com/rs/zerolog"}
	http     = []string{"net/http", "github.com/gorilla/mux"}
	sql      = []string{"database/sql", "modernc.org/sqlite", "github.com/jackc/pgx"}
	s3       = []string{"github.com/aws"}
	config   = []string{"github.com/alecthomas/kong", "go.yaml.in/yaml"}
	ambience = []string{"context", "os", "net", "syscall", "math/rand", "crypto/rand", "testing"}
)

var rules = []rule{
	{"journal/bolt/...", []string{"journal"}, all(http, sql, logs, config), "an embedded journal knows events, not who asks for them"},
	{"journal/postgres/...", []string{"journal"}, all(http, logs, config), "a journal knows events, not who asks for them"},
	{"journal/journaltest/...", []string{"journal"}, all(http, sql, logs, config), "the suite sees a journal through its contract"},
	{"journal", nil, all(http, sql, logs, config, s3, []string{"go.etcd.io/bbolt"}), "what happened stands alone; returns errors, does not log"},

	{"projections/pointers/postgres", []string{"journal", "journal/postgres", "projections", "projections/pointers"}, all(http, logs, config, s3), "pointer tables in the database of the journal are written in its transactions"},
	{"projections/pointers/...", []string{"journal", "projections", "projections/pointers/..."}, all(http, logs, config, s3), "pointer tables are a projection in SQL"},
	{"projections/recorder/recordertest", []string{"journal", "journal/journaltest", "projections", "projections/recorder"}, all(http, sql, logs, config, s3), "the suite sees a database through its contract"},
	{"projections/recorder/...", []string{"journal", "projections"}, all(http, sql, logs, config, s3), "the recorder joins a journal and the pointer tables through their contracts; nobody above it"},
	{"projections/sidecars/...", []string{"journal", "projections", "internal/warehouse"}, all(http, sql, logs, config, s3), "a follower writes to a warehouse through its contract"},
	{"projections/archive/...", []string{"journal", "projections", "internal/warehouse"}, all(http, sql, logs, config, s3), "a follower writes to a warehouse through its contract"},
	{"projections/anchor/...", []string{"journal", "projections", "internal/warehouse"}, all(http, sql, logs, config, s3), "a follower writes to a warehouse through its contract"},
	{"projections/projectiontest/...", []string{"journal", "journal/journaltest", "projections"}, all(http, sql, logs, config, s3), "the suite sees a projection through its contract"},
	{"projections", []string{"journal"}, all(http, sql, logs, config, s3), "what is true follows from what happened, wherever it is stored"},

	{"rest/metadata/...", nil, all(http, sql, logs, config, s3, ambience), "pure: documents in, documents or a reason out"},
	{"rest/catalog/purge/mark", []string{"internal/warehouse"}, all(http, sql, logs, config, s3), "a file in a warehouse, written by who purges and looked for by who decides"},
	{"rest/catalog/purge/...", []string{"journal", "projections", "rest/catalog/purge/mark", "rest/metadata", "rest/metadata/manifest", "internal/warehouse"},
		all(http, sql, logs, config, s3), "a job that deletes asks for everything through interfaces of its own"},
	{"rest/catalog/catalogtest", []string{"journal", "journal/journaltest", "internal/warehouse", "internal/warehouse/faulty"}, all(http, sql, logs, config, s3), "what tests fail is a journal and files"},
	{"rest/catalog/...", []string{"journal", "projections", "rest/catalog", "rest/catalog/purge/mark", "rest/metadata", "internal/warehouse"}, all(http, sql, logs, config, s3), "the decision is the same whoever asks, and records through an interface of its own"},
	{"rest/access/vended/sts", []string{"rest/access/vended", "internal/awsconfig"}, all(sql, logs, config), "it asks for credentials, and does not know for what"},
	{"rest/access/vended", []string{"internal/warehouse"}, all(http, sql, logs, config, s3), "pure but for who issues: places in, a policy or a reason out; which folder is reserved is the warehouse's"},
	{"rest/access/...", []string{"journal"}, all(sql, s3), "who may do what is decided without looking at tables"},
	{"rest", []string{"journal", "projections", "rest/catalog", "rest/metadata", "rest/access", "rest/access/vended"}, all(sql, config, s3), "HTTP only: where things are stored is behind the catalog"},

	{"recover/verify/...", []string{"journal", "projections", "projections/anchor", "projections/archive", "projections/sidecars", "internal/warehouse", "rest/catalog", "rest/metadata", "recover"},
		all(http, sql, logs, config, s3), "what is proved is read through contracts, and judged by the rules of the catalog"},
	{"recover/descent", []string{"internal/warehouse"}, all(http, sql, logs, config, s3, ambience), "pure: what lies in a warehouse in, the current file or a reason out"},
	{"recover/...", []string{"journal", "projections", "projections/anchor", "projections/sidecars", "internal/warehouse", "rest/catalog", "rest/metadata", "recover/descent"},
		all(http, sql, logs, config, s3), "recovery reads evidence, and registers by the rules of the catalog; a restored metastore comes as a projections interface"},

	{"internal/warehouse/s3/...", []string{"internal/warehouse", "internal/awsconfig"}, all(sql, logs, config), "a store knows bytes by key; only cmd picks S3"},
	{"internal/warehouse/...", []string{"internal/warehouse"}, all(http, sql, logs, config, s3), "a store knows bytes by key"},
	{"internal/postgrestest", []string{"internal/quicktest"}, all(http, logs, config), "a database for tests knows nobody's tables"},
	{"internal/s3test", []string{"internal/warehouse"}, all(sql, logs, config), "an object store for tests knows bytes by key"},
	{"internal/quicktest", nil, all(http, sql, logs, config, s3), "it knows how tests run, and not what they test"},
	{"internal/fuzztest", nil, all(http, sql, logs, config, s3), "what fuzz targets share knows no parser"},
	{"internal/awsconfig", nil, all(sql, logs, config), "it knows who asks, and not for what"},
	{"internal/importtest", nil, nil, "it looks at the others from outside"},

	{"cmd/puddle/config/...", []string{"journal", "internal/warehouse", "rest/access", "rest/access/vended"}, all(http, []string{"database/sql", "modernc.org/sqlite"}), "what an operator wrote, a database's URL too, checked; nothing is opened"},
	{"cmd/puddle/...", []string{"..."}, nil, "wiring: it may import everything and is imported by nobody"},
	{"fixtures/linear", nil, all(http, sql, logs, config, s3, ambience), "it judges what others saw"},
	{"fixtures/icebench", []string{"fixtures/child", "fixtures/icebench/bare", "internal/postgrestest", "internal/s3test", "internal/warehouse", "internal/warehouse/s3"}, all(sql, config),
		"a benchmark asks over HTTP, as others do; what a bare server puts into a bucket it puts as puddle does"},
	{"fixtures/...", []string{"..."}, nil, "programs that drive the product"},
}

// ambientCalls are what a pure package must be given instead of taking it.
var ambientCalls = map[string][]string{
	"rest/metadata":          {"time.Now", "time.Since", "time.Until", "uuid.New", "uuid.NewString", "uuid.NewRandom", "uuid.NewV7"},
	"rest/metadata/manifest": {"time.Now", "time.Since", "time.Until"},
}

func all(lists ...[]string) (out []string) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}
