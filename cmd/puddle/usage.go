package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/alecthomas/kong"

	"puddle/cmd/puddle/config"
)

// helpAsked gives a command line that asks "help [COMMAND]" the flag that means the same.
func helpAsked(args []string) []string {
	if command(args) != "help" {
		return args
	}
	at := slices.Index(args, "help")
	if at > 0 && slices.Contains([]string{"-c", "--config", "--log-level"}, args[at-1]) { // a file of that name
		at++
		at += slices.Index(args[at:], "help")
	}
	return append(slices.Delete(slices.Clone(args), at, at+1), "--help")
}

// noCommand says that a word is no command, and which one was meant; nil where it is one.
func noCommand(word string, err error) error {
	parse, ok := errors.AsType[*kong.ParseError](err)
	if word == "" || !ok {
		return nil
	}
	var known []string
	for _, c := range parse.Context.Model.Children {
		known = append(known, c.Name)
	}
	if slices.Contains(known, word) {
		return nil
	}
	meant := config.Meant(word, known)
	if meant == "" {
		return nil
	}
	return fmt.Errorf("unexpected argument %s, did you mean %q? (see puddle --help)", word, meant)
}
