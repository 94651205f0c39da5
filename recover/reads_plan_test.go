package recover_test

import (
	"strings"
	"sync"
	"testing"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/faulty"
	"puddle/projections/sidecars"
	"puddle/recover"
)

// TestWhatIsRead: of a warehouse that an engine made, data and all, a plan lists each root
// once and reads sidecars and metadata files, each once, and nothing else; it changes nothing.
func TestWhatIsRead(t *testing.T) {
	made := openEngineMade(t, "spark-replace")
	for _, o := range made.after(t, len(made.events)) {
		made.write(t, o)
	}
	for _, key := range []string{"t/data/00000.parquet", "t/metadata/snap-1.avro", sidecars.Folder + "/notes.txt"} {
		if err := made.store.Put(t.Context(), key, []byte("not to be read")); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	reads, lists := map[string]int{}, 0
	store := faulty.New(made.store, func(op faulty.Op, key string) faulty.Fault {
		mu.Lock()
		defer mu.Unlock()
		switch op {
		case faulty.Get:
			reads[key]++
		case faulty.List:
			if key == "" {
				lists++
			}
		case faulty.Stat:
		default:
			t.Errorf("%s of %s", op, key)
		}
		return faulty.Fault{}
	})
	plan, err := recover.PlanSidecars(t.Context(), recover.Evidences{
		Roots: warehouse.Roots{{URL: made.url, Location: location(t, made.url), Store: store}}, Name: "a",
	})
	if err != nil || len(plan.Objects) == 0 || lists != 1 {
		t.Fatalf("%d objects, %d lists, %v", len(plan.Objects), lists, err)
	}
	for key, n := range reads {
		sidecar := strings.HasPrefix(key, sidecars.Folder+"/") && strings.HasSuffix(key, ".json")
		if n != 1 || !sidecar && !strings.HasSuffix(key, ".metadata.json") {
			t.Errorf("%s is read %d times", key, n)
		}
	}
}
