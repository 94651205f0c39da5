package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// stops are the two steps of ending a process: the first signal asks it to
// finish what it does, the second to leave that.
type stops struct{ first, second context.Context }

func signals() stops {
	first, stop := context.WithCancel(context.Background())
	second, force := context.WithCancel(context.Background())
	received := make(chan os.Signal, 2)
	signal.Notify(received, syscall.SIGTERM, os.Interrupt)
	go func() {
		<-received
		stop()
		<-received
		force()
	}()
	return stops{first, second}
}
