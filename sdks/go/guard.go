package licensing

import (
	"context"
	"sync"
)

// Guard decides whether an application may be used, and keeps that decision up to date: it takes a seat, validates in the
// background, continues offline with the last certificate, and sends heartbeats for a floating license.
//
// A refusal of the service counts at once and until the service says otherwise. A failure (no network, 5xx, a proof that
// does not verify) never ends the right to use the application while a certificate runs. Goroutines may share one guard.
type Guard struct {
	options GuardOptions
	clock   *guardClock
	// work is held by one check, heartbeat or import at a time, which own the fields below it.
	work         sync.Mutex
	memory       *guardMemory
	answer       *receivedAnswer
	failure      *Reason
	certified    *CertificateVerdict
	failedChecks int
	untilCheckMs float64
	// mutex protects the fields below it, for moments only.
	mutex     sync.Mutex
	state     State
	published string
	isRunning bool
	checking  chan struct{}
	ctx       context.Context
	cancel    context.CancelFunc
	timer     func()
	// timerNumber tells a timer that was stopped while it fired.
	timerNumber int
	events      eventQueue
}

// NewGuard returns a guard that has not started. The error is CONFIGURATION.INVALID, for a mistake of the programmer.
func NewGuard(options GuardOptions) (*Guard, error) {
	if err := options.complete(); err != nil {
		return nil, err
	}
	guard := &Guard{options: options, clock: newGuardClock(options.Clock, options.ClockTolerance)}
	guard.memory = &guardMemory{
		store: options.Store, clock: guard.clock, licenseKey: options.LicenseKey, keepsKey: options.LicenseKey == "",
		report: guard.reportError,
	}
	guard.ctx, guard.cancel = context.WithCancel(context.Background())
	guard.state = guard.judge()
	guard.published = guard.state.essence()
	return guard, nil
}

// State returns what the guard knows now.
func (g *Guard) State() State {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.state
}

// Has returns whether the application may be used and the license grants an entitlement.
func (g *Guard) Has(entitlement string) bool {
	state := g.State()
	nowMs, _ := g.clock.read()
	// A machine that slept may reach this line before the timer.
	if state.Status == Offline && state.Until != nil && nowMs >= state.Until.UnixMilli() {
		return false
	}
	for _, granted := range state.Entitlements {
		if granted.Code == entitlement {
			return !granted.hasEnded(*moment(nowMs))
		}
	}
	return false
}

// Start starts the checks, and returns the state after the first one. Before the service answers, State is already the one
// of the stored certificate.
func (g *Guard) Start() State {
	g.mutex.Lock()
	isFirst := !g.isRunning
	g.isRunning = true
	g.mutex.Unlock()
	if isFirst {
		g.show()
	}
	return g.Refresh()
}

// show makes the stored certificate the state, until the service answers.
func (g *Guard) show() {
	g.work.Lock()
	defer g.deliverAfter(&g.work)
	g.memory.load()
	// A check that the application asked for may have an answer already.
	if g.answer == nil && g.running() {
		g.fail(Reason{Code: CodeGuardChecking, Detail: "The service has not answered yet. Wait for it."})
	}
}

func (g *Guard) running() bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.isRunning
}

// Refresh asks the service now, and returns the new state. Concurrent calls share one check.
func (g *Guard) Refresh() State {
	g.mutex.Lock()
	if running := g.checking; running != nil {
		g.mutex.Unlock()
		<-running
		return g.State()
	}
	finished := make(chan struct{})
	g.checking = finished
	ctx := g.ctx
	g.mutex.Unlock()
	g.work.Lock()
	g.check(ctx)
	g.mutex.Lock()
	g.checking = nil
	g.mutex.Unlock()
	close(finished)
	g.deliverAfter(&g.work)
	return g.State()
}

// Stop ends the checks. If it releases a floating seat, the state becomes Unlicensed; otherwise it does not change.
func (g *Guard) Stop() {
	g.mutex.Lock()
	g.isRunning = false
	g.clearTimer()
	g.cancel()
	g.mutex.Unlock()
	g.work.Lock()
	defer g.deliverAfter(&g.work)
	g.mutex.Lock()
	g.ctx, g.cancel = context.WithCancel(context.Background())
	g.mutex.Unlock()
	g.releaseSeat()
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

// check asks the service, and sets the timer of the next check. It runs under work.
func (g *Guard) check(ctx context.Context) {
	g.mutex.Lock()
	g.clearTimer()
	g.mutex.Unlock()
	retryAfterMs := 0.0
	if err := g.consult(ctx); err != nil && ctx.Err() == nil {
		failure := wrapped(CodeGuardFailed, err, "Correct the client.")
		if failure.RetryAfter != nil {
			retryAfterMs = float64(failure.RetryAfter.Milliseconds())
		}
		g.memory.load()
		g.failedChecks++
		g.fail(Reason{Code: failure.Code, Detail: failure.Message})
	}
	g.memory.save()
	if ctx.Err() == nil {
		g.scheduleCheck(retryAfterMs)
	}
}

func (g *Guard) consult(ctx context.Context) error {
	fingerprint, err := g.options.machine()
	if err != nil {
		return err
	}
	g.memory.load()
	if g.memory.licenseKey == "" {
		return &Error{Code: CodeKeyMissing, Message: "There is no license key. Enter one."}
	}
	consultation := &consultation{options: &g.options, memory: g.memory, fingerprint: fingerprint}
	answer, err := consultation.consult(ctx)
	if err != nil {
		return err
	}
	if answer.serverMs != nil {
		g.clock.synchronize(*answer.serverMs)
	}
	denial, warning := g.decide(answer)
	nowMs := g.remember(answer, denial)
	g.answer = &receivedAnswer{verdict: answer.verdict, receivedAtMs: nowMs, warning: warning}
	g.failure = nil
	// A user who waits for a seat gets it sooner, but a copied key does not ask for ever more.
	waits := denial != nil && denial.Code == codeLimitReached || warning != nil
	if waits || answer.isIncomplete {
		g.failedChecks++
	} else {
		g.failedChecks = 0
	}
	if denial == nil && warning == nil {
		g.renewCertificate(ctx)
	}
	if ctx.Err() == nil {
		g.evaluate()
	}
	return nil
}

// decide returns the refusal and the warning of an answer. A lost seat ends the right to use the application with the
// certificate, and at once without one.
func (g *Guard) decide(answer *consulted) (denial, warning *Reason) {
	seatDenial := answer.seatDenial
	if answer.denial != nil || !answer.verdict.Valid || seatDenial == nil || seatDenial.Code != codeLimitReached {
		return answer.denial, nil
	}
	if certified := g.verifyKept(); certified != nil && certified.Valid {
		return nil, seatDenial
	}
	return seatDenial, nil
}

// remember keeps what an answer means for later starts, and returns the time of the answer.
func (g *Guard) remember(answer *consulted, denial *Reason) int64 {
	nowMs, _ := g.clock.read()
	kept := answerMemory{Certificate: g.memory.answer.Certificate, Denial: denial, LicenseID: g.memory.answer.LicenseID}
	if answer.licenseID != nil {
		kept.LicenseID = answer.licenseID
	}
	if denial != nil {
		kept.DeniedAtMs = &nowMs
		// A release that is too new for the license says nothing about older ones, which the certificate still allows.
		if denial.Code == codeMaintenanceExpired {
			release := releaseMs(g.options.VersionReleasedAt)
			kept.Release = &release
		} else {
			kept.Certificate = nil
		}
	}
	g.memory.setAnswer(kept)
	return nowMs
}

func (g *Guard) fail(reason Reason) {
	g.failure = &reason
	g.evaluate()
}

// evaluate verifies the certificate again, and publishes the state that follows.
func (g *Guard) evaluate() {
	g.certified = g.verifyKept()
	state := g.judge()
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.state = state
	// An application may quit when it hears that it is unlicensed, so it hears that only after a check.
	isEarly := g.failure != nil && g.failure.Code == CodeGuardChecking && state.Status == Unlicensed
	if essence := state.essence(); !isEarly && essence != g.published {
		g.published = essence
		if g.options.OnChange != nil {
			g.events.add(func() { g.options.OnChange(state) })
		}
	}
}

func (g *Guard) judge() State {
	nowMs, isSetBack := g.clock.read()
	found := findings{
		nowMs: nowMs, isSetBack: isSetBack, answer: g.answer, failure: g.failure,
		denial: g.memory.denialFor(g.options.VersionReleasedAt), certified: g.certified,
		answerLifeMs: 2 * g.options.CheckInterval.Milliseconds(), demanded: g.options.Entitlements,
		isSigned: g.options.JWKS != nil,
	}
	return found.judge()
}

func (g *Guard) reportError(failure *Error) {
	if g.options.OnError != nil {
		g.events.add(func() { g.options.OnError(failure) })
	}
}

// deliverAfter ends the work, and then tells the listeners: they may call the guard.
func (g *Guard) deliverAfter(work *sync.Mutex) {
	work.Unlock()
	g.events.deliver()
}
