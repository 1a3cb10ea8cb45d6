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
	work         workLock
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
	// checking is the check that further callers share; nil without one.
	checking chan struct{}
	// ctx ends with Stop, and with it what the guard does in the background.
	ctx    context.Context
	cancel context.CancelFunc
	timer  func()
	// timerNumber tells a timer that was stopped while it fired.
	timerNumber int
	events      eventQueue
}

// NewGuard returns a guard that has not started. The error is CONFIGURATION.INVALID, for a mistake of the programmer.
func NewGuard(options GuardOptions) (*Guard, error) {
	if err := options.complete(); err != nil {
		return nil, err
	}
	guard := &Guard{
		options: options, clock: newGuardClock(options.Clock, options.ClockTolerance), work: make(workLock, 1),
	}
	guard.memory = &guardMemory{
		store: options.Store, clock: guard.clock, licenseKey: options.LicenseKey, keepsKey: options.LicenseKey == "",
		emit: guard.emitError,
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
		isSigned: g.options.JWKS != nil, language: g.options.Language,
	}
	return found.judge()
}

func (g *Guard) emitError(failure *Error) {
	if g.options.OnError != nil {
		g.events.add(func() { g.options.OnError(failure) })
	}
}

// endWork ends the work, and then tells the listeners: they may call the guard.
func (g *Guard) endWork() {
	g.work.unlock()
	g.events.deliver()
}
