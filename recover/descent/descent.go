package descent

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
)

// Object is what a sidecar says of an active table or view.
type Object struct {
	UUID        uuid.UUID
	View        bool
	Current     Name   // S
	Damage      string // why the file there is not to be used; empty: it may be, if it is among the files
	Unseen      string // why files may be missing among those that are given; empty: none are
	Unconfirmed []warehouse.Location
	Abandoned   []warehouse.Location
	Written     time.Time // when the sidecar says that S was the current file; zero: not known
	Exact       bool      // Written is by the clock that LastUpdated of later commits is by
}

// Name is a location as it is spelled somewhere, and as it is compared.
type Name struct {
	Spelled  string
	Location warehouse.Location
}

// File is a readable metadata file of the folder, of whatever table or view.
type File struct {
	Name
	UUID        uuid.UUID            // Nil: it says none
	Log         []warehouse.Location // the files it was made from, the last one last
	LastUpdated time.Time
}

// Proof is what an archive knows of the object. The zero Proof knows nothing.
type Proof struct {
	Committed map[warehouse.Location]bool // files that events made current, once
	Until     time.Time                   // all events before are in the archive; zero: not known
}

// Choice is the current metadata file, as far as can be told.
type Choice struct {
	Name               // zero, with an Err
	Behind   int       // how many commits it is after S, at least
	Proven   bool      // an archived event made it current
	Warnings []string  // why it may not be the current one, and what else is odd: a line each
	NotUsed  []NotUsed // files that could be taken for a current one
	Err      error     // why there is none: a line
}

// NotUsed is a file and why it is not used.
type NotUsed struct {
	Location string
	Reason   string
}

// What Err wraps.
var (
	// ErrGone: S is gone.
	ErrGone = errors.New("the metadata file that its sidecar names is gone")

	// ErrUnusable: S is there, and is not what the sidecar names.
	ErrUnusable = errors.New("the metadata file that its sidecar names cannot be used")

	// ErrUndecided: without S it is not clear what the current file is.
	ErrUndecided = errors.New("it is not clear which of the others is the current one")
)

// Choose finds the current file of an object among the files of its folders. Its cost
// is that of reading all logs once or twice.
func Choose(o Object, files []File, proof Proof) Choice {
	f := gather(o, files)
	if o.View {
		return f.view()
	}
	f.exclude(o, proof)
	base, count, doubt := f.proven(o.Current.Location, proof)
	var l line
	if doubt = cmp.Or(doubt, o.Unseen); doubt == "" {
		l = f.follow(base)
		doubt = l.doubt
	}
	if doubt == "" && f.exact && len(l.files) > 0 {
		doubt = f.older(l.files[len(l.files)-1])
	}
	end := base
	if doubt == "" && len(l.files) > 0 {
		end = l.files[len(l.files)-1]
	}
	c := f.settle(end, base, doubt)
	if c.Err == nil {
		c.Behind = count
		if end != base {
			c.Behind += l.commits
		}
		c.Proven = proof.Committed[end]
		c.Warnings = append(c.Warnings, f.unknown(end)...)
		c.Warnings = append(c.Warnings, l.gaps...)
		if older := f.older(end); older != "" {
			c.Warnings = append(c.Warnings, older)
		}
	}
	c.NotUsed = f.unused(end)
	c.Warnings = append(c.Warnings, f.newer(end)...)
	return c
}

// settle makes the choice of a file, or says why there is none.
func (f *family) settle(end, base warehouse.Location, doubt string) Choice {
	var c Choice
	n, there := f.kin[end]
	switch {
	case !there && doubt != "":
		c.Err = fmt.Errorf("%w, and %w: %s", f.lacking(), ErrUndecided, doubt)
	case !there:
		c.Err = fmt.Errorf("%w, and no other file comes from it: %s%s", f.lacking(), f.current.Spelled, f.left())
	default:
		c.Name = n.Name
	}
	if c.Err != nil {
		return c
	}
	if doubt != "" {
		c.Warnings = append(c.Warnings, doubt)
	}
	if _, there := f.kin[f.current.Location]; !there {
		c.Warnings = append(c.Warnings, fmt.Sprintf("%s, which its sidecar names, %s: what comes from it is used", f.current.Spelled, f.absence()))
	}
	return c
}

// view gives S to a view.
func (f *family) view() Choice {
	var c Choice
	if n, there := f.kin[f.current.Location]; there {
		c.Name = n.Name
	} else {
		c.Err = fmt.Errorf("%w, and views have no log of their files: %s%s", f.lacking(), f.current.Spelled, f.left())
	}
	for _, n := range f.sorted() {
		if n.Location != f.current.Location && !n.LastUpdated.Before(f.since) {
			c.NotUsed = append(c.NotUsed, NotUsed{n.Spelled, "it is as new as the view's current file, and views have no log of their files"})
		}
	}
	c.NotUsed = append(c.NotUsed, f.foreign...)
	return c
}

// left names what there is of an object without S, for an operator.
func (f *family) left() string {
	var newest *node
	for _, n := range f.kin {
		if newest == nil || n.LastUpdated.After(newest.LastUpdated) || n.LastUpdated.Equal(newest.LastUpdated) && n.Spelled < newest.Spelled {
			newest = n
		}
	}
	switch {
	case newest == nil && f.damage != "":
		return " (no file of its own is left)"
	case newest == nil:
		return " (no file of it is left)"
	}
	return f.lastOf(newest)
}

func (f *family) lastOf(newest *node) string {
	if newest == nil {
		return ""
	}
	return fmt.Sprintf(" (the last one by time is %s)", newest.Spelled)
}

// lacking says why there is no S.
func (f *family) lacking() error {
	if f.damage != "" {
		return fmt.Errorf("%w: %s", ErrUnusable, f.damage)
	}
	return ErrGone
}

// absence is what is wrong with S.
func (f *family) absence() string {
	if f.damage != "" {
		return "cannot be used (" + f.damage + ")"
	}
	return "is gone"
}

// names lists files, each once, for a message.
func names(all []*node) string {
	var spelled []string
	for _, n := range all {
		spelled = append(spelled, n.Spelled)
	}
	slices.Sort(spelled)
	return strings.Join(spelled, ", ")
}
