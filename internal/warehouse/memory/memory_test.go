package memory_test

import (
	"testing"

	"puddle/internal/warehouse"
	"puddle/internal/warehouse/memory"
	"puddle/internal/warehouse/warehousetest"
)

func TestStore(t *testing.T) {
	warehousetest.Run(t, func(*testing.T) warehouse.Store { return memory.New() })
}
