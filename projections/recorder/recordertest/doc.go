// Package recordertest is what every recorder.Database must do ([Run]), and what tests
// of recorders have in common: [Client] wants things, [Outcomes] is what clients were
// told, and [CheckLaws] compares everything that is derived with the journal.
package recordertest
