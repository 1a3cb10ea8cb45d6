package licensing

import (
	"context"
	"regexp"
	"time"
)

// consultation is one check: the questions to the service, and what it answered.
type consultation struct {
	options     *GuardOptions
	memory      *guardMemory
	fingerprint string
	// seatDenial says why this machine got no seat; nil if it has or needs no seat.
	seatDenial *Reason
	// mayTakeSeat says whether this check has not asked for a seat yet.
	mayTakeSeat bool
}

// consulted is the answer of the service, proven if there are keys.
type consulted struct {
	verdict *Verdict
	// denial says why the application must not be used; nil if it may.
	denial     *Reason
	seatDenial *Reason
	// licenseID is nil if no license has the key.
	licenseID *string
	// serverMs is the service's time of the answer, in milliseconds since 1970; nil if it is unknown.
	serverMs *int64
	// isIncomplete says that taking a seat failed after the answer, so that the next check should come soon.
	isIncomplete bool
}

// isSeatless tells the refusals of a verdict that a new activation can change.
func isSeatless(code string) bool { return code == codeSeatNotFound || code == codeLeaseExpired }

// consult asks the service. It takes a seat if there is a fingerprint, again if the old one was freed, and renews its lease.
// The error means that there is no answer that can be trusted: that says nothing about the license.
func (c *consultation) consult(ctx context.Context) (*consulted, error) {
	memory := c.memory
	c.mayTakeSeat = c.fingerprint != ""
	// The store may be a copy from another machine, and the seat belongs to that machine.
	if memory.seat != nil && memory.seat.Fingerprint != c.fingerprint {
		memory.setSeat(nil)
	}
	if memory.seat != nil && memory.seat.LeaseMs != nil {
		if err := c.renewLease(ctx); err != nil {
			return nil, err
		}
	}
	if memory.seat == nil && c.mayTakeSeat {
		if err := c.takeSeat(ctx); err != nil {
			return nil, err
		}
	}
	answer, err := c.ask(ctx)
	if err != nil {
		return nil, err
	}
	if c.mayTakeSeat && lacksSeat(answer.verdict) {
		answer = c.askWithSeat(ctx, answer)
	}
	if activation := answer.verdict.Activation; activation != nil && c.fingerprint != "" {
		memory.setSeat(seatOf(activation, c.fingerprint))
	}
	answer.seatDenial = c.seatDenial
	answer.denial = denialOf(answer.verdict, c.seatDenial)
	return answer, nil
}

// askWithSeat takes a seat and asks again. If that fails, the answer from before counts until the service answers again.
func (c *consultation) askWithSeat(ctx context.Context, answer *consulted) *consulted {
	c.memory.setSeat(nil)
	err := c.takeSeat(ctx)
	if err == nil && c.seatDenial == nil {
		var second *consulted
		if second, err = c.ask(ctx); err == nil {
			return second
		}
	}
	answer.isIncomplete = err != nil
	return answer
}

func lacksSeat(verdict *Verdict) bool {
	if verdict.Valid {
		return verdict.Activation == nil
	}
	return isSeatless(verdict.Code)
}

// denialOf returns the refusal. Without a seat, the reason that the service gave for that says more than the verdict.
func denialOf(verdict *Verdict, seatDenial *Reason) *Reason {
	if verdict.Valid {
		return nil
	}
	if seatDenial != nil && isSeatless(verdict.Code) {
		return seatDenial
	}
	return &Reason{Code: verdict.Code, Detail: verdict.Detail}
}

func (c *consultation) ask(ctx context.Context) (*consulted, error) {
	options := c.options
	question := Question{
		Product: options.Product, Fingerprint: c.fingerprint, AppVersion: options.AppVersion,
		VersionReleasedAt: options.VersionReleasedAt, Components: options.components(c.fingerprint),
	}
	if len(options.Entitlements) > 0 {
		question.Entitlements = options.Entitlements
	}
	if options.JWKS != nil {
		question.Nonce, question.Proof = randomKey(), true
	}
	verdict, err := options.Client.Validate(ctx, c.memory.licenseKey, question)
	if err != nil {
		return nil, err
	}
	if options.JWKS != nil {
		return c.proven(verdict, question)
	}
	answer := &consulted{verdict: verdict}
	if verdict.License != nil {
		answer.licenseID = &verdict.License.ID
	}
	if checkedAt, isTime := momentOf(verdict.CheckedAt); isTime {
		serverMs := checkedAt.UnixMilli()
		answer.serverMs = &serverMs
	}
	return answer, nil
}

// proven verifies the proof of a verdict and that it answers the question. The error PROOF.… means: no answer. The clock of
// this machine may be wrong, because the nonce shows that the proof is new.
func (c *consultation) proven(verdict *Verdict, question Question) (*consulted, error) {
	answeredMs := int64(0)
	if checkedAt, isTime := momentOf(verdict.CheckedAt); isTime {
		answeredMs = checkedAt.UnixMilli()
	}
	expected := VerdictExpectation{
		Verification: Verification{
			JWKS: *c.options.JWKS, Issuer: c.options.Issuer, Audience: c.options.Audience, Now: time.UnixMilli(answeredMs),
		},
		Nonce: question.Nonce, LicenseKey: c.memory.licenseKey, Fingerprint: question.Fingerprint,
		Entitlements: question.Entitlements, VersionReleasedAt: question.VersionReleasedAt,
	}
	// A key of another product and a deleted license are correct answers too.
	if verdict.Valid {
		expected.Product = c.options.Product
	}
	if known := c.memory.answer.LicenseID; verdict.License != nil && known != nil {
		expected.LicenseID = *known
	}
	verified, err := VerifyVerdict(verdict, expected)
	if err != nil {
		return nil, err
	}
	if verified.Claims == nil {
		return nil, &Error{Code: verified.Code, Message: verified.Detail}
	}
	// The signed time has whole seconds. Within the same second, the other one is more exact.
	serverMs := int64(verified.Claims.number("iat") * 1000)
	if answeredMs >= serverMs && answeredMs < serverMs+1000 {
		serverMs = answeredMs
	}
	return &consulted{verdict: verdict, licenseID: verified.Claims.optional("sub"), serverMs: &serverMs}, nil
}

// takeSeat takes a seat, or notes why the service refuses one. The context does not end the call: the seat would be lost.
func (c *consultation) takeSeat(ctx context.Context) error {
	c.mayTakeSeat = false
	device := Device{
		Fingerprint: c.fingerprint, Components: c.options.components(c.fingerprint),
		Name: c.options.DeviceName, AppVersion: c.options.AppVersion,
	}
	activation, err := c.options.Client.Activate(context.Background(), c.memory.licenseKey, device)
	if isRefusal(err) {
		failure := wrapped("", err, "")
		c.seatDenial = &Reason{Code: failure.Code, Detail: failure.Message}
		return nil
	}
	if err != nil {
		return err
	}
	c.memory.setSeat(seatOf(activation, c.fingerprint))
	// The seat existed already, and its lease may be about to end.
	isOld := activation.LastHeartbeatAt != activation.CreatedAt
	if isOld && c.memory.seat.LeaseMs != nil {
		return c.renewLease(ctx)
	}
	return nil
}

func (c *consultation) renewLease(ctx context.Context) error {
	seat := c.memory.seat
	activation, err := c.options.Client.Heartbeat(ctx, c.memory.licenseKey, seat.ID)
	if isRefusal(err) {
		c.memory.setSeat(nil)
		return nil
	}
	if err != nil {
		return err
	}
	c.memory.setSeat(seatOf(activation, seat.Fingerprint))
	return nil
}

// seatOf returns the seat of an activation. Both times are the service's, so the clock of this machine does not matter.
func seatOf(activation *Activation, fingerprint string) *seatMemory {
	seat := &seatMemory{ID: activation.ID, Fingerprint: fingerprint}
	if activation.LeaseExpiresAt == nil {
		return seat
	}
	end, hasEnd := momentOf(*activation.LeaseExpiresAt)
	begin, hasBegin := momentOf(activation.LastHeartbeatAt)
	if leaseMs := end.Sub(begin).Milliseconds(); hasEnd && hasBegin && leaseMs > 0 {
		seat.LeaseMs = &leaseMs
	}
	return seat
}

var refusalCode = regexp.MustCompile(`^(LICENSE|ACTIVATION|PLAN)\.`)

// isRefusal tells a refusal because of the license or the seat from one because of the caller or a failure.
func isRefusal(err error) bool {
	failure, isOurs := err.(*Error)
	return isOurs && failure.Status != 0 && refusalCode.MatchString(failure.Code)
}
