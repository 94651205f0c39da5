package projections_test

import (
	"testing"

	"puddle/projections"
	"puddle/projections/projectiontest"
)

func TestMemory(t *testing.T) {
	projectiontest.Run(t, func(testing.TB) projectiontest.Opened {
		return projectiontest.Opened{Store: projections.NewMemory()}
	})
}
