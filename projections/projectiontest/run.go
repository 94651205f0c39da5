package projectiontest

import (
	"testing"

	"puddle/projections"
)

// Opened is an empty store. The suite does not close it. Reopen closes it and
// opens what it left behind; nil when the store keeps nothing.
type Opened struct {
	Store  projections.Store
	Reopen func() projections.Store
}

// Run runs the suite; open makes a new empty store each time.
func Run(t *testing.T, open func(testing.TB) Opened) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, func(testing.TB) Opened)
	}{
		{"NamespaceRules", testNamespaceRules},
		{"ObjectRules", testObjectRules},
		{"PlaceRules", testPlaceRules},
		{"ManyMoves", testManyMoves},
		{"PurgeRules", testPurgeRules},
		{"PurgePlaces", testPurgePlaces},
		{"Undrop", testUndrop},
		{"Repoint", testRepoint},
		{"Created", testCreated},
		{"PlaceHolder", testPlaceHolder},
		{"Incarnations", testIncarnations},
		{"Projection", testProjection},
		{"Moment", testMoment},
		{"Tx", testTx},
		{"Reads", testReads},
		{"OwnCopies", testOwnCopies},
		{"Pages", testPages},
		{"Names", testNames},
		{"History", testHistory},
		{"Warehouses", testWarehouses},
		{"Concurrent", testConcurrent},
		{"Reopen", testReopen},
		{"CatchUp", testCatchUp},
		{"CatchUpBesideAppends", testCatchUpBesideAppends},
		{"Lineage", testLineage},
		{"ImportRules", testImportRules},
		{"LawImport", testImport},
		{"LawConflicts", testConflicts},
		{"LawReplay", testReplay},
		{"LawAsOf", testAsOf},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open) })
	}
}
