package licensing

import (
	"context"
	"math/rand"
	"sync"
	"time"
)

// Clock is the time of a client, a guard or a recorder. A test passes its own; everybody else leaves it nil.
type Clock interface {
	// Now is the clock of this machine, which a user can set.
	Now() time.Time
	// Monotonic is a clock that nobody can set.
	Monotonic() time.Duration
	// AfterFunc calls task once, in a goroutine of its own, and returns the function that prevents it.
	AfterFunc(delay time.Duration, task func()) (stop func())
	// Sleep waits, or returns the error of the context if that ends before.
	Sleep(ctx context.Context, delay time.Duration) error
	// Random returns a number from 0 to 1, which spreads the requests of many machines.
	Random() float64
}

var processStart = time.Now()

// random has a seed of its own, because math/rand of Go 1.19 starts every process with the same numbers.
var random = struct {
	mutex  sync.Mutex
	source *rand.Rand
}{source: rand.New(rand.NewSource(processStart.UnixNano()))}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Monotonic() time.Duration { return time.Since(processStart) }

func (systemClock) AfterFunc(delay time.Duration, task func()) func() {
	timer := time.AfterFunc(delay, task)
	return func() { timer.Stop() }
}

func (systemClock) Sleep(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (systemClock) Random() float64 {
	random.mutex.Lock()
	defer random.mutex.Unlock()
	return random.source.Float64()
}

func orSystem(clock Clock) Clock {
	if clock == nil {
		return systemClock{}
	}
	return clock
}
