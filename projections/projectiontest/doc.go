// Package projectiontest is what every store of pointers must do: each
// implementation of projections.Store runs [Run]. The model is projections.State,
// and the random histories come from journaltest with a model of their own, so
// that store, State and story are three opinions on one history.
package projectiontest
