package rest

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"puddle/journal"
	"puddle/rest/access"
)

// staker is who got credentials for the place of a staged table.
type staker struct {
	actor, name, table, place string
	until                     time.Time
}

// stakes are a model of who holds credentials for which places.
type stakes struct {
	*fixture
	t     *rapid.T
	given []staker
	made  map[string]bool   // tables that were ever recorded
	over  map[string]bool   // those, and those that their makers had staged there before
	there map[string]string // places of those that are there, by name
}

func overlap(a, b string) bool {
	return strings.HasPrefix(a+"/", b+"/") || strings.HasPrefix(b+"/", a+"/")
}

// untouched wants that nobody else holds credentials for a place, of a table that was
// never made, when it is given to a table.
func (s *stakes) untouched(actor, name, table, place string) {
	now := s.clock.next()
	for _, g := range s.given {
		own := g.table == table || table != "" && g.actor == actor && g.name == name
		if now.Before(g.until) && overlap(g.place, place) && !s.over[g.table] && !own {
			s.t.Fatalf("%s is given to %s of %s, while until %v (now %v) credentials reach it of %+v", place, name, actor, g.until, now, g)
		}
	}
}

// note notes credentials, for a place that must be nobody's.
func (s *stakes) note(actor, name, table, place string, config map[string]string) {
	s.untouched(actor, name, table, place)
	for other, taken := range s.there {
		if overlap(taken, place) {
			s.t.Fatalf("credentials for %s of %s, where the table %s is", place, name, other)
		}
	}
	end, err := strconv.ParseInt(config["s3.session-token-expires-at-ms"], 10, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	s.given = append(s.given, staker{actor, name, table, place, time.UnixMilli(end).Add(-time.Second)})
}

func (s *stakes) as(actor string) string { return "Authorization: Bearer " + actor }

func (s *stakes) stage(actor, name, place string) {
	a := s.do("POST", tablesPath, staging(s.fixture.t, name, place), vend, s.as(actor))
	if a.StatusCode != 200 {
		return
	}
	d := s.delegated(a)
	s.note(actor, name, d.Metadata.UUID, place, d.Config)
}

// commit makes one of those that were staged.
func (s *stakes) commit(g staker) {
	if a := s.do("POST", tablesPath+"/"+g.name, creating(g.table, g.place), s.as(g.actor)); a.StatusCode == 200 {
		s.untouched(g.actor, g.name, g.table, g.place)
		s.made[g.table], s.there[g.name] = true, g.place
		for _, o := range s.given {
			if o.actor == g.actor && o.name == g.name && strings.HasPrefix(o.place+"/", g.place+"/") {
				s.over[o.table] = true
			}
		}
	}
}

func (s *stakes) create(actor, name, place string) {
	if a := s.do("POST", tablesPath, asking(s.fixture.t, tableBody(name), "location", place), s.as(actor)); a.StatusCode == 200 {
		s.untouched(actor, name, "", place)
		s.there[name] = place
	}
}

func (s *stakes) renew(actor, name string) {
	a := s.do("GET", tablesPath+"/"+name+"/credentials", "", s.as(actor))
	if _, is := s.there[name]; is || a.StatusCode != 200 {
		return
	}
	var answer struct {
		Credentials []credential `json:"storage-credentials"`
	}
	a.into(s.fixture.t, &answer)
	place := strings.TrimSuffix(answer.Credentials[0].Prefix, "/")
	for i := len(s.given) - 1; i >= 0; i-- {
		if g := s.given[i]; g.actor == actor && g.name == name && g.place == place {
			if s.made[g.table] {
				s.t.Fatalf("%s has new credentials for a table that was made: %+v", actor, g)
			}
			s.note(actor, name, g.table, place, answer.Credentials[0].Config)
			return
		}
	}
	s.t.Fatalf("%s has credentials for %s, which it never staged as %s", actor, place, name)
}

// While credentials live that reach a place of a table which was never made, nor another of
// the same name in its place, nobody else gets anything there, whatever is staged, made, dropped, renamed and asked for meanwhile.
func TestLawOfBookedPlaces(t *testing.T) {
	guard, err := access.NewGuard(access.Token{Name: "a", SHA256: journal.Sum([]byte("a"))}, access.Token{Name: "b", SHA256: journal.Sum([]byte("b"))})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(r *rapid.T) {
		f, _ := serveVending(t, nil)
		defer func() { _ = f.stop() }()
		f.handler.(*server).Access = guard
		s := &stakes{fixture: f, t: r, made: map[string]bool{}, over: map[string]bool{}, there: map[string]string{}}
		actor, name := rapid.SampledFrom([]string{"a", "b"}), rapid.SampledFrom([]string{"t", "u"})
		place := rapid.Map(rapid.SampledFrom([]string{"p", "p/q", "p/q/r", "p/s", "o"}), func(at string) string { return "s3://lake/default/" + at })
		r.Repeat(map[string]func(*rapid.T){
			"stage":  func(r *rapid.T) { s.stage(actor.Draw(r, "actor"), name.Draw(r, "name"), place.Draw(r, "place")) },
			"create": func(r *rapid.T) { s.create(actor.Draw(r, "actor"), name.Draw(r, "name"), place.Draw(r, "place")) },
			"renew":  func(r *rapid.T) { s.renew(actor.Draw(r, "actor"), name.Draw(r, "name")) },
			"commit": func(r *rapid.T) {
				if len(s.given) > 0 {
					s.commit(rapid.SampledFrom(s.given).Draw(r, "staged"))
				}
			},
			"drop": func(r *rapid.T) {
				one := name.Draw(r, "name")
				if s.do("DELETE", tablesPath+"/"+one, "", s.as("a")).StatusCode == 204 {
					delete(s.there, one)
				}
			},
			"rename": func(r *rapid.T) {
				from, to := name.Draw(r, "from"), name.Draw(r, "to")
				body := fmt.Sprintf(`{"source":{"namespace":["n"],"name":%q},"destination":{"namespace":["n"],"name":%q}}`, from, to)
				if s.do("POST", v1+"/tables/rename", body, s.as("a")).StatusCode == 204 {
					at := s.there[from]
					delete(s.there, from)
					s.there[to] = at
				}
			},
			"wait": func(r *rapid.T) {
				f.clock.forward(time.Duration(rapid.IntRange(5, 65).Draw(r, "minutes")) * time.Minute)
			},
		})
	})
}
