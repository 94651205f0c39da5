package config

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// The configurations of docs/object-stores.md and README.md load, and most of them vend.
func TestConfigurationsOfObjectStoresLoad(t *testing.T) {
	page, err := os.ReadFile(filepath.FromSlash("../../../docs/object-stores.md"))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.FromSlash("../../../README.md"))
	if err != nil {
		t.Fatal(err)
	}
	env := environment("PUDDLE_TOKEN", "secret", "PUDDLE_AWS_ACCESS_KEY_ID", "key", "PUDDLE_AWS_SECRET_ACCESS_KEY", "secret")
	loaded, vending := 0, 0
	for _, shown := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(append(page, readme...), -1) {
		c, err := parse("a page", shown[1], env)
		if err != nil {
			t.Errorf("%s\n%v", shown[1], err)
			continue
		}
		if loaded++; c.Warehouses[0].S3.Vended.Enabled {
			vending++
		}
	}
	if loaded < 6 || vending < 4 {
		t.Errorf("%d configurations, %d with vended credentials", loaded, vending)
	}
}
