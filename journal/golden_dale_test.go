package journal_test

import (
	"testing"

	"github.com/google/uuid"

	"puddle/journal"
)

var (
	goldDale            = uuid.MustParse("d4a91e57-62c8-4f3b-9b07-8e15c6f2a370")
	goldDaleIncarnation = uuid.MustParse("3e70c5b8-19f4-4d62-a8be-57d2f90c1b46")
)

// goldDaleHistory is a catalog that was recovered.
func goldDaleHistory(t *testing.T) []gold {
	t.Helper()
	tale := goldTale{t: t, id: "019ca9a4-0c00-7000-b000-", chain: journal.NewChain(goldDale, goldDaleIncarnation, 2_000_000)}
	operator := journal.Cause{Actor: journal.CLIActor("operator"), Origin: journal.OriginRecover}
	parent := journal.Position{Incarnation: goldIncarnation, Seq: 1_234_567, Hash: journal.Sum([]byte("the head of the past"))}
	for i, one := range []struct {
		name string
		body journal.Body
	}{
		{"incarnation-started-dale", journal.IncarnationStarted{Build: "v0.7.0", Location: "s3://lake/wh", Name: "dale", Parent: &parent, Reason: "recovery"}},
		{"namespace-created-dale", journal.NamespaceCreated{ID: goldSales, Namespace: journal.Namespace{"sales"}}},
		{"recovery-completed", journal.RecoveryCompleted{Failed: 1, From: "sidecars", Namespaces: 1, Objects: 9223372036854775807}},
		{"recovery-completed-clean", journal.RecoveryCompleted{From: "archive"}},
	} {
		tale.add(one.name, goldAt(i), operator, one.body)
	}
	return tale.all
}

// TestRecoveryCompletedIsChecked: what counts below zero or comes from nowhere is no
// record.
func TestRecoveryCompletedIsChecked(t *testing.T) {
	chain := journal.NewChain(goldDale, goldDaleIncarnation, 0)
	for _, body := range []journal.RecoveryCompleted{
		{}, {From: "luck"}, {From: "journal", Failed: -1}, {From: "journal", Objects: -1}, {From: "journal", Namespaces: -1},
	} {
		if _, _, err := chain.Next(journal.Draft{Warehouse: goldDale, ID: goldItems, Body: body}, goldAt(0)); err == nil {
			t.Errorf("%+v was taken", body)
		}
	}
}
