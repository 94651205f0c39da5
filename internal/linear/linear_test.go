package linear_test

import (
	"errors"
	"testing"
	"time"

	"puddle/internal/linear"
)

func load(call, back time.Duration, found int64) linear.Op {
	return linear.Op{Table: "t", Call: call, Return: back, Load: true, Seen: found}
}

func commit(call, back time.Duration, seen, sets int64, o linear.Outcome) linear.Op {
	return linear.Op{Table: "t", Call: call, Return: back, Seen: seen, Sets: sets, Outcome: o}
}

func TestCheck(t *testing.T) {
	const done, refused, unknown = linear.Done, linear.Refused, linear.Unknown
	for name, c := range map[string]struct {
		right   bool
		history []linear.Op
	}{
		"one after another":             {true, []linear.Op{commit(1, 2, 0, 7, done), load(3, 4, 7), commit(5, 6, 7, 8, done), load(7, 8, 8)}},
		"a lost update":                 {false, []linear.Op{commit(1, 4, 0, 7, done), commit(2, 5, 0, 8, done)}},
		"one of two is refused":         {true, []linear.Op{commit(1, 4, 0, 7, done), commit(2, 5, 0, 8, refused)}},
		"refused without a reason":      {false, []linear.Op{commit(1, 2, 0, 8, refused), commit(3, 4, 0, 7, done)}},
		"a load of the past":            {false, []linear.Op{commit(1, 2, 0, 7, done), load(3, 4, 0)}},
		"a load beside a commit":        {true, []linear.Op{commit(1, 5, 0, 7, done), load(2, 3, 7), load(4, 5, 7)}},
		"there and gone":                {false, []linear.Op{commit(1, 6, 0, 7, done), load(2, 3, 7), load(4, 5, 0)}},
		"unknown and done":              {true, []linear.Op{commit(1, 5, 0, 7, unknown), load(6, 7, 7)}},
		"unknown and not done":          {true, []linear.Op{commit(1, 5, 0, 7, unknown), load(6, 7, 0), commit(8, 9, 0, 8, done)}},
		"unknown, done after its end":   {false, []linear.Op{commit(1, 2, 0, 7, unknown), load(3, 4, 0), load(5, 6, 7)}},
		"unknown, where it cannot be":   {false, []linear.Op{commit(1, 2, 5, 7, unknown), load(3, 4, 7)}},
		"a snapshot that nobody set":    {false, []linear.Op{load(1, 2, 9)}},
		"tables have their own history": {true, []linear.Op{commit(1, 2, 0, 7, done), {Table: "u", Call: 3, Return: 4, Load: true}}},
	} {
		err := linear.Check(c.history, time.Minute)
		if right := err == nil; right != c.right || errors.Is(err, linear.ErrUndecided) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Many clients at the same time, most of whom lose, are judged at once.
func TestManyAtOnce(t *testing.T) {
	const clients, rounds = 32, 20
	var history []linear.Op
	for round := range int64(rounds) {
		begun := time.Duration(round) * 100
		for i := range int64(clients) {
			found := load(begun+time.Duration(i), begun+60+time.Duration(i%5), round)
			tried := commit(begun+70+time.Duration(clients-i), begun+140+time.Duration(i), round, 1000*i+round, linear.Refused)
			if i == round%clients {
				tried.Outcome, tried.Sets, tried.Return = linear.Done, round+1, begun+110
			}
			history = append(history, found, tried)
		}
	}
	if err := linear.Check(history, 10*time.Second); err != nil {
		t.Error(err)
	}
	history[7].Sets = rounds + 5
	history[7].Outcome = linear.Done // two of them
	if err := linear.Check(history, 10*time.Second); err == nil || errors.Is(err, linear.ErrUndecided) {
		t.Errorf("a lost update among them: %v", err)
	}
}
