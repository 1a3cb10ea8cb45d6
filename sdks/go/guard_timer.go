package licensing

import "context"

// scheduleCheck sets the timer for the next check, or for what comes before it.
func (g *Guard) scheduleCheck(retryAfterMs float64) {
	var leaseMs, leftMs *int64
	if g.memory.seat != nil {
		leaseMs = g.memory.seat.LeaseMs
	}
	if until := g.State().Until; until != nil {
		nowMs, _ := g.clock.read()
		left := until.UnixMilli() - nowMs
		leftMs = &left
	}
	delayMs := checkDelayMs(&g.options, g.failedChecks, leaseMs, leftMs)
	g.untilCheckMs = delayMs * (0.9 + 0.2*g.options.Clock.Random())
	if retryAfterMs > g.untilCheckMs {
		g.untilCheckMs = retryAfterMs
	}
	g.scheduleTick()
}

// scheduleTick sets the timer for what comes first: the check, a heartbeat, or the end of the certificate.
func (g *Guard) scheduleTick() {
	state := g.State()
	var leaseMs, endMs *int64
	if state.Status != Unlicensed && g.memory.seat != nil {
		leaseMs = g.memory.seat.LeaseMs
	}
	if state.Status == Offline && state.Until != nil {
		nowMs, _ := g.clock.read()
		left := state.Until.UnixMilli() - nowMs
		endMs = &left
	}
	next, delayMs := nextTick(g.untilCheckMs, leaseMs, endMs, g.options.Clock.Random())
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.clearTimer()
	if !g.isRunning {
		return
	}
	number := g.timerNumber
	g.timer = g.options.Clock.AfterFunc(milliseconds(delayMs), func() { g.tick(number, next, delayMs) })
}

// clearTimer stops the timer. The caller holds mutex.
func (g *Guard) clearTimer() {
	g.timerNumber++
	if g.timer != nil {
		g.timer()
		g.timer = nil
	}
}

func (g *Guard) tick(number int, next due, delayMs float64) {
	g.work.lock()
	g.mutex.Lock()
	isStopped := number != g.timerNumber
	ctx := g.ctx
	g.mutex.Unlock()
	if isStopped {
		g.work.unlock()
		return
	}
	g.untilCheckMs -= delayMs
	// The certificate may have ended; a check of an unreachable service would only notice it seconds later.
	hasFailed := g.failure != nil
	if hasFailed {
		g.evaluate()
	}
	mustCheck := next == dueCheck || next == dueBeat && hasFailed
	if next == dueBeat && !mustCheck {
		mustCheck = !g.beat(ctx)
	} else if !mustCheck {
		g.scheduleTick()
	}
	g.endWork()
	if mustCheck {
		await(context.Background(), g.begin(ctx))
	}
}

// beat sends a heartbeat. False: the seat is lost or the service does not answer, which a check finds out.
func (g *Guard) beat(ctx context.Context) bool {
	seat := g.memory.seat
	if seat == nil {
		g.scheduleTick()
		return true
	}
	activation, err := g.options.Client.Heartbeat(ctx, g.memory.licenseKey, seat.ID)
	if err != nil {
		return false
	}
	g.memory.setSeat(seatOf(activation, seat.Fingerprint))
	// Where the policy requires activation, the certificate ends with the lease.
	if g.isHalfOver() {
		g.renewCertificate(ctx)
	}
	g.memory.save()
	if ctx.Err() == nil {
		g.evaluate()
		g.scheduleTick()
	}
	return true
}

func (g *Guard) isHalfOver() bool {
	if g.certified == nil || g.certified.Claims == nil {
		return true
	}
	nowMs, _ := g.clock.read()
	claims := g.certified.Claims
	return (claims.number("exp")+claims.number("iat"))*500 < float64(nowMs)
}
