package licensing

import (
	"context"
	"math/rand"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// impatientClock fires every timer after at most a millisecond, so that checks and heartbeats meet all other calls.
type impatientClock struct{ systemClock }

func (c impatientClock) AfterFunc(delay time.Duration, task func()) func() {
	if delay > time.Millisecond {
		delay = time.Millisecond
	}
	return c.systemClock.AfterFunc(delay, task)
}

// moodyService takes its time and sometimes does not answer, and knows who has the seat.
type moodyService struct {
	yesService
	mutex  sync.Mutex
	isHeld bool
}

func (s *moodyService) wait(ctx context.Context) error {
	if rand.Intn(4) == 0 {
		return &Error{Code: CodeNetworkUnreachable, Message: "The network fails."}
	}
	timer := time.NewTimer(time.Duration(rand.Intn(300)) * time.Microsecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return aborted(ctx.Err())
	}
}

func (s *moodyService) hold(isHeld bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.isHeld = isHeld
}

func (s *moodyService) Validate(ctx context.Context, key string, question Question) (*Verdict, error) {
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	return s.yesService.Validate(ctx, key, question)
}

func (s *moodyService) Activate(ctx context.Context, key string, device Device) (*Activation, error) {
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	s.hold(true)
	return s.yesService.Activate(ctx, key, device)
}

func (s *moodyService) Heartbeat(ctx context.Context, key, id string) (*Activation, error) {
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	return s.yesService.Heartbeat(ctx, key, id)
}

func (s *moodyService) Deactivate(ctx context.Context, key, id string) (*Deleted, error) {
	s.hold(false)
	return s.yesService.Deactivate(ctx, key, id)
}

// A call that never returns ends this test by the timeout of `go test`, which prints where every goroutine waits.
func TestCallsAtTheSameTimeAllReturnAndTheLastOneCounts(t *testing.T) {
	rand.Seed(time.Now().UnixNano())
	for round := 0; round < 20; round++ {
		service := &moodyService{}
		var guard *Guard
		var isCalm int32
		guard, err := NewGuard(GuardOptions{
			Client: service, LicenseKey: "KEY", Store: MemoryStore(), Unsigned: true, Clock: impatientClock{},
			Fingerprint: func() (string, error) { return "machine", nil },
			OnChange: func(State) {
				if rand.Intn(8) == 0 && atomic.LoadInt32(&isCalm) == 0 {
					guard.Refresh(context.Background())
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		useAtOnce(guard)
		// A listener that asks for a check after Stop gets one.
		atomic.StoreInt32(&isCalm, 1)
		eventually(t, "all listeners have heard", guard.events.isIdle)
		guard.Start(context.Background())
		eventually(t, "the next check is due", guard.hasTimer)
		guard.Stop(context.Background())
		guard.Refresh(context.Background())
		guard.Stop(context.Background())
		service.mutex.Lock()
		if guard.hasTimer() || service.isHeld {
			t.Fatalf("a timer: %v, a seat: %v", guard.hasTimer(), service.isHeld)
		}
		service.mutex.Unlock()
	}
}

func (q *eventQueue) isIdle() bool {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	return !q.isDelivering && len(q.waiting) == 0
}

// useAtOnce calls a guard from several goroutines, with contexts that end at any moment.
func useAtOnce(guard *Guard) {
	calls := []func(context.Context){
		func(ctx context.Context) { guard.Start(ctx) },
		func(ctx context.Context) { guard.StartFresh(ctx) },
		func(ctx context.Context) { guard.Refresh(ctx) },
		func(ctx context.Context) { guard.Stop(ctx) },
		func(ctx context.Context) { _, _ = guard.Activate(ctx, "KEY") },
		func(ctx context.Context) { _, _ = guard.ReleaseDevice(ctx, "other") },
		func(ctx context.Context) { _, _ = guard.Devices(ctx) },
		func(context.Context) { _, _ = guard.ImportCertificate("{}") },
		func(context.Context) { guard.State(); guard.Has("export") },
	}
	var ended sync.WaitGroup
	for i := 0; i < 8; i++ {
		ended.Add(1)
		go func() {
			defer ended.Done()
			for call := 0; call < 20; call++ {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rand.Intn(1000))*time.Microsecond)
				calls[rand.Intn(len(calls))](ctx)
				cancel()
			}
		}()
	}
	ended.Wait()
}
