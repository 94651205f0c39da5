package s3_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"puddle/internal/s3test"
	"puddle/internal/warehouse"
	"puddle/internal/warehouse/s3"
)

// pages is an object store that makes up the pages of a list. Its token is a page's number.
type pages struct {
	page func(n int) (names []string, next string) // next: the token of the next one; empty: none
	asIs string                                    // names are not encoded, whatever this says of it: "url", or "none"
}

type xmlObject struct{ Key, LastModified, ETag, Size string }

type xmlPage struct {
	XMLName               xml.Name    `xml:"ListBucketResult"`
	Contents              []xmlObject `xml:"Contents"`
	IsTruncated           bool        `xml:"IsTruncated"`
	NextContinuationToken string      `xml:"NextContinuationToken,omitempty"`
	EncodingType          string      `xml:"EncodingType,omitempty"`
}

// ServeHTTP implements http.Handler.
func (p pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.URL.Query().Get("continuation-token")) // none: the first
	names, next := p.page(n)
	page := xmlPage{IsTruncated: next != "", NextContinuationToken: strings.TrimPrefix(next, "none")}
	for _, name := range names {
		switch p.asIs {
		case "":
			name, page.EncodingType = url.QueryEscape(name), r.URL.Query().Get("encoding-type")
		case "url":
			page.EncodingType = p.asIs
		}
		page.Contents = append(page.Contents, xmlObject{name, "2026-01-02T03:04:05.000Z", `"e"`, "7"})
	}
	w.Header().Set("ETag", `"e"`) // also where an object is looked at
	_ = xml.NewEncoder(w).Encode(page)
}

func (p pages) store(t testing.TB, location string) *s3.Store { return served(t, inHand{p}, location) }

// inHand is a client of HTTP that needs no connections.
type inHand struct{ http.Handler }

// RoundTrip implements http.RoundTripper.
func (h inHand) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), nil
}

func served(t testing.TB, client http.RoundTripper, location string) *s3.Store {
	t.Helper()
	service, err := s3.NewSpeaking(t.Context(), s3.Options{
		Region: s3test.Region, Endpoint: "http://127.0.0.1", PathStyle: true, AccessKeyID: "a", SecretAccessKey: "b", Limits: quick,
	}, &http.Client{Transport: client}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at, err := warehouse.ParseLocation(location)
	if err != nil {
		t.Fatal(err)
	}
	return service.Store(at)
}

func keys(t testing.TB, store *s3.Store, prefix string) (keys []string, err error) {
	t.Helper()
	for entry, err := range store.List(t.Context(), prefix) {
		if err != nil {
			return keys, err
		}
		keys = append(keys, entry.Key)
	}
	return keys, nil
}

// Names that are no keys are left out, whatever they hold, the name of the prefix among them.
func TestListLeavesOutWhatIsNoKey(t *testing.T) {
	names := []string{
		"wh/", "wh/\x01\x02", "wh//a", "wh/a\nb", "wh/a b+c%20", "wh/a/", "wh/a/../b", "wh/a/b", "wh/a<&>b", "wh/b\ufffd", "wh/b\ufffe", "wh/b\uffff", "wh/c\xff", "wh/日本",
	}
	store := pages{page: func(int) ([]string, string) { return names, "" }}.store(t, "s3://lake/wh")
	got, err := keys(t, store, "")
	if want := []string{"a b+c%20", "a/b", "a<&>b", "b\ufffd", "日本"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

// A store that knows no encoding lists names as they are.
func TestListOfNamesAsTheyAre(t *testing.T) {
	store := pages{asIs: "none", page: func(int) ([]string, string) { return []string{"a%20b", "a+b"}, "" }}.store(t, "s3://lake")
	if got, err := keys(t, store, ""); err != nil || fmt.Sprint(got) != "[a%20b a+b]" {
		t.Errorf("got %q, %v", got, err)
	}
}

// A store that knows no encoding writes U+FFFD for a control character: such a name breaks no
// list, and is listed where the object that is there under it is the one that was listed.
func TestListOfNamesThatXMLCannotHold(t *testing.T) {
	heads := []string{}
	names := []string{"wh/ba", "wh/b\ufffd", "wh/b\ufffd", "wh/bb", "wh/bc\ufffd/x", "wh/bc", "wh/bd\ufffd"}
	list := pages{asIs: "none", page: func(int) ([]string, string) { return names, "" }}
	store := served(t, inHand{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.URL.Query().Get("list-type") != "" {
			list.ServeHTTP(w, r)
			return
		}
		if r.Method == http.MethodHead {
			heads = append(heads, r.URL.Path)
		}
		switch r.URL.Path {
		case "/lake/wh/bd\ufffd":
			w.Header().Set("Content-Length", "7")
			w.Header().Set("ETag", `"e"`)
		case "/lake/wh/bc\ufffd/x":
			w.Header().Set("ETag", `"another"`)
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, "<Error><Code>NoSuchKey</Code></Error>")
		}
	})}, "s3://lake/wh")
	if got, err := keys(t, store, ""); err != nil || !slices.Equal(got, []string{"ba", "bb", "bc", "bd\ufffd"}) {
		t.Errorf("got %q, %v", got, err)
	}
	heads = nil
	asked := []string{"bd\ufffd"}
	for i := range 20 {
		asked = append(asked, fmt.Sprint("b", i))
	}
	if _, errs := store.StatAll(t.Context(), asked); errs[0] != nil || len(heads) != 1 || !is(errs[1], warehouse.ErrNotFound) {
		t.Errorf("looks at %q: %v", heads, errs)
	}
}

// What no list may be ends with an error, and never runs on.
func TestListThatCannotBe(t *testing.T) {
	one := func(name, next string) func(int) ([]string, string) {
		return func(int) ([]string, string) { return []string{name}, next }
	}
	for name, page := range map[string]func(int) ([]string, string){
		"a page that follows itself":   one("wh/a", "1"),
		"pages in a circle":            func(n int) ([]string, string) { return []string{fmt.Sprint("wh/", n)}, strconv.Itoa((n + 1) % 3) },
		"more, and no token":           one("wh/a", "none"),
		"odd names in a circle":        func(n int) ([]string, string) { return []string{"wh/\ufffd"}, strconv.Itoa((n + 1) % 3) },
		"a name twice":                 func(int) ([]string, string) { return []string{"wh/a", "wh/a"}, "" },
		"names that descend":           func(int) ([]string, string) { return []string{"wh/b", "wh/a"}, "" },
		"a name outside of the prefix": one("other/a", ""),
		"a name that is not encoded":   nil,
	} {
		t.Run(name, func(t *testing.T) {
			p := pages{page: page}
			if strings.HasPrefix(name, "odd") {
				p.asIs = "none"
			}
			if page == nil {
				p.asIs, p.page = "url", one("wh/%zz", "")
			}
			if _, err := keys(t, p.store(t, "s3://lake/wh"), ""); err == nil || !strings.Contains(err.Error(), "lists what cannot be") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// speech is an object store that says some words, and then others.
type speech struct {
	words string
	more  io.Reader
}

// RoundTrip implements http.RoundTripper.
func (s speech) RoundTrip(r *http.Request) (*http.Response, error) {
	text := io.NopCloser(io.MultiReader(strings.NewReader(s.words), s.more))
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: text, Request: r, ContentLength: -1}, nil
}

// A page that never ends is not read to its end, whatever is listed in it.
func TestListOfAnEndlessPage(t *testing.T) {
	name := &endless{}
	store := served(t, speech{"<ListBucketResult><Contents><Key>", name}, "s3://lake")
	if _, err := keys(t, store, ""); err == nil || !strings.Contains(err.Error(), "does not end") || name.read > 17<<20 {
		t.Errorf("%d bytes: %v", name.read, err)
	}
}

// Empty pages on the way are passed over: a store that looks over many deleted objects
// sends some.
func TestListOverEmptyPages(t *testing.T) {
	store := pages{page: func(n int) ([]string, string) {
		if n%5 > 0 {
			return nil, strconv.Itoa(n + 1)
		}
		return []string{fmt.Sprintf("%03d", n)}, []string{strconv.Itoa(n + 1), ""}[n/20]
	}}.store(t, "s3://lake")
	if got, err := keys(t, store, ""); err != nil || len(got) != 5 {
		t.Errorf("got %q, %v", got, err)
	}
}

// Listing 100,000 objects takes the memory of some pages: what is in use does not grow with
// how many came before.
func TestListInBoundedMemory(t *testing.T) {
	const perPage, most = 1000, 8 << 20
	folder := strings.Repeat("a long name of a folder/", 5)
	store := pages{page: func(n int) (names []string, next string) {
		for i := range perPage {
			names = append(names, fmt.Sprintf("%s%08d", folder, n*perPage+i))
		}
		if n+1 < 100_000/perPage {
			next = strconv.Itoa(n + 1)
		}
		return names, next
	}}.store(t, "s3://lake")
	inUse := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, peak, count := inUse(), uint64(0), 0
	for entry, err := range store.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if count++; count%10_000 == 0 {
			peak = max(peak, inUse())
		}
		_ = entry
	}
	if count != 100_000 || peak > before+most {
		t.Errorf("%d objects, %d KiB before and up to %d KiB meanwhile", count, before>>10, peak>>10)
	}
}

// A bucket with objects on both sides of the prefix, and of more than one page.
func TestListOfManyObjects(t *testing.T) {
	for name, start := range map[string]func(testing.TB) lake{"in process": inProcess, "versitygw": versity} {
		t.Run(name, func(t *testing.T) {
			l := start(t)
			bucket := "s3://" + l.bucket(t)
			root, below := l.at(t, quick, bucket), l.at(t, quick, bucket+"/wh")
			for _, beside := range []string{"a", "wh-1/x", "wh.txt", "wh0", "z/z"} {
				if err := root.Create(t.Context(), beside, nil); err != nil {
					t.Fatal(err)
				}
			}
			var want []string
			for i := range 30 {
				want = append(want, fmt.Sprintf("t/%02d", i), fmt.Sprintf("t/%02d-x/f", i))
			}
			for _, key := range want {
				if err := below.Put(t.Context(), key, []byte(key)); err != nil {
					t.Fatal(err)
				}
			}
			slices.Sort(want)
			for _, prefix := range []string{"", "t", "t/"} {
				if got, err := keys(t, below, prefix); err != nil || !slices.Equal(got, want) {
					t.Errorf("%q: got %q, %v", prefix, got, err)
				}
			}
			infos, errs := below.StatAll(t.Context(), append(slices.Clone(want), "t/none", "../x"))
			for i, key := range want {
				if errs[i] != nil || infos[i].Size != int64(len(key)) {
					t.Errorf("%q: %+v, %v", key, infos[i], errs[i])
				}
			}
			if n := len(want); !is(errs[n], warehouse.ErrNotFound) || !is(errs[n+1], warehouse.ErrInvalidKey) {
				t.Errorf("got %v", errs[n:])
			}
		})
	}
}
