package recover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/projections/sidecars"
	"puddle/recover/descent"
	"puddle/rest/metadata"
)

// Evidences is what there is of a warehouse whose journal is lost.
type Evidences struct {
	Roots warehouse.Roots // its own root first, which has the sidecars; of external ones only files are read that sidecars name
	Name  string          // of the warehouse

	// Proven tells which metadata files the events of an archive made current; false:
	// it does not know the object. nil: there is no archive.
	Proven func(ctx context.Context, object uuid.UUID) (committed func(warehouse.Location) bool, known bool, err error)

	// ProvenUntil is a time before which all events are in the archive. A file made
	// well before it that no event names was never committed. Zero: not known.
	ProvenUntil time.Time

	// Progress is called now and then, and at the end, by one goroutine at a time; nil:
	// nobody asks.
	Progress func(Surveyed)
}

// PlanSidecars plans the recovery of a warehouse from its sidecars and metadata files.
// It lists the storage once, reads sidecars and metadata files only, nothing outside of
// the roots, and changes nothing.
//
// A file that is broken or hostile is one line of the plan and stops nothing (case 52);
// the error says that the storage could not be listed, the archive not be read, or that
// ctx has ended. What is planned is inferred, but where the archive names the file.
//
// The memory it needs is that of the plan, of the sidecars, and of the metadata logs of
// the folders that are being looked at.
func PlanSidecars(ctx context.Context, e Evidences) (Plan, error) {
	return planSidecars(ctx, e, descent.Choose)
}

// chooser finds the current file of an object.
type chooser func(descent.Object, []descent.File, descent.Proof) descent.Choice

func planSidecars(ctx context.Context, e Evidences, by chooser) (Plan, error) {
	if len(e.Roots) == 0 {
		return Plan{}, errors.New("a warehouse needs a root")
	}
	p := &sidecarPlan{Evidences: e, choose: by, plan: Plan{Warehouse: e.Name, From: FromSidecars}, strays: map[uuid.UUID][]surveyed{}}
	var err error
	if p.claims, err = readClaims(ctx, e.Roots[0].Store, p.count(func(s *Surveyed) { s.Sidecars++ })); err != nil {
		return Plan{}, err
	}
	p.homes = p.claims.locate(e.Roots)
	p.claims.settle()
	p.reader = newReader(e.Roots, p.count(func(s *Surveyed) { s.Files++ }))
	if err := p.survey(ctx); err != nil {
		return Plan{}, err
	}
	if err := p.readExternal(ctx); err != nil {
		return Plan{}, err
	}
	if err := p.rejoin(ctx); err != nil {
		return Plan{}, err
	}
	p.finish()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tellLocked()
	return p.plan, nil
}

// sidecarPlan is a plan in the making.
type sidecarPlan struct {
	Evidences
	choose chooser
	claims *claims            // which of them there are does not change during the survey
	homes  map[place][]*claim // by the folder of S
	reader *reader

	mu       sync.Mutex
	plan     Plan                     // guarded by mu
	strays   map[uuid.UUID][]surveyed // guarded by mu; files in other folders than S
	progress Surveyed                 // guarded by mu
}

// toldEach is how many steps of progress are told together.
const toldEach = 1000

// count is a function that changes the progress, and now and then tells of it.
func (p *sidecarPlan) count(change func(*Surveyed)) func() {
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		change(&p.progress)
		if done := p.progress; (done.Sidecars+done.Listed+done.Files)%toldEach == 0 {
			p.tellLocked()
		}
	}
}

func (p *sidecarPlan) tellLocked() {
	if p.Progress != nil {
		p.Progress(p.progress)
	}
}

// survey lists the storage and looks at each folder.
func (p *sidecarPlan) survey(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	folders := make(chan folder)
	var wait sync.WaitGroup
	for range parallel {
		wait.Go(func() {
			for f := range folders {
				if err := p.look(ctx, f); err != nil {
					stop(err)
				}
			}
		})
	}
	err := listRoots(ctx, p.Roots, p.count(func(s *Surveyed) { s.Listed++ }), func(f folder) error {
		select {
		case folders <- f:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	close(folders)
	wait.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// look reads a folder and decides about the objects that are at home there.
func (p *sidecarPlan) look(ctx context.Context, f folder) error {
	s, err := p.reader.folder(ctx, f)
	if err != nil {
		return err
	}
	p.mu.Lock()
	for _, b := range s.broken {
		p.plan.NotUsed = append(p.plan.NotUsed, NotUsed{b.Spelled, b.reason})
		if b.unseen && len(p.homes[f.place]) > 0 {
			p.plan.Unseen = fmt.Errorf("metadata file %s: %s", b.Spelled, b.reason)
		}
	}
	p.mu.Unlock()
	for _, n := range p.homes[f.place] {
		if err := p.decide(ctx, n, s); err != nil {
			return err
		}
	}
	p.others(s)
	return nil
}

// others tells of the files that are of no object at home in their folder: those of an
// object that is at home elsewhere are kept for it, those of nobody are unregistered.
func (p *sidecarPlan) others(s surveyed) {
	byUUID := map[uuid.UUID][]metadataFile{}
	for _, file := range s.files {
		byUUID[file.UUID] = append(byUUID[file.UUID], file)
	}
	bare := slices.ContainsFunc(p.homes[s.place], func(n *claim) bool {
		return slices.ContainsFunc(byUUID[uuid.Nil], func(f metadataFile) bool { return f.Location == n.current.Location })
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, files := range byUUID {
		n := p.claims.objects[id]
		switch {
		case n != nil && n.State == sidecars.Active && n.home != s.place:
			p.strays[id] = append(p.strays[id], surveyed{place: s.place, files: files})
		case n == nil && !(bare && id == uuid.Nil):
			p.plan.Unregistered = append(p.plan.Unregistered, unregistered(id, files))
		}
	}
}

func unregistered(id uuid.UUID, files []metadataFile) Unregistered {
	var plain []descent.File
	for _, f := range files {
		plain = append(plain, f.File)
	}
	newest := descent.Newest(plain)
	at := slices.IndexFunc(files, func(f metadataFile) bool { return f.Location == newest.Location })
	return Unregistered{UUID: id, Location: files[at].home, Newest: newest.Spelled}
}

// rejoin decides again about objects of which files lie in several folders, as they do
// after a change of write.metadata.path, and about those whose folder is not there.
func (p *sidecarPlan) rejoin(ctx context.Context) error {
	for id, n := range p.claims.objects {
		scattered := p.strays[id]
		if n.settled.Outcome != Recovered || n.decided && len(scattered) == 0 {
			continue
		}
		s := n.externalFile
		if s.place = n.home; len(scattered) > 0 && n.external == "" {
			var err error
			if s, err = p.again(ctx, n.home); err != nil {
				return err
			}
		}
		for _, other := range scattered {
			s.files = append(s.files, other.files...)
		}
		if err := p.decide(ctx, n, s); err != nil {
			return err
		}
	}
	return nil
}

// again reads a folder that the survey has passed.
func (p *sidecarPlan) again(ctx context.Context, at place) (surveyed, error) {
	f := folder{place: at}
	for entry, err := range p.Roots[at.root].Store.List(ctx, at.key) {
		if err != nil {
			return surveyed{}, err
		}
		if folderOf(entry.Key) == at.key && metadata.IsFileName(entry.Key) {
			f.keys = append(f.keys, entry.Key)
		}
	}
	return p.reader.folder(ctx, f)
}

// finish puts the parts of the plan together.
func (p *sidecarPlan) finish() {
	p.plan.Objects = p.claims.failed
	p.plan.NotUsed = append(p.plan.NotUsed, p.claims.foreign...)
	if p.claims.unseen != nil {
		p.plan.Unseen = p.claims.unseen
	}
	for _, n := range p.claims.objects {
		p.plan.Objects = append(p.plan.Objects, n.planned)
		p.plan.NotUsed = append(p.plan.NotUsed, n.notUsed...)
	}
	p.plan.Namespaces = p.claims.plannedNamespaces()
	p.plan.order()
	p.plan.NotUsed = slices.Compact(p.plan.NotUsed)
}
