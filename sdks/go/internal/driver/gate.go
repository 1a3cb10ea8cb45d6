package main

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"

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

// refreshAtOnce calls Refresh in several goroutines before the service answers the first of them.
func refreshAtOnce(guard *licensing.Guard, calls int) {
	gate.Lock()
	var begun int64
	var ended sync.WaitGroup
	for i := 0; i < calls; i++ {
		ended.Add(1)
		go func() {
			defer ended.Done()
			atomic.AddInt64(&begun, 1)
			guard.Refresh(context.Background())
		}()
	}
	for atomic.LoadInt64(&begun) < int64(calls) {
		runtime.Gosched()
	}
	gate.Unlock()
	ended.Wait()
}
