package main

import (
	"context"
	"net/http"
	"sync"

	licensing "licensing.example.com/sdk"
)

// gateTransport lets the driver hold every request until calls that must overlap have begun.
type gateTransport struct{ sync.RWMutex }

var gate gateTransport

func (g *gateTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	g.RLock()
	g.RUnlock()
	return http.DefaultTransport.RoundTrip(request)
}

// waitedContext reports that a call waits for its end, which a call of Refresh does once it shares a check.
type waitedContext struct {
	context.Context
	once    sync.Once
	waiting *sync.WaitGroup
}

func (c *waitedContext) Done() <-chan struct{} {
	c.once.Do(c.waiting.Done)
	return c.Context.Done()
}

// refreshAtOnce calls Refresh in several goroutines before the service answers the first of them.
func refreshAtOnce(guard *licensing.Guard, calls int) {
	gate.Lock()
	var waiting, ended sync.WaitGroup
	waiting.Add(calls)
	ended.Add(calls)
	for i := 0; i < calls; i++ {
		go func() {
			defer ended.Done()
			ctx := &waitedContext{Context: context.Background(), waiting: &waiting}
			guard.Refresh(ctx)
			// A guard that was stopped starts no check, so nothing waited for its end.
			ctx.Done()
		}()
	}
	waiting.Wait()
	gate.Unlock()
	ended.Wait()
}
