package config

import "strings"

// Meant is the known word that somebody most likely meant by one that nobody knows: the
// nearest, the first of several. It is "" where none is near. Case, hyphens and underscores
// make no difference; of three letters one may be wrong, missing, in excess, or swapped
// with the next.
func Meant(word string, known []string) string {
	wrote, best := []rune(bare(word)), ""
	least := (len(wrote)+1)/3 + 1
	for _, k := range known {
		if d := distance(wrote, []rune(bare(k))); d < least {
			best, least = k, d
		}
	}
	return best
}

// bare is a word without what people write in different ways.
func bare(word string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(word))
}

// distance is how many letters must be changed, added, removed or swapped with the next to
// make one word of another (optimal string alignment).
func distance(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range b {
		rows[0][j+1] = j + 1
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			rows[i][j] = min(change, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
