package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// decoder reads one file and gathers what is wrong with it.
type decoder struct {
	file     string
	env      func(string) (string, bool)
	lines    map[string]int // of keys, by their dotted path
	problems []Problem

	unset      map[*yaml.Node]bool // values with a variable that is not there
	unreadKeys map[string]bool     // those of which it is not known what they hold
	variables  map[string]string   // those that a value is told by, by the dotted path of its key
}

func newDecoder(file string, env func(string) (string, bool)) *decoder {
	return &decoder{
		file: file, env: env, lines: map[string]int{},
		unset: map[*yaml.Node]bool{}, unreadKeys: map[string]bool{}, variables: map[string]string{},
	}
}

// tree parses the file and replaces its variables. An empty file has no tree. An error is
// that it is no YAML, of which nothing else can be told.
func (d *decoder) tree(data []byte) (*yaml.Node, error) {
	var document, second yaml.Node
	in := yaml.NewDecoder(bytes.NewReader(data))
	err := in.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err == nil && !errors.Is(in.Decode(&second), io.EOF) {
		err = errors.New("the file holds more than one document")
	}
	if err != nil {
		return nil, &Error{d.file, []Problem{notYAML(err)}}
	}
	root := document.Content[0]
	d.walk("", root)
	return root, nil
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

func notYAML(err error) Problem {
	text := err.Error()
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ := strconv.Atoi(m[1])
		return Problem{Line: line, Text: "not YAML: " + text[len(m[0]):]}
	}
	return Problem{Text: "not YAML: " + strings.TrimPrefix(text, "yaml: ")}
}

// walk notes the lines of all keys below one, refuses those that are there
// twice, and replaces variables in scalar values. What an alias stands for is
// walked where it is written.
func (d *decoder) walk(key string, n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			name, value := n.Content[i], n.Content[i+1]
			child := join(key, name.Value)
			if first, twice := d.lines[child]; twice {
				d.problems = append(d.problems, Problem{name.Line, child, fmt.Sprintf("set twice, first in line %d", first)})
				d.unread(child)
				continue
			}
			d.lines[child] = name.Line
			d.walk(child, value)
		}
	case yaml.SequenceNode:
		for i, value := range n.Content {
			child := item(key, i)
			d.lines[child] = value.Line
			d.walk(child, value)
		}
	case yaml.ScalarNode:
		if names := variable.FindAllString(n.Value, -1); len(names) > 0 {
			d.variables[key] = strings.Join(names, ", ")
		}
		value, err := expand(n.Value, d.env)
		if err != nil {
			d.fail(key, "%v", err)
			d.unset[n] = true
		}
		n.Value = value
	}
}

func join(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}

func item(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }

var variable = regexp.MustCompile(`\$(\$|[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\})?`)

// expand replaces $NAME and ${NAME} by variables of the environment, and $$ by
// a dollar. What it puts in is not looked at again.
func expand(s string, env func(string) (string, bool)) (string, error) {
	var first error
	out := variable.ReplaceAllStringFunc(s, func(found string) string {
		name := strings.Trim(found[1:], "{}")
		switch name {
		case "$":
			return "$"
		case "":
			first = firstOf(first, errors.New("a dollar begins no variable; $$ is a literal dollar"))
			return found
		}
		value, ok := env(name)
		if !ok {
			first = firstOf(first, fmt.Errorf("the environment variable %s is not set", name))
		}
		return value
	})
	return out, first
}

// firstOf keeps the first of two errors.
func firstOf(first, second error) error {
	if first != nil {
		return first
	}
	return second
}
