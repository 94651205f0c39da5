package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"puddle/cmd/puddle/config"
)

// cli is the grammar of the command line.
type cli struct {
	Config   string           `short:"c" placeholder:"FILE" help:"The configuration; without one, everything is kept below ./puddle-data."`
	LogLevel *string          `placeholder:"LEVEL" enum:"debug,info,warn,error" help:"What is logged: debug, info, warn or error; overrides the configuration."`
	Build    kong.VersionFlag `name:"version" help:"Say which build this is, and do nothing else."`

	Serve       serveCmd       `cmd:"" default:"withargs" help:"Run the catalog. This is what happens without a command."`
	Log         logCmd         `cmd:"" help:"The events of a warehouse, newest first."`
	History     historyCmd     `cmd:"" help:"Every pointer that a table or view has had, oldest first."`
	At          atCmd          `cmd:"" help:"The catalog as it was: namespaces, names and pointers."`
	Diff        diffCmd        `cmd:"" help:"What changed between two points."`
	Status      statusCmd      `cmd:"" help:"How the catalog is: heads, pointer tables, purges."`
	Undrop      undropCmd      `cmd:"" help:"Bring a dropped table or view back."`
	Repoint     repointCmd     `cmd:"" help:"Move a table or view to another of its metadata files."`
	Recover     recoverCmd     `cmd:"" help:"Rebuild the catalog from the best evidence that is left of it."`
	Journal     journalCmd     `cmd:"" help:"Look after the journal's file."`
	Verify      verifyCmd      `cmd:"" help:"Prove that the catalog is what its journal says, and mend what the journal can prove."`
	Check       configCmd      `cmd:"" name:"config" help:"Look at the configuration."`
	Version     versionCmd     `cmd:"" help:"Say which build this is."`
	Healthcheck healthcheckCmd `cmd:"" help:"Ask a server whether it is alive."`
}

// session is one run of the command line.
type session struct {
	stdout, stderr io.Writer
	stop, force    context.Context // end after the first and the second signal

	file     string // of the configuration; empty for the default
	logLevel string // overrides the configuration's; may be empty
}

// run runs a command line and answers the exit code. The report is on stdout,
// everything else on stderr.
func run(args []string, s *session) int {
	var grammar cli
	helped, args := false, helpAsked(args)
	parser, err := kong.New(&grammar, kong.Name("puddle"),
		kong.Description("An Apache Iceberg REST catalog whose truth is a journal of events."),
		kong.Writers(s.stdout, s.stderr), kong.Exit(func(int) { helped = true }), kong.Help(help), kong.Vars{"version": buildReport().String()},
	)
	if err != nil {
		return s.end(err)
	}
	s.file = fileOf(args)
	parsed, err := parser.Parse(args)
	switch {
	case helped:
		return codeDone
	case err != nil && slices.Contains(args, "--nagios"):
		return s.end(s.plugin(pluginUnknown, misused(args, err).Error(), ""))
	case err != nil:
		return s.end(&failure{codeUsage, misused(args, err)})
	}
	s.file = grammar.Config
	if grammar.LogLevel != nil {
		s.logLevel = *grammar.LogLevel
	}
	return s.end(parsed.Run(s))
}

// laterCommands are those that this build does not have yet.
var laterCommands = []string{
	"holds", "hazards", "backup", "restore", "drill",
	"roots", "relocate", "hive", "warehouse",
}

// misused says what is wrong with a command line.
func misused(args []string, err error) error {
	if first := command(args); slices.Contains(laterCommands, first) {
		return fmt.Errorf("%s is not in this build", first)
	} else if unknown := noCommand(first, err); unknown != nil {
		return unknown
	}
	var parse *kong.ParseError
	if errors.As(err, &parse) && strings.HasPrefix(err.Error(), `expected "<`) {
		if asked, ok := parse.Context.Selected().Target.Addr().Interface().(example); ok {
			return fmt.Errorf("expected %s (see puddle --help)", asked.example())
		}
	}
	return fmt.Errorf("%w (see puddle --help)", err)
}

// example is implemented by commands whose arguments are all needed: their names, and how
// they are given.
type example interface{ example() string }

// command is the first word of a command line that is neither a flag nor its value.
func command(args []string) string {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "-c", arg == "--config", arg == "--log-level":
			i++
		case !strings.HasPrefix(arg, "-"):
			return arg
		}
	}
	return ""
}

// end tells an error and answers its exit code.
func (s *session) end(err error) int {
	var invalid *config.Error
	var said plugin
	switch {
	case errors.As(err, &said):
	case errors.As(err, &invalid):
		fmt.Fprintln(s.stderr, err) // FILE:LINE: … on each line
	case err != nil:
		fmt.Fprintln(s.stderr, "puddle:", s.typed(err.Error()))
	}
	code := exitCode(err)
	if some := (partly{}); code == codeRefused && !errors.As(err, &some) {
		fmt.Fprintln(s.stderr, "puddle: nothing was changed"+s.typed(next(err)))
	}
	return code
}

// help shows alternatives as such, and ends every help text with the exit codes.
func help(options kong.HelpOptions, ctx *kong.Context) error {
	var printed bytes.Buffer
	stdout := ctx.Stdout
	ctx.Stdout = &printed
	err := kong.DefaultHelpPrinter(options, ctx)
	ctx.Stdout = stdout
	if err != nil {
		return err
	}
	text := printed.String()
	codes := slices.Collect(maps.Keys(codeMeanings)) // those of all commands
	if selected := ctx.Selected(); selected != nil {
		codes = codesOf(selected.Target.Addr().Interface())
	}
	for _, leaf := range ctx.Model.Leaves(true) {
		all, either := alternatives(leaf.Flags)
		text = strings.ReplaceAll(text, " "+all+" ", " "+either+" ")
	}
	_, err = io.WriteString(stdout, text+exitHelp(codes))
	return err
}

// alternatives are the flags of which exactly one is needed, as a usage line lists
// them, and as it should.
func alternatives(flags []*kong.Flag) (all, either string) {
	var words []string
	for _, f := range flags {
		if f.Required && len(f.Xor) > 0 {
			words = append(words, f.Summary())
		}
	}
	if len(words) < 2 {
		return "", ""
	}
	return strings.Join(words, " "), "(" + strings.Join(words, " | ") + ")"
}

// config reads the configuration of this run.
func (s *session) config() (config.Config, error) {
	read := config.Default
	if s.file != "" {
		read = func() (config.Config, error) { return config.Load(s.file) }
	}
	c, err := read()
	var invalid *config.Error
	if err != nil && !errors.As(err, &invalid) {
		err = &failure{codeUsage, err}
	}
	if s.logLevel != "" {
		c.Logging.Level = s.logLevel
	}
	return c, err
}
