package licensing

import (
	"context"

	"licensing.example.com/sdk/internal/hook"
)

// workLock is a mutex for which a caller can wait as long as a context allows.
type workLock chan struct{}

func (w workLock) lock() { w <- struct{}{} }

func (w workLock) unlock() { <-w }

// lockWithin returns NETWORK.ABORTED if the context ends first.
func (w workLock) lockWithin(ctx context.Context) error {
	select {
	case w <- struct{}{}:
		return nil
	case <-ctx.Done():
		return aborted(ctx.Err())
	}
}

// Start starts the checks. If the stored certificate allows the use, it returns at once with the status Offline and the
// reason GUARD.CHECKING, and the first check runs behind it. Otherwise it returns the state after that check. The context
// limits only how long Start waits: when it ends, Start returns the current state, and the check goes on.
func (g *Guard) Start(ctx context.Context) State {
	state, _ := g.start(ctx, false)
	return state
}

// StartFresh starts the checks like Start, and always waits for the first one.
func (g *Guard) StartFresh(ctx context.Context) State {
	state, _ := g.start(ctx, true)
	return state
}

// start also returns the channel that closes when the check has ended; nil if none began while the caller waited.
func (g *Guard) start(ctx context.Context, isFresh bool) (State, <-chan struct{}) {
	g.mutex.Lock()
	isFirst := !g.isRunning
	g.isRunning = true
	run := g.ctx
	g.mutex.Unlock()
	started := g.checkAfter(ctx, run, func() {
		if isFirst {
			g.show()
		}
	})
	if started.check == nil {
		return g.State(), nil
	}
	isAllowed := started.state.Status == Offline && started.state.Reason == CodeGuardChecking
	if isAllowed && !isFresh {
		return started.state, started.check
	}
	await(ctx, started.check)
	return g.State(), started.check
}

// show makes the stored certificate the state, until the service answers.
func (g *Guard) show() {
	if !g.running() {
		return
	}
	g.memory.hold()
	g.memory.load()
	// A check that the application asked for may have an answer already.
	if g.answer == nil {
		g.fail(Reason{Code: CodeGuardChecking, Detail: "The service has not answered yet. Wait for it."})
	}
}

func (g *Guard) running() bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.isRunning
}

// Refresh asks the service now, and returns the new state. Concurrent calls share one check. When the context ends before
// that check, Refresh returns the current state, and the check goes on.
func (g *Guard) Refresh(ctx context.Context) State {
	await(ctx, g.begin(g.run()))
	return g.State()
}

// run returns the context that ends with the next Stop.
func (g *Guard) run() context.Context {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.ctx
}

// begin returns the channel that closes when the shared check has ended, and starts a check if none runs. It returns nil
// after the Stop that ended the run: a check would take the seat again.
func (g *Guard) begin(run context.Context) <-chan struct{} {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if run.Err() != nil {
		return nil
	}
	if g.checking == nil {
		g.checking = make(chan struct{})
		go g.runCheck(g.ctx, g.checking)
	}
	return g.checking
}

func (g *Guard) runCheck(ctx context.Context, ended chan struct{}) {
	g.work.lock()
	// Stop may have come first, and has freed the seat that a check would take.
	if ctx.Err() == nil {
		g.check(ctx)
	}
	g.mutex.Lock()
	if g.checking == ended {
		g.checking = nil
	}
	g.mutex.Unlock()
	g.endWork()
	close(ended)
}

// begun is a check, and the state before it.
type begun struct {
	state State
	check <-chan struct{}
}

// checkAfter prepares a check and begins it, unless Stop comes first. The end of the context prevents neither: it ends only
// the wait for them, with the zero value.
func (g *Guard) checkAfter(ctx, run context.Context, prepare func()) begun {
	prepared := make(chan begun, 1)
	go func() {
		g.work.lock()
		prepare()
		g.endWork()
		before := g.State()
		prepared <- begun{before, g.begin(run)}
	}()
	select {
	case one := <-prepared:
		return one
	case <-ctx.Done():
		return begun{}
	}
}

// await waits until a check has ended, or a context. There is nothing to wait for without a check.
func await(ctx context.Context, ended <-chan struct{}) {
	if ended == nil {
		return
	}
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

// Stop ends the checks. A floating seat is freed if no other guard holds the store, such as one of another process: the
// state becomes Unlicensed then. Otherwise it does not change. When the context ends first, Stop returns, and the guard
// frees the seat as soon as it can.
func (g *Guard) Stop(ctx context.Context) {
	g.mutex.Lock()
	g.isRunning = false
	g.clearTimer()
	g.cancel()
	g.ctx, g.cancel = context.WithCancel(context.Background())
	// A later Start must not share the check that ends now.
	g.checking = nil
	g.mutex.Unlock()
	ended := make(chan struct{})
	go func() {
		g.work.lock()
		// A Start that came meanwhile keeps the seat.
		if !g.running() && g.memory.leave() {
			g.releaseSeat()
		}
		g.endWork()
		close(ended)
	}()
	await(ctx, ended)
}

func (g *Guard) releaseSeat() {
	seat := g.memory.seat
	fingerprint, err := g.options.machine()
	if seat == nil || seat.LeaseMs == nil || err != nil || seat.Fingerprint != fingerprint {
		return
	}
	if _, err := g.options.Client.Deactivate(context.Background(), g.memory.licenseKey, seat.ID); err != nil {
		// The seat is free at the end of its lease. Until then, this machine may use it.
		return
	}
	answer := g.memory.answer
	answer.Certificate = nil
	g.memory.setSeat(nil)
	g.memory.setAnswer(answer)
	g.memory.save()
	g.answer = nil
	g.failure = &Reason{Code: CodeGuardStopped, Detail: "The seat was released. Call Start() to take one."}
	g.evaluate()
}

func init() {
	hook.StartAndSettle = func(guard any, isFresh bool) string {
		state, check := guard.(*Guard).start(context.Background(), isFresh)
		await(context.Background(), check)
		return string(state.Status)
	}
}
