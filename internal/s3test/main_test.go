package s3test_test

import (
	"os"
	"testing"

	"puddle/internal/s3test"
)

func TestMain(m *testing.M) { os.Exit(s3test.Main(m)) }
