package rest

import (
	"strings"
	"testing"
)

// Case 29: what two readers could read differently is refused.
func TestCase29_StrictBodies(t *testing.T) {
	f := serve(t, nil)
	for _, body := range []string{
		`{"namespace":["a"],"namespace":["b"]}`,
		`{"namespace":["a"],"NAMESPACE":["b"]}`,
		`{"Namespace":["a"]}`,
		`{"namespace":["a"],"properties":{"x":"1","x":"2"}}`,
		`{"namespace":["a"]} {}`,
		`{"namespace":["a"]}x`,
		"\ufeff" + `{"namespace":["a"]}`,
		"{\"namespace\":[\"a\"],\"properties\":{\"x\":\"\xff\"}}",
		`{"namespace":["a"],"properties":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`,
		`{'namespace':['a']}`,
	} {
		f.fails(f.do("POST", v1+"/namespaces", body), 400, "BadRequestException")
	}
	equal(t, "namespaces", f.namespaces(""), nil)
	f.must(200, f.do("POST", v1+"/namespaces", ` {"namespace":["a"],"comment":{"x":[1]},"properties":{"X":"1","x":"2"}} `))
	for _, body := range []string{
		`{"name":"t","schema":` + schema + `,"Stage-Create":true}`,
		`{"name":"t","schema":` + schema + `,"stage-create":"true"}`,
		`{"name":"t","schema":` + schema + `,"stage-create":1}`,
		`{"name":1,"schema":` + schema + `}`,
		`{"schema":` + schema + `}`,
		`{"name":"t"}`,
		`{"name":"t","schema":null}`,
		`{"name":"t","schema":[]}`,
		`{"name":"t","schema":{"type":"struct","TYPE":"struct","fields":[]}}`,
		`{"name":"t","schema":` + schema + `,"location":1}`,
		`{"name":"t","schema":` + schema + `,"properties":{"a":true}}`,
	} {
		f.fails(f.do("POST", v1+"/namespaces/a/tables", body), 400, "BadRequestException")
	}
	equal(t, "tables", f.tableNames("a"), nil)
	f.must(200, f.do("POST", v1+"/namespaces/a/tables", `{"name":"t","schema":`+schema+`,"location":null,"partition-spec":null,"write-order":null,"stage-create":null,"properties":null}`))
}

// No parser's own words reach a client (case 108).
func TestDecodingErrorsNameTheKey(t *testing.T) {
	f := serve(t, nil)
	for body, want := range map[string]string{
		`{"namespace":"a"}`:                        `"namespace" of The request must be an array of strings`,
		`{"namespace":["a"],"properties":{"b":1}}`: `"properties" of The request must be an object of strings`,
		`{"NameSpace":["a"]}`:                      `The request has the key "NameSpace", which must be written "namespace"`,
	} {
		equal(t, body, f.fails(f.do("POST", v1+"/namespaces", body), 400, "BadRequestException"), want)
	}
}
