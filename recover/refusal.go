package recover

import "fmt"

// Refusal says why a catalog is not started as it lies there. Nothing was
// changed.
type Refusal struct {
	Warehouse string // its name; empty when it is about none
	Reason    string // what was seen
	Command   string // what to run, if that is what the operator wants; may be empty
	Err       error  // what lies behind it; may be nil
}

// Error is the reason and the command.
func (r *Refusal) Error() string {
	s := r.Reason
	if r.Warehouse != "" {
		s = fmt.Sprintf("warehouse %s: %s", r.Warehouse, s)
	}
	if r.Command != "" {
		s += "; see: " + r.Command
	}
	return s
}

// Unwrap gives what lies behind.
func (r *Refusal) Unwrap() error { return r.Err }

// The commands that refusals name.
func recoverCommand(name string) string { return "puddle recover --warehouse " + name }

func metastoreCommand(name string) string { return recoverCommand(name) + " --from metastore" }
