package recover_test

import (
	"bytes"
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"puddle/internal/warehouse"
	"puddle/recover/descent"
)

// mutants are wrong ways to find the current file, each of which somebody has used.
func mutants() map[string]chooser {
	right := descent.Choose
	return map[string]chooser{
		"newest by number": func(o descent.Object, files []descent.File, _ descent.Proof) descent.Choice {
			return last(o, files, func(a, b descent.File) int { return strings.Compare(base(a), base(b)) })
		},
		"newest by time": func(o descent.Object, files []descent.File, _ descent.Proof) descent.Choice {
			return last(o, files, func(a, b descent.File) int { return a.LastUpdated.Compare(b.LastUpdated) })
		},
		"what the sidecar says": func(o descent.Object, files []descent.File, p descent.Proof) descent.Choice {
			return right(o, only(files, func(f descent.File) bool { return f.Location == o.Current.Location }), p)
		},
		"one step": func(o descent.Object, files []descent.File, p descent.Proof) descent.Choice {
			return right(o, only(files, func(f descent.File) bool {
				return f.Location == o.Current.Location || slices.Contains(f.Log, o.Current.Location)
			}), p)
		},
		"any uuid": func(o descent.Object, files []descent.File, p descent.Proof) descent.Choice {
			return right(o, as(files, o.UUID), p)
		},
		"unconfirmed is committed": func(o descent.Object, files []descent.File, p descent.Proof) descent.Choice {
			o.Unconfirmed = nil
			return right(o, files, p)
		},
		"unconfirmed is never a step": func(o descent.Object, files []descent.File, p descent.Proof) descent.Choice {
			return right(o, only(files, func(f descent.File) bool { return !slices.Contains(o.Unconfirmed, f.Location) }), p)
		},
		"abandoned is forgotten": func(o descent.Object, files []descent.File, p descent.Proof) descent.Choice {
			o.Abandoned = nil
			return right(o, files, p)
		},
		"abandoned alone is left out": func(o descent.Object, files []descent.File, p descent.Proof) descent.Choice {
			files = only(files, func(f descent.File) bool { return !slices.Contains(o.Abandoned, f.Location) })
			o.Abandoned = nil
			return right(o, files, p)
		},
		"what was made before is a commit": func(o descent.Object, files []descent.File, p descent.Proof) descent.Choice {
			o.Written, o.Exact = time.Time{}, false
			return right(o, files, p)
		},
		"the longest of a fork": resolving("forks", true),
		"any of a fork":         resolving("forks", false),
		"over what is gone":     resolving("gone that may have led", true),
		"S must be there": func(o descent.Object, files []descent.File, p descent.Proof) descent.Choice {
			if !slices.ContainsFunc(files, func(f descent.File) bool { return f.Location == o.Current.Location }) {
				return descent.Choice{Err: descent.ErrGone}
			}
			return right(o, files, p)
		},
		"the archive is ignored": func(o descent.Object, files []descent.File, _ descent.Proof) descent.Choice {
			return right(o, files, descent.Proof{})
		},
	}
}

func base(f descent.File) string { return f.Spelled[strings.LastIndexByte(f.Spelled, '/')+1:] }

func only(files []descent.File, keep func(descent.File) bool) []descent.File {
	return slices.DeleteFunc(slices.Clone(files), func(f descent.File) bool { return !keep(f) })
}

func as(files []descent.File, id uuid.UUID) []descent.File {
	files = slices.Clone(files)
	for i := range files {
		files[i].UUID = id
	}
	return files
}

func last(o descent.Object, files []descent.File, compare func(a, b descent.File) int) descent.Choice {
	files = only(files, func(f descent.File) bool { return f.UUID == o.UUID })
	if len(files) == 0 {
		return descent.Choice{Err: descent.ErrGone}
	}
	return descent.Choice{Name: slices.MaxFunc(files, compare).Name, Behind: 1}
}

// resolving decides what the right way leaves open for that reason.
func resolving(why string, longest bool) chooser {
	return func(o descent.Object, files []descent.File, p descent.Proof) descent.Choice {
		c := descent.Choose(o, files, p)
		for _, w := range c.Warnings {
			_, ends, found := strings.Cut(w, why)
			if !found {
				continue
			}
			ended := only(files, func(f descent.File) bool { return strings.Contains(ends, base(f)) && f.Location != o.Current.Location })
			if len(ended) == 0 {
				continue
			}
			best := slices.MaxFunc(ended, func(a, b descent.File) int {
				if longest {
					return cmp.Or(strings.Compare(base(a)[:5], base(b)[:5]), a.LastUpdated.Compare(b.LastUpdated))
				}
				return strings.Compare(base(b), base(a))
			})
			c.Name, c.Warnings = best.Name, nil
		}
		return c
	}
}

// seeing is a store in which metadata files read otherwise.
type seeing struct {
	warehouse.Store
	change func(key string, data []byte) []byte
}

func (s seeing) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	data, err := s.Store.Get(ctx, key, limit)
	if err == nil && strings.HasSuffix(key, "metadata.json") {
		data = s.change(key, data)
	}
	return data, err
}

var loudUUID = regexp.MustCompile(`"table-uuid":"[0-9A-F-]*[A-F][0-9A-F-]*"`)

// blind are wrong ways to read files.
func blind() map[string]func(warehouse.Store) warehouse.Store {
	reading := func(change func(key string, data []byte) []byte) func(warehouse.Store) warehouse.Store {
		return func(s warehouse.Store) warehouse.Store { return seeing{s, change} }
	}
	return map[string]func(warehouse.Store) warehouse.Store{
		"letter case of uuids": reading(func(_ string, data []byte) []byte {
			return loudUUID.ReplaceAll(data, []byte(`"table-uuid":"11111111-1111-4111-8111-111111111111"`))
		}),
		"spelling of locations": reading(func(_ string, data []byte) []byte {
			return bytes.ReplaceAll(data, []byte(`"metadata-file":"file:/w`), []byte(`"metadata-file":"file:///v`))
		}),
		"gzip": reading(func(key string, data []byte) []byte {
			if strings.HasSuffix(key, ".gz.metadata.json") {
				return []byte("?")
			}
			return data
		}),
	}
}

// TestLawPlanCatchesMutants: the law is none that wrong ways obey.
func TestLawPlanCatchesMutants(t *testing.T) {
	scenarios := rapid.Custom(drawScenario)
	caught := func(t *testing.T, by chooser, through func(warehouse.Store) warehouse.Store) {
		for seed := range 20_000 {
			if err := scenarios.Example(seed).judge(by, through); err != nil {
				t.Logf("scenario %d: %v", seed, err)
				return
			}
		}
		t.Error("it obeys the law")
	}
	for name, by := range mutants() {
		t.Run(name, func(t *testing.T) { caught(t, by, nil) })
	}
	for name, through := range blind() {
		t.Run(name, func(t *testing.T) { caught(t, descent.Choose, through) })
	}
}
