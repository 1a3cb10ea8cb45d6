package main

import (
	"context"
	"errors"
	"sort"
	"sync"
	"time"
)

// simulatedTime is the clock of every guard, which only the runner moves.
type simulatedTime struct {
	mutex   sync.Mutex
	realMs  int64
	aheadMs int64
	lastID  int
	timers  map[int]*simulatedTimer
}

type simulatedTimer struct {
	id    int
	dueMs int64
	owner string
	task  func()
}

// ownedClock is the simulated time of one guard, whose timers end with its process.
type ownedClock struct {
	*simulatedTime
	owner string
}

func (c ownedClock) Now() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return time.UnixMilli(c.realMs + c.aheadMs)
}

func (c ownedClock) Monotonic() time.Duration {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return time.Duration(c.realMs) * time.Millisecond
}

func (c ownedClock) AfterFunc(delay time.Duration, task func()) func() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.lastID++
	id := c.lastID
	c.timers[id] = &simulatedTimer{id: id, dueMs: c.realMs + delay.Milliseconds(), owner: c.owner, task: task}
	return func() {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		delete(c.timers, id)
	}
}

func (c ownedClock) Sleep(context.Context, time.Duration) error { return nil }

func (c ownedClock) Random() float64 { return 0.5 }

// next returns the timer that fires first, or nil.
func (t *simulatedTime) next() *simulatedTimer {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	waiting := []*simulatedTimer{}
	for _, timer := range t.timers {
		waiting = append(waiting, timer)
	}
	sort.Slice(waiting, func(i, j int) bool {
		if waiting[i].dueMs != waiting[j].dueMs {
			return waiting[i].dueMs < waiting[j].dueMs
		}
		return waiting[i].id < waiting[j].id
	})
	if len(waiting) == 0 {
		return nil
	}
	return waiting[0]
}

// simulatedStore is a text between the runs of an application, which a case damages or makes unusable.
type simulatedStore struct {
	text      string
	isFailing bool
	// holders has the name of a guard for each hold.
	holders map[int]string
	lastID  int
}

// ownedStore is the store in the hands of one guard, whose hold ends with its process.
type ownedStore struct {
	*simulatedStore
	owner string
}

func (s ownedStore) Hold() (func() (bool, error), error) {
	if s.isFailing {
		return nil, errors.New("the store fails")
	}
	s.lastID++
	id := s.lastID
	s.holders[id] = s.owner
	return func() (bool, error) {
		delete(s.holders, id)
		if s.isFailing {
			return false, errors.New("the store fails")
		}
		return len(s.holders) == 0, nil
	}, nil
}

func (s *simulatedStore) Read() (string, error) {
	if s.isFailing {
		return "", errors.New("the store fails")
	}
	return s.text, nil
}

func (s *simulatedStore) Write(text string) error {
	if s.isFailing {
		return errors.New("the store fails")
	}
	s.text = text
	return nil
}
