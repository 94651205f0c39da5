package rest

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// plus is what an unescaped plus in a path stands for. Clients that write paths
// like form fields mean a space; others leave a plus as it is (case 80).
type plus int

const (
	plusIsPlus plus = iota
	plusIsSpace
)

// habit is how a client is known to write paths.
type habit int

const (
	habitUnknown habit = iota
	habitForm          // space as plus: Iceberg's Java client up to 1.11
	habitPath          // space as %20
)

var javaClient = regexp.MustCompile(`^Apache Iceberg (\d+)\.(\d+)`)

// habitOf tells it from the client's version. Java clients whose version is no
// number, such as development builds, do not tell.
func habitOf(h http.Header) habit {
	version := h.Get("X-Client-Version")
	if version == "" {
		return habitUnknown
	}
	if m := javaClient.FindStringSubmatch(version); m != nil {
		major, _ := strconv.Atoi(m[1])
		minor, _ := strconv.Atoi(m[2])
		if major < 1 || major == 1 && minor <= 11 {
			return habitForm
		}
		return habitPath
	}
	if strings.HasPrefix(version, "Apache Iceberg") {
		return habitUnknown
	}
	return habitPath
}

// readPlus chooses the reading of a path that holds a raw plus: a plus if such a
// name exists, else a space. Where both exist the client's habit decides; a write
// of a client without one is refused (interface §5.2). found is false when
// neither exists.
func readPlus(h habit, writes bool, exists func(plus) (bool, error)) (as plus, found bool, err error) {
	withPlus, err := exists(plusIsPlus)
	if err != nil {
		return 0, false, err
	}
	withSpace, err := exists(plusIsSpace)
	switch {
	case err != nil:
		return 0, false, err
	case withPlus && withSpace:
		as, err = byHabit(h, writes)
		return as, true, err
	case withPlus:
		return plusIsPlus, true, nil
	}
	return plusIsSpace, withSpace, nil
}

// byHabit reads a plus that may be either.
func byHabit(h habit, writes bool) (plus, error) {
	switch {
	case h == habitForm:
		return plusIsSpace, nil
	case h == habitUnknown && writes:
		return 0, badRequest("The + in the path may be a plus or a space: write %%2B or %%20")
	}
	return plusIsPlus, nil
}
