package licensing

import (
	"sync"
	"time"
)

// clockMemory is what a guardClock keeps between the runs of an application, in milliseconds.
type clockMemory struct {
	// latestMs is the latest time that was seen, in the time of the service, since 1970.
	latestMs int64
	// offsetMs must be added to the clock of this machine to get the time of the service, as of the last answer.
	offsetMs int64
}

// guardClock tells the time of the service from the clock of this machine, and notices when that clock is set back. A clock
// that is always wrong by the same amount disturbs nothing. While the process runs, time passes even if somebody holds the
// clock.
type guardClock struct {
	clock         Clock
	toleranceMs   int64
	mutex         sync.Mutex
	lastMonotonic time.Duration
	memory        clockMemory
}

func newGuardClock(clock Clock, tolerance time.Duration) *guardClock {
	return &guardClock{clock: clock, toleranceMs: tolerance.Milliseconds(), lastMonotonic: clock.Monotonic()}
}

func (c *guardClock) kept() clockMemory {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.memory
}

// adopt takes over what an earlier or another process has seen.
func (c *guardClock) adopt(seen clockMemory) {
	c.read()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	// Times with different offsets cannot be compared.
	if seen.offsetMs == c.memory.offsetMs && c.memory.latestMs > seen.latestMs {
		seen.latestMs = c.memory.latestMs
	}
	c.memory = seen
}

// synchronize takes over the time of an answer of the service. It also corrects a clock that had been ahead.
func (c *guardClock) synchronize(serverMs int64) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.lastMonotonic = c.clock.Monotonic()
	c.memory = clockMemory{latestMs: serverMs, offsetMs: serverMs - c.clock.Now().UnixMilli()}
}

// read returns the time, never before the latest one, and whether the clock was set back by more than the tolerance.
func (c *guardClock) read() (nowMs int64, isSetBack bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	monotonic := c.clock.Monotonic()
	passed := monotonic - c.lastMonotonic
	if passed < 0 {
		passed = 0
	}
	c.lastMonotonic = monotonic
	clockMs := c.clock.Now().UnixMilli() + c.memory.offsetMs
	atLeastMs := c.memory.latestMs + passed.Milliseconds()
	c.memory.latestMs = atLeastMs
	if clockMs > atLeastMs {
		c.memory.latestMs = clockMs
	}
	return c.memory.latestMs, clockMs < atLeastMs-c.toleranceMs
}
