package docs_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	fragment  = regexp.MustCompile(`\]\(([^)#:]*)#([^)]+)\)`)
	heading   = regexp.MustCompile(`(?m)^#+ (.*)$`)
	inLink    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	noAnchor  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	codeBlock = regexp.MustCompile("(?s)```.*?```")
)

// headings are the anchors of a page, as GitHub makes them.
func headings(text string) map[string]bool {
	found := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		title := strings.ToLower(inLink.ReplaceAllString(h[1], "$1"))
		found[strings.ReplaceAll(noAnchor.ReplaceAllString(title, ""), " ", "-")] = true
	}
	return found
}

// TestFragmentsAreHeadings: a link to a part of a page leads to a heading of it.
func TestFragmentsAreHeadings(t *testing.T) {
	all := pages(t)
	for page, text := range all {
		for _, found := range fragment.FindAllStringSubmatch(text, -1) {
			target := page
			if found[1] != "" {
				target = filepath.Join(filepath.Dir(page), found[1])
			}
			if linked, ok := all[target]; ok && !headings(linked)[found[2]] {
				t.Errorf("%s links to %s#%s, and there is no such heading", page, target, found[2])
			}
		}
	}
}
