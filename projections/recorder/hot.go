package recorder

import (
	"hash/maphash"

	"github.com/google/uuid"

	"puddle/journal"
	"puddle/projections"
)

const (
	// hotBytes bounds the hot map of a warehouse. An object of usual names and
	// locations weighs about 270 bytes, so that some 30,000 fit: those in use, not
	// all that there are, which would be the pointer tables once more.
	hotBytes = 8 << 20
	// hotShards spreads the locks: 128 KiB each.
	hotShards = 64
)

// hotMap answers which object has a name without asking the pointer tables, for
// the names used last. What it answers is what the tables answered since the last
// group that moved the name. Safe for concurrent use.
type hotMap struct {
	seed   maphash.Seed
	shards []hotShard
}

// newHotMap divides bytes among shards, whose number is a power of two.
func newHotMap(bytes, shards int) *hotMap {
	h := &hotMap{seed: maphash.MakeSeed(), shards: make([]hotShard, shards)}
	for i := range h.shards {
		h.shards[i].held = make(map[uint64]*hotEntry)
		h.shards[i].limit = bytes / shards
	}
	return h
}

// hotSlot is where a name is kept. Names that share one push each other out.
type hotSlot struct {
	shard *hotShard
	hash  uint64
}

func (h *hotMap) slot(id journal.Identifier) hotSlot {
	hash := maphash.String(h.seed, id.Name)
	for _, level := range id.Namespace {
		hash = hash*0x9E3779B97F4A7C15 ^ maphash.String(h.seed, level)
	}
	return hotSlot{&h.shards[hash&uint64(len(h.shards)-1)], hash}
}

// hotMiss allows to keep what the tables answer, if they are asked after it was
// given and no group moves a name of the shard meanwhile.
type hotMiss struct {
	hotSlot
	writes uint64
}

// find answers who has the name, or with what to keep the answer of the tables.
func (h *hotMap) find(id journal.Identifier) (projections.Object, hotMiss, bool) {
	slot := h.slot(id)
	e, writes := slot.shard.find(slot.hash)
	if e != nil {
		if o, ok := e.object(id); ok {
			slot.shard.hits.Add(1)
			return o, hotMiss{}, true
		}
	}
	slot.shard.misses.Add(1)
	return projections.Object{}, hotMiss{slot, writes}, false
}

// fill keeps what the tables answered, unless it may be old.
func (m hotMiss) fill(o projections.Object) {
	m.shard.fill(m.hash, newHotEntry(o), m.writes)
}

// hotMaps are those of all warehouses of a recorder. The set never changes.
type hotMaps map[uuid.UUID]*hotMap

func newHotMaps(chains map[uuid.UUID]journal.Chain, bytes, shards int) hotMaps {
	maps := make(hotMaps, len(chains))
	for id := range chains {
		maps[id] = newHotMap(bytes, shards)
	}
	return maps
}

// empty forgets everything, and lets in what is read from now on.
func (m hotMaps) empty() {
	for _, h := range m {
		for i := range h.shards {
			h.shards[i].empty()
		}
	}
}

// HotStats tells what the hot maps are good for.
type HotStats struct {
	Hits    uint64 // questions for an object that were answered from memory
	Misses  uint64 // and those that the pointer tables were asked, also for names that nobody has
	Objects int    // in memory now
	Bytes   int    // what they weigh, nearly
}

// HotStats are those of all warehouses, the counters since New. Safe for
// concurrent use.
func (r *Recorder) HotStats() HotStats {
	var all HotStats
	for _, h := range r.hot {
		for i := range h.shards {
			h.shards[i].addTo(&all)
		}
	}
	return all
}
