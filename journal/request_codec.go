package journal

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
)

// AnswerVersion is the version of a stored answer.
//
//	1: the fields of storedAnswer, a line end, the body.
const AnswerVersion = 1

// storedAnswer is the first line of a stored answer, canonical JSON like a
// record. The bytes of the body follow as they are.
type storedAnswer struct {
	Actor   Actor  `json:"actor"`
	Key     string `json:"key"`
	Request Digest `json:"request-sha256"`
	Route   string `json:"route"`
	Seq     Seq    `json:"seq,omitzero"`
	Status  int    `json:"status,omitzero"`
	Until   int64  `json:"until"`
	V       int    `json:"v"`
}

// EncodeAnswer writes the bytes that a journal keeps of an answer. Errors are
// those of Answer.Check.
func EncodeAnswer(a Answer) ([]byte, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	data, ok := written(func(w *writer) { w.answer(a) })
	if !ok {
		return nil, fmt.Errorf("%w: it is not valid UTF-8", ErrRequest)
	}
	return data, nil
}

// answer writes the line of an answer and its body.
func (w *writer) answer(a Answer) {
	w.raw(`{"actor":`)
	w.text(string(a.Actor))
	w.raw(`,"key":`)
	w.text(a.Key)
	w.raw(`,"request-sha256":`)
	w.digest(a.Request.Body)
	w.raw(`,"route":`)
	w.text(a.Route)
	if a.Seq != 0 {
		w.raw(`,"seq":`)
		w.seq(a.Seq)
	}
	if a.Status != 0 {
		w.raw(`,"status":`)
		w.integer(int64(a.Status))
	}
	w.raw(`,"until":`)
	w.integer(a.Until.UnixMilli())
	w.raw(`,"v":`)
	w.integer(AnswerVersion)
	w.raw("}\n")
	w.out = append(w.out, a.Body...)
}

// EncodeAnswers is EncodeAnswer for answers that are remembered together, with
// the errors of CheckAnswers.
func EncodeAnswers(answers []Answer) ([][]byte, error) {
	if err := CheckAnswers(answers); err != nil {
		return nil, err
	}
	values := make([][]byte, len(answers))
	for i, a := range answers {
		var err error
		if values[i], err = EncodeAnswer(a); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// EncodeRequests is EncodeAnswer for the requests of a group; nil for an entry
// that has none.
func EncodeRequests(entries []Entry) ([][]byte, error) {
	values := make([][]byte, len(entries))
	for i, e := range entries {
		if e.Request == nil {
			continue
		}
		var err error
		if values[i], err = EncodeAnswer(Answer{Request: *e.Request, Seq: e.Event.Seq}); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// DecodeAnswer reads what EncodeAnswer wrote, strictly: bytes that encoding the answer again would
// not give are ErrRequest. A version this build does not know is ErrNewer.
func DecodeAnswer(data []byte) (Answer, error) {
	line, body, ok := bytes.Cut(data, []byte("\n"))
	if !ok {
		return Answer{}, fmt.Errorf("%w: its first line does not end", ErrRequest)
	}
	var s storedAnswer
	err := json.Unmarshal(line, &s, json.RejectUnknownMembers(true))
	if v := peekVersion(line); v > AnswerVersion {
		return Answer{}, fmt.Errorf("%w: answer version %d, this build reads %d", ErrNewer, v, AnswerVersion)
	}
	if err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrRequest, err)
	}
	a := Answer{
		Request: Request{Actor: s.Actor, Key: s.Key, Route: s.Route, Body: s.Request, Until: fromMillis(s.Until)},
		Seq:     s.Seq, Status: s.Status,
	}
	if len(body) > 0 {
		a.Body = bytes.Clone(body)
	}
	again, err := EncodeAnswer(a)
	if err != nil {
		return Answer{}, err
	}
	if !bytes.Equal(again, data) {
		return Answer{}, fmt.Errorf("%w: its bytes are not in the canonical form", ErrRequest)
	}
	return a, nil
}
