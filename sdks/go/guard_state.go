package licensing

import (
	"encoding/json"
	"time"
)

// Status says whether an application may be used.
type Status string

// The statuses of a guard.
const (
	// Licensed: the service said yes.
	Licensed Status = "licensed"
	// Grace: the service said yes with a warning (LICENSE.IN_GRACE, for example), or the seat was lost and the certificate
	// still runs: the application may be used, and its user should act.
	Grace Status = "grace"
	// Offline: the service gave no answer, and the last certificate says yes until State.Until.
	Offline Status = "offline"
	// Unlicensed: the application must not be used, for State.Reason.
	Unlicensed Status = "unlicensed"
)

// Reason says why something is not allowed or did not work.
type Reason struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// State is what a guard knows.
type State struct {
	Status Status
	// Reason is the code behind the status: of the verdict, of the failure, or one of the guard.
	Reason string
	// Detail says what happened and what to do, for the developer.
	Detail string
	// Message says that for the user of the application, in GuardOptions.Language.
	Message string
	// Until is when the application may no longer be used without the service; nil if it may not, or has no certificate.
	Until *time.Time
	// CheckedAt is when the service last answered this process; nil if it has not.
	CheckedAt *time.Time
	// Entitlements are what the license grants; empty when unlicensed. With JWKS, only what the service has signed.
	Entitlements []Entitlement
	// License says whom the license is for and when it ends, to show to the user; nil before the first answer.
	License *LicenseFacts
}

// LicenseFacts are what an application can show of a license.
type LicenseFacts struct {
	ExpiresAt            *string
	MaintenanceExpiresAt *string
	HolderName           *string
	MaxActivations       *int64
}

// receivedAnswer is an answer of the service to this process.
type receivedAnswer struct {
	verdict      *Verdict
	receivedAtMs int64
	warning      *Reason
}

// findings are everything that a state depends on.
type findings struct {
	nowMs     int64
	isSetBack bool
	// answer is the last one of the service to this process; nil before the first.
	answer *receivedAnswer
	// failure says why the last check got no answer; nil if it got one.
	failure *Reason
	// denial is the last refusal of the service, which outlives the process. There is no certificate then.
	denial *Reason
	// certified is the verified certificate, or nil.
	certified *CertificateVerdict
	// answerLifeMs is for how long an answer counts when there is no certificate.
	answerLifeMs int64
	// demanded are the entitlements that every positive answer proves, because the question demands them.
	demanded []string
	// isSigned says whether answers are signed, so that only what is signed counts.
	isSigned bool
	// language is the one of the text for the user.
	language string
}

// judge returns the state that follows from the findings.
func (f *findings) judge() State {
	state := f.judgeWithoutMessage()
	state.Message = messageFor(state.Reason, f.language)
	return state
}

func (f *findings) judgeWithoutMessage() State {
	state := State{Entitlements: []Entitlement{}, License: f.facts()}
	if f.answer != nil {
		state.CheckedAt = moment(f.answer.receivedAtMs)
	}
	if f.denial != nil {
		return state.refused(*f.denial)
	}
	certified := f.certified
	if f.isSetBack || (certified != nil && !certified.Valid) {
		certified = nil
	}
	state.Until = f.until(certified)
	entitlements := f.grants(certified)
	if f.answer != nil && f.failure == nil {
		reason := Reason{Code: f.answer.verdict.Code, Detail: f.answer.verdict.Detail}
		if f.answer.warning != nil {
			reason = *f.answer.warning
		}
		state.Status = Grace
		if reason.Code == codeValid {
			state.Status = Licensed
		}
		state.Reason, state.Detail, state.Entitlements = reason.Code, reason.Detail, entitlements
		return state
	}
	failure := Reason{Code: CodeGuardNotStarted, Detail: "The guard has not started. Call Start()."}
	if f.failure != nil {
		failure = *f.failure
	}
	if state.Until != nil {
		state.Status, state.Reason, state.Detail, state.Entitlements = Offline, failure.Code, failure.Detail, entitlements
		return state
	}
	if f.isSetBack && f.certified != nil {
		detail := "The clock of this machine was set back. Correct it, or connect to the service."
		return state.refused(Reason{Code: CodeClockSetBack, Detail: detail})
	}
	if f.certified != nil {
		return state.refused(Reason{Code: f.certified.Code, Detail: f.certified.Detail})
	}
	return state.refused(failure)
}

func (s State) refused(reason Reason) State {
	s.Status, s.Reason, s.Detail, s.Until, s.Entitlements = Unlicensed, reason.Code, reason.Detail, nil, []Entitlement{}
	return s
}

func moment(ms int64) *time.Time {
	at := time.UnixMilli(ms).UTC()
	return &at
}

// facts returns the known details of the license. Signed values take precedence.
func (f *findings) facts() *LicenseFacts {
	if f.certified != nil && f.certified.License != nil {
		license := f.certified.License
		return &LicenseFacts{license.ExpiresAt, license.MaintenanceExpiresAt, license.Holder.Name, license.MaxActivations}
	}
	if f.answer != nil && f.answer.verdict.License != nil {
		license := f.answer.verdict.License
		return &LicenseFacts{license.ExpiresAt, license.MaintenanceExpiresAt, license.Holder.Name, license.MaxActivations}
	}
	return nil
}

// until returns the end of the certificate. Without one, an answer counts for a while: a network may fail for a moment.
func (f *findings) until(certified *CertificateVerdict) *time.Time {
	if certified != nil {
		return moment(int64(certified.Claims.number("exp") * 1000))
	}
	if f.answer == nil || f.failure == nil || f.certified != nil || f.isSetBack {
		return nil
	}
	endMs := f.answer.receivedAtMs + f.answerLifeMs
	if f.nowMs >= endMs {
		return nil
	}
	return moment(endMs)
}

// grants returns the granted entitlements. A proof covers the demanded entitlements only, so with JWKS the others come from
// the certificate. An answer can still withhold one, such as a metered entitlement at its limit.
func (f *findings) grants(certified *CertificateVerdict) []Entitlement {
	var answered []Entitlement
	if f.answer != nil {
		answered = f.answer.verdict.Entitlements
	}
	candidates := answered
	if f.isSigned && certified != nil {
		candidates = certified.Entitlements
	}
	granted := []Entitlement{}
	for _, one := range candidates {
		isProven := !f.isSigned || certified != nil || contains(f.demanded, one.Code)
		if one.HasAccess && isProven && !(f.failure == nil && isWithheld(answered, one.Code)) {
			granted = append(granted, one)
		}
	}
	return granted
}

func isWithheld(answered []Entitlement, code string) bool {
	for _, one := range answered {
		if one.Code == code && !one.HasAccess {
			return true
		}
	}
	return false
}

func contains(texts []string, wanted string) bool {
	for _, text := range texts {
		if text == wanted {
			return true
		}
	}
	return false
}

// essence returns the facts whose changes listeners receive. A later Until or CheckedAt alone does not count.
func (s State) essence() string {
	granted := [][]any{}
	for _, one := range s.Entitlements {
		granted = append(granted, []any{one.Code, one.Value, one.Limit})
	}
	text, _ := json.Marshal([]any{s.Status, s.Reason, granted, s.License})
	return string(text)
}
