package verify_test

import (
	"os"
	"testing"

	"puddle/internal/quicktest"
)

func TestMain(m *testing.M) { os.Exit(quicktest.Tests(m).Run()) }
