# The recipes of this project; each is one call, so they can be read as documentation.

# list the recipes
default:
    @just --list

# compile everything
build:
    go build ./...

# all tests, those that need other programs too
test:
    PUDDLE_TEST_REQUIRE=all go test ./...

# the packages that share state between goroutines, under the race detector; the fault matrix has one client and takes minutes there
race:
    go test -race -skip '^TestFaultMatrix$' ./journal/... ./projections/... ./internal/warehouse/... ./internal/s3test/... ./rest/...

# the pinned golangci-lint (the first run builds it)
lint:
    .ci/lint

# recovery over so many random warehouses, and as many random lives through losses; it says how many it came to
laws checks="20000":
    go test ./recover -run '^(TestLawPlan|TestLawLives)$' -v -timeout 0 -rapid.nofailfile -rapid.checks={{checks}}

# what the compiler's own checker finds
vet:
    go vet ./...

# format all Go code
fmt:
    gofmt -w $(git ls-files '*.go')

# everything that must hold before a change lands
ci:
    .ci/run

# the catalog with its defaults, all data below ./puddle-data
serve:
    go run ./cmd/puddle

# PyIceberg's driver against a fresh puddle
pyiceberg:
    fixtures/engines/with-puddle.sh fixtures/engines/now.sh pyiceberg

# a command beside a fresh puddle whose warehouse is in a bucket: [-backend versitygw] [-vend] [-faults 7] fixtures/engines/now.sh pyiceberg
bucket *COMMAND:
    go run ./fixtures/s3 {{COMMAND}}

# what the credentials reach that puddle vends for one table
vended:
    go run ./fixtures/s3 -vend fixtures/engines/vended.sh

# puddle next to the machine's limit, as a table of ratios
bench *FLAGS:
    go run ./fixtures/icebench compare {{FLAGS}}

# kill -9 in a loop under many writers; nothing acknowledged may be lost
crashloop rounds="200" writers="32":
    go run ./fixtures/crashloop -rounds {{rounds}} -writers {{writers}}

# The same on replicas over one PostgreSQL, which fail one by one and together
replicas rounds="40" writers="12":
    go run ./fixtures/crashloop -replicas 3 -rounds {{rounds}} -writers {{writers}}
