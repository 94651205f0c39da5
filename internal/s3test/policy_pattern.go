package s3test

import "strings"

// token is a part of a pattern: text as it stands, or a wildcard.
type token struct {
	text string
	wild byte // '*' or '?', 0 for text
}

// matches tells whether a pattern of a policy fits all of a text: * is any characters,
// slashes too, and ? is any one. With variables, ${*}, ${?} and ${$} are the characters
// themselves, and any other has no value, so that nothing fits.
func matches(pattern, text string, variables bool) bool {
	tokens, ok := tokenize(pattern, variables)
	return ok && fits(tokens, text)
}

// equal is matches with wildcards that are no more than characters.
func equal(value, text string, variables bool) bool {
	tokens, ok := tokenize(value, variables)
	for i, t := range tokens {
		if t.wild != 0 {
			tokens[i] = token{text: string(t.wild)}
		}
	}
	return ok && fits(tokens, text)
}

func tokenize(pattern string, variables bool) (tokens []token, ok bool) {
	for pattern != "" {
		if variables && strings.HasPrefix(pattern, "${") {
			name, rest, closed := strings.Cut(pattern[2:], "}")
			if !closed || name != "*" && name != "?" && name != "$" {
				return nil, false
			}
			tokens, pattern = append(tokens, token{text: name}), rest
			continue
		}
		if c := pattern[0]; c == '*' || c == '?' {
			tokens, pattern = append(tokens, token{wild: c}), pattern[1:]
			continue
		}
		n := 1
		for n < len(pattern) && !strings.ContainsRune("*?$", rune(pattern[n])) {
			n++
		}
		tokens, pattern = append(tokens, token{text: pattern[:n]}), pattern[n:]
	}
	return tokens, true
}

// fits takes back only the last *, so that it is never slow.
func fits(tokens []token, text string) bool {
	star, kept := -1, "" // where the last * stands, and what is not taken by it
	for i := 0; ; {
		switch {
		case i == len(tokens) && text == "":
			return true
		case i < len(tokens) && tokens[i].wild == '*':
			star, kept = i, text
			i++
			continue
		case i < len(tokens) && tokens[i].wild == '?' && text != "":
			i, text = i+1, text[runeLength(text):]
			continue
		case i < len(tokens) && tokens[i].wild == 0 && strings.HasPrefix(text, tokens[i].text):
			i, text = i+1, text[len(tokens[i].text):]
			continue
		}
		if star < 0 || kept == "" {
			return false
		}
		kept = kept[runeLength(kept):]
		i, text = star+1, kept
	}
}

// runeLength is that of the first character.
func runeLength(s string) int {
	for i := range s[1:] {
		if c := s[i+1]; c&0xC0 != 0x80 {
			return i + 1
		}
	}
	return len(s)
}
