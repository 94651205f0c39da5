package archive

import (
	"fmt"
	"strings"

	"github.com/google/uuid"

	"puddle/internal/warehouse"
	"puddle/journal"
)

// Folder is where the archive is in a warehouse.
const Folder = warehouse.ReservedFolder + "/journal"

// part is one of the two objects of a segment, by the end of its name.
type part string

const (
	eventsPart    part = "events"
	documentsPart part = "documents"
)

// seqDigits is how many digits a seq has in a name, so that names sort as seqs do.
const seqDigits = 20

// key is the name of a part of the segment that begins with an event.
func key(incarnation uuid.UUID, first journal.Seq, p part) string {
	return fmt.Sprintf("%s/%s/%0*d.%s", Folder, incarnation, seqDigits, uint64(first), p)
}

// parseKey reads a name; false for what is no part of a segment.
func parseKey(name string) (incarnation uuid.UUID, first journal.Seq, p part, ok bool) {
	rest, inside := strings.CutPrefix(name, Folder+"/")
	folder, file, nested := strings.Cut(rest, "/")
	digits, end, dotted := strings.Cut(file, ".")
	if !inside || !nested || !dotted || len(digits) != seqDigits {
		return uuid.Nil, 0, "", false
	}
	incarnation, err := uuid.Parse(folder)
	if err != nil {
		return uuid.Nil, 0, "", false
	}
	first, err = journal.ParseSeq(strings.TrimLeft(digits, "0"))
	p = part(end)
	if err != nil || p != eventsPart && p != documentsPart || key(incarnation, first, p) != name {
		return uuid.Nil, 0, "", false
	}
	return incarnation, first, p, true
}
