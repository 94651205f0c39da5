package recorder_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"puddle/internal/quicktest"
	"puddle/journal"
	"puddle/projections/recorder"
	"puddle/projections/recorder/recordertest"
)

// childEnv names the folder in which this test binary, started again, writes
// until it is killed.
const childEnv = "PUDDLE_RECORDER_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		runChild(dir)
		return
	}
	goleak.VerifyTestMain(quicktest.Tests(m))
}

// message is a line that the child writes: before it tries a draft, and when it
// has heard the answer.
type message struct {
	Says     string
	ID       uuid.UUID
	Position journal.Position
	Text     string
	Key      recordertest.BoundKey
	Answer   journal.Answer
	Taken    bool
}

const (
	tries     = "tries"
	done      = "done"
	refused   = "refused"
	complains = "complains"
	triesKey  = "tries key"
	hearsKey  = "hears of key"
)

// A process with eight writers is killed in the middle of its work, again and
// again: what it was told is true of the files.
func TestKilledProcessLosesNothing(t *testing.T) {
	p := pair{"journal.db", "puddle.db"}.in(t.TempDir())
	seen := recordertest.NewOutcomes()
	for round := range 10 {
		enough := 1 + rand.IntN(50)
		runAndKill(t, filepath.Dir(p.journal), enough, seen)
		j, store := p.open(t)
		recordertest.CatchUp(t, j, store)
		seen.Check(t, recordertest.CheckLaws(t, j, store))
		seen.CheckKeys(t, j)
		closeIt(t, store)
		closeIt(t, j)
		t.Logf("round %d: killed after %d were acknowledged; until now %d done, %d refused, %d unknown",
			round, enough, len(seen.Done), len(seen.Refused), len(seen.Unknown))
	}
}

// runAndKill starts the child, kills it once enough were acknowledged to it, and hears what
// it had said until then.
func runAndKill(t *testing.T, dir string, enough int, seen *recordertest.Outcomes) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+dir)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err := errors.Join(err, child.Start()); err != nil {
		t.Fatal(err)
	}
	acknowledged, lines := 0, bufio.NewScanner(out)
	for lines.Scan() {
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		m.tell(seen)
		if m.Says != done {
			continue
		}
		if acknowledged++; acknowledged == enough {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := child.Wait(); err == nil || child.ProcessState.ExitCode() != -1 {
		t.Fatalf("the child ended by itself: %v", err)
	}
}

func (m message) tell(seen *recordertest.Outcomes) {
	switch m.Says {
	case tries:
		seen.Hears(m.ID, journal.Event{}, journal.ErrUnknownOutcome)
	case done:
		delete(seen.Unknown, m.ID)
		seen.Hears(m.ID, journal.Event{Position: m.Position}, nil)
	case refused:
		delete(seen.Unknown, m.ID)
		seen.Hears(m.ID, journal.Event{}, errors.New(m.Text))
	case complains:
		seen.Complains(m.Text)
	case triesKey:
		seen.TriesKey(m.Key)
	case hearsKey:
		m.Answer.Request = recordertest.Asked(m.Key.Key) // whose body the JSON of an answer hides
		seen.HearsKey(m.Key, m.Answer, m.err())
	}
}

// err is what the child heard of a key.
func (m message) err() error {
	switch {
	case m.Taken:
		return journal.ErrKeyTaken
	case m.Text != "":
		return errors.New(m.Text)
	}
	return nil
}

// teller writes messages. A line that was written survives the writer.
type teller struct {
	mu  sync.Mutex
	out io.Writer
}

func (t *teller) say(m message) {
	line, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := t.out.Write(append(line, '\n')); err != nil {
		os.Exit(1) // nobody listens
	}
}

func (t *teller) Tries(id uuid.UUID) { t.say(message{Says: tries, ID: id}) }

func (t *teller) Hears(id uuid.UUID, e journal.Event, err error) {
	if err != nil {
		t.say(message{Says: refused, ID: id, Text: err.Error()})
		return
	}
	t.say(message{Says: done, ID: id, Position: e.Position})
}

func (t *teller) TriesKey(k recordertest.BoundKey) { t.say(message{Says: triesKey, Key: k}) }

func (t *teller) HearsKey(k recordertest.BoundKey, a journal.Answer, err error) {
	m := message{Says: hearsKey, Key: k, Answer: a, Taken: errors.Is(err, journal.ErrKeyTaken)}
	if err != nil {
		m.Text = err.Error()
	}
	t.say(m)
}

func (t *teller) Complains(promise string) { t.say(message{Says: complains, Text: promise}) }

// childTB fails as a test does, where there is none.
type childTB struct{ testing.TB }

func (childTB) Helper() {}
func (childTB) Fatalf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

// runChild opens everything, as a server would, and works until it is killed.
func runChild(dir string) {
	p := pair{"journal.db", "puddle.db"}.in(dir)
	j, store := p.open(childTB{})
	s := newStageOver(childTB{}, j, store, nil, recorder.Options{})
	out := &teller{out: os.Stdout}
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			c := recordertest.Client{Recorder: s.Recorder, Told: out}
			for {
				c.Do(recordertest.DrawAction().Example(rand.Int()))
			}
		})
	}
	writers.Wait()
}
