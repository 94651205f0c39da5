package main

import "os"

func main() {
	stop := signals()
	os.Exit(run(os.Args[1:], &session{stdout: os.Stdout, stderr: os.Stderr, stop: stop.first, force: stop.second}))
}
