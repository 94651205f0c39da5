package probe

import (
	"encoding/json"
	"time"
)

type reportBody struct {
	At    string     `json:"at"`
	Took  float64    `json:"took-ms"`
	Steps []stepBody `json:"steps"`
	Ahead *float64   `json:"clock-ahead-seconds"` // null: the store does not tell
	Left  []string   `json:"left"`
}

type stepBody struct {
	Step    string  `json:"step"`
	Verdict Verdict `json:"verdict"`
	Took    float64 `json:"took-ms"`
	Reason  string  `json:"reason,omitempty"`
}

// MarshalJSON implements json.Marshaler. Its keys are promises.
func (r Report) MarshalJSON() ([]byte, error) {
	body := reportBody{At: r.At.UTC().Format("2006-01-02T15:04:05.000Z"), Took: milliseconds(r.Took), Steps: []stepBody{}, Left: []string{}}
	for _, s := range r.Steps {
		step := stepBody{Step: s.Name, Verdict: s.Verdict, Took: milliseconds(s.Took)}
		if s.Err != nil {
			step.Reason = s.Err.Error()
		}
		body.Steps = append(body.Steps, step)
	}
	if r.Ahead != nil {
		seconds := r.Ahead.Seconds()
		body.Ahead = &seconds
	}
	body.Left = append(body.Left, r.Left...)
	return json.Marshal(body)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
