package licensing

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"
)

// slowService answers a question when the test lets it, and counts the calls that free the seat.
type slowService struct {
	yesService
	asked   chan struct{}
	answers chan struct{}
	mutex   sync.Mutex
	freed   int
}

func newSlowService() *slowService {
	return &slowService{asked: make(chan struct{}, 100), answers: make(chan struct{}, 100)}
}

func (s *slowService) Validate(ctx context.Context, key string, question Question) (*Verdict, error) {
	s.asked <- struct{}{}
	select {
	case <-s.answers:
		return s.yesService.Validate(ctx, key, question)
	case <-ctx.Done():
		return nil, aborted(ctx.Err())
	}
}

func (s *slowService) Deactivate(context.Context, string, string) (*Deleted, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.freed++
	return &Deleted{}, nil
}

func (s *slowService) freedSeats() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.freed
}

// newFloating returns a guard of a floating seat.
func newFloating(t *testing.T, client GuardClient, store Store) *Guard {
	t.Helper()
	guard, err := NewGuard(GuardOptions{
		Client: client, LicenseKey: "KEY", Store: store, Unsigned: true,
		Fingerprint: func() (string, error) { return "machine", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	return guard
}

// eventually waits for a state that another goroutine brings about.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}

func (g *Guard) hasTimer() bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.timer != nil
}

func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestAContextThatEndsReturnsTheCurrentStateAndTheCheckGoesOn(t *testing.T) {
	for name, call := range map[string]func(*Guard, context.Context) State{
		"Start": (*Guard).Start, "StartFresh": (*Guard).StartFresh, "Refresh": (*Guard).Refresh,
	} {
		service := newSlowService()
		guard := newFloating(t, service, MemoryStore())
		ctx, cancel := context.WithCancel(context.Background())
		states := make(chan State)
		go func() { states <- call(guard, ctx) }()
		<-service.asked
		cancel()
		if state := <-states; state.Status != Unlicensed {
			t.Errorf("%s: %+v", name, state)
		}
		service.answers <- struct{}{}
		eventually(t, name+" is licensed", func() bool { return guard.State().Status == Licensed })
		guard.Stop(context.Background())
	}
}

func TestAStartWhoseContextHasEndedStillStartsTheGuard(t *testing.T) {
	guard := newFloating(t, yesService{}, MemoryStore())
	guard.Start(ended())
	eventually(t, "the next check is due", guard.hasTimer)
	guard.Stop(context.Background())
}

func TestAStopWhoseContextHasEndedStillFreesTheSeat(t *testing.T) {
	service := newSlowService()
	guard := newFloating(t, service, MemoryStore())
	service.answers <- struct{}{}
	guard.Start(context.Background())
	guard.Stop(ended())
	eventually(t, "the seat is free", func() bool { return service.freedSeats() == 1 })
}

func TestAStopEndsARunningCheck(t *testing.T) {
	service := newSlowService()
	guard := newFloating(t, service, MemoryStore())
	go guard.Start(context.Background())
	<-service.asked
	guard.Stop(context.Background())
	if state := guard.State(); state.Reason != CodeGuardStopped || guard.hasTimer() || service.freedSeats() != 1 {
		t.Fatalf("%+v", state)
	}
}

// busy has the guard do other work while calls arrive, and waits until everything that they left behind has ended.
func busy(t *testing.T, guard *Guard, calls func()) {
	t.Helper()
	guard.work.lock()
	calls()
	guard.work.unlock()
	stacks := make([]byte, 1<<20)
	eventually(t, "the guard rests", func() bool {
		size := runtime.Stack(stacks, true)
		return !bytes.Contains(stacks[:size], []byte("(*Guard)"))
	})
}

func TestAStopIsTheLastWordAboutTheCallsBeforeIt(t *testing.T) {
	for round := 0; round < 20; round++ {
		for name, call := range map[string]func(*Guard, context.Context) State{
			"Start": (*Guard).Start, "StartFresh": (*Guard).StartFresh, "Refresh": (*Guard).Refresh,
		} {
			service := newSlowService()
			guard := newFloating(t, service, MemoryStore())
			busy(t, guard, func() {
				call(guard, ended())
				guard.Stop(ended())
			})
			guard.work.lock()
			isHeld := guard.memory.release != nil
			guard.work.unlock()
			if len(service.asked) != 0 || isHeld || guard.hasTimer() {
				t.Fatalf("%s goes on after Stop: %d questions", name, len(service.asked))
			}
		}
	}
}

func TestAStartAfterAStopThatWaitsKeepsTheSeat(t *testing.T) {
	service := newSlowService()
	guard := newFloating(t, service, MemoryStore())
	service.answers <- struct{}{}
	guard.Start(context.Background())
	service.answers <- struct{}{}
	busy(t, guard, func() {
		guard.Stop(ended())
		guard.Start(ended())
	})
	if state := guard.State(); state.Status != Licensed || service.freedSeats() != 0 || !guard.hasTimer() {
		t.Fatalf("%+v", state)
	}
	guard.Stop(context.Background())
}

func TestAStartSharesNoCheckThatStopHasEnded(t *testing.T) {
	for round := 0; round < 20; round++ {
		service := newSlowService()
		guard := newFloating(t, service, MemoryStore())
		service.answers <- struct{}{}
		busy(t, guard, func() {
			guard.Refresh(ended())
			guard.Stop(ended())
			guard.Start(ended())
		})
		if state := guard.State(); state.Status != Licensed || !guard.hasTimer() {
			t.Fatalf("%+v", state)
		}
		guard.Stop(context.Background())
	}
}

func TestTheEndOfAStoppedCheckLeavesTheNextOneShared(t *testing.T) {
	for round := 0; round < 20; round++ {
		service := newSlowService()
		guard := newFloating(t, service, MemoryStore())
		guard.work.lock()
		guard.Refresh(ended())
		guard.Stop(ended())
		check := guard.begin(guard.run())
		guard.work.unlock()
		<-service.asked
		if guard.begin(guard.run()) != check {
			t.Fatal("two checks at the same time")
		}
		service.answers <- struct{}{}
		<-check
		guard.Stop(context.Background())
	}
}

func TestAWaitForARunningCheckEndsWithTheContext(t *testing.T) {
	service := newSlowService()
	guard := newFloating(t, service, MemoryStore())
	go guard.Start(context.Background())
	<-service.asked
	if _, err := guard.Devices(ended()); CodeOf(err) != CodeNetworkAborted {
		t.Fatal(err)
	}
	if _, err := guard.ReleaseDevice(ended(), "seat"); CodeOf(err) != CodeNetworkAborted {
		t.Fatal(err)
	}
	guard.Stop(context.Background())
}

func TestOfTwoGuardsWithOneStoreTheLastToStopFreesTheSeat(t *testing.T) {
	for name, store := range map[string]Store{
		"memory": MemoryStore(), "file": FileStore(filepath.Join(t.TempDir(), "license.json")),
	} {
		service := newSlowService()
		service.answers <- struct{}{}
		service.answers <- struct{}{}
		first, second := newFloating(t, service, store), newFloating(t, service, store)
		first.Start(context.Background())
		second.Start(context.Background())
		first.Stop(context.Background())
		if service.freedSeats() != 0 || first.State().Status != Licensed {
			t.Errorf("%s: the first freed the seat", name)
		}
		second.Stop(context.Background())
		if service.freedSeats() != 1 || second.State().Reason != CodeGuardStopped {
			t.Errorf("%s: the last kept the seat", name)
		}
	}
}

// brokenStore fails until the test repairs it.
type brokenStore struct {
	Store
	failure error
}

func (s *brokenStore) Read() (string, error) {
	if s.failure != nil {
		return "", s.failure
	}
	return s.Store.Read()
}

func TestABrokenStoreIsOneErrorUntilAWriteSucceeds(t *testing.T) {
	store := &brokenStore{MemoryStore(), os.ErrPermission}
	codes := []string{}
	guard, err := NewGuard(GuardOptions{
		Client: yesService{}, LicenseKey: "KEY", Store: store, Unsigned: true,
		OnError: func(failure *Error) { codes = append(codes, failure.Code) },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	guard.Start(ctx)
	guard.Refresh(ctx)
	if len(codes) != 1 || codes[0] != CodeStoreFailed {
		t.Fatal(codes)
	}
	store.failure = nil
	guard.Refresh(ctx)
	store.failure = os.ErrPermission
	guard.Refresh(ctx)
	if len(codes) != 2 {
		t.Fatal(codes)
	}
	guard.Stop(ctx)
}
