package rest

import (
	"net/http"
	"sync"
	"testing"
)

// Of many creates of one name exactly one wins, and leaves the only file.
func TestCreatesOfOneName(t *testing.T) {
	f := serve(t, nil)
	f.ns("n")
	const clients = 32
	statuses := make([]int, clients)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			statuses[i] = f.do(http.MethodPost, v1+"/namespaces/n/tables", `{"name":"t","schema":`+schema+`}`).StatusCode
		})
	}
	all.Wait()
	count := map[int]int{}
	for _, status := range statuses {
		count[status]++
	}
	if count[200] != 1 || count[409] != clients-1 {
		t.Errorf("answers by status: %v", count)
	}
	files := 0
	for _, err := range f.stores["default"].List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		files++
	}
	if files != 1 {
		t.Errorf("%d files are left", files)
	}
}
