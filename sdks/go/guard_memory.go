package licensing

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

const guardKind = "LicenseGuard"

// answerMemory is what the last answer of the service left behind.
type answerMemory struct {
	// certificate is the last one; nil after a refusal.
	Certificate *string `json:"certificate"`
	// denial is the last refusal; nil after a positive answer.
	Denial *Reason `json:"denial"`
	// deniedAtMs is when the service refused, in milliseconds since 1970.
	DeniedAtMs *int64 `json:"deniedAtMs"`
	// release is the release that the denial is about, in milliseconds since 1970; nil: every release.
	Release *int64 `json:"release"`
	// licenseID is the id of the license, so that a later answer about another license is noticed.
	LicenseID *string `json:"licenseId"`
}

// seatMemory is the seat of this machine.
type seatMemory struct {
	ID          string `json:"id"`
	Fingerprint string `json:"fingerprint"`
	// leaseMs is the length of the lease; nil for a seat that stays until it is freed.
	LeaseMs *int64 `json:"leaseMs"`
}

// guardMemory is the memory of a guard, in its store. Processes may share the store: what this process did not learn itself
// it takes from the store, before each check and before each write, so that no process brings a discarded certificate back.
// A store that fails is reported and never stops the guard.
type guardMemory struct {
	store Store
	clock *guardClock
	emit  func(failure *Error)
	// reported is the code of the last error that was reported, until a write succeeds: one broken store is one error.
	reported string
	// release ends the hold of the store; nil while the guard does not run.
	release    func() (isLast bool, err error)
	licenseKey string
	// keepsKey says whether the key is kept in the store, because the application does not have it.
	keepsKey    bool
	answer      answerMemory
	seat        *seatMemory
	isAnswerNew bool
	isSeatNew   bool
}

// adopt continues with another license key, which the store keeps from now on.
func (m *guardMemory) adopt(licenseKey string) {
	if licenseKey != m.licenseKey {
		m.setAnswer(answerMemory{})
		m.setSeat(nil)
	}
	m.licenseKey = licenseKey
	m.keepsKey = true
}

func (m *guardMemory) setAnswer(answer answerMemory) {
	m.answer = answer
	m.isAnswerNew = true
}

func (m *guardMemory) setSeat(seat *seatMemory) {
	m.seat = seat
	m.isSeatNew = true
}

// load reads what this process does not know better. It never fails.
func (m *guardMemory) load() {
	if _, err := m.read(); err != nil {
		m.report(err)
	}
}

// save writes everything. It never fails; what could not be written is written by the next call.
func (m *guardMemory) save() {
	// A store that cannot be read is not overwritten: it may hold a certificate that is still good.
	key, err := m.read()
	if err == nil {
		err = m.write(key)
	}
	if err != nil {
		m.report(err)
	}
}

// hold makes this guard one of those that hold the store. It never fails.
func (m *guardMemory) hold() {
	if m.release == nil {
		m.release = m.newHold()
	}
}

// leave ends the hold, and returns whether a floating seat may be freed: no other guard holds the store, or the store does
// not count them. If the store fails, that is unknown, and the seat ends with its lease. It never fails.
func (m *guardMemory) leave() bool {
	// A guard that was only refreshed does not hold the store, but another one may.
	m.hold()
	isLast, err := m.release()
	m.release = nil
	if err != nil {
		m.report(err)
	}
	return isLast && err == nil
}

func (m *guardMemory) newHold() func() (bool, error) {
	holder, counts := m.store.(HoldingStore)
	if !counts {
		return func() (bool, error) { return true, nil }
	}
	release, err := holder.Hold()
	if err != nil {
		m.report(err)
		return func() (bool, error) { return false, nil }
	}
	return release
}

func (m *guardMemory) report(cause error) {
	failure := wrapped(CodeStoreFailed, cause, "Check the store.")
	if failure.Code != m.reported {
		m.reported = failure.Code
		m.emit(failure)
	}
}

func (m *guardMemory) write(key string) error {
	kept := m.clock.kept()
	stored := struct {
		Kind       string `json:"kind"`
		Key        string `json:"key"`
		LicenseKey string `json:"licenseKey,omitempty"`
		answerMemory
		Seat     *seatMemory `json:"seat"`
		LatestMs int64       `json:"latestMs"`
		OffsetMs int64       `json:"offsetMs"`
	}{Kind: guardKind, Key: key, answerMemory: m.answer, Seat: m.seat, LatestMs: kept.latestMs, OffsetMs: kept.offsetMs}
	if m.keepsKey {
		stored.LicenseKey = m.licenseKey
	}
	text, err := marshal(stored)
	if err != nil {
		return err
	}
	if err := m.store.Write(string(text)); err != nil {
		return err
	}
	m.isAnswerNew, m.isSeatNew = false, false
	m.reported = ""
	return nil
}

// read returns the name under which the memory of this license key is kept.
func (m *guardMemory) read() (string, error) {
	text, err := m.store.Read()
	if err != nil {
		return "", err
	}
	stored, err := storedObject(text, guardKind)
	if CodeOf(err) == CodeStoreUnreadable {
		m.report(err)
	} else if err != nil {
		return "", err
	}
	// Another process may have adopted the key.
	if m.licenseKey == "" {
		m.licenseKey = textIn(stored["licenseKey"])
	}
	key := digestOf(m.licenseKey)
	if stored == nil {
		return key, nil
	}
	if latestMs := numberIn(stored["latestMs"]); latestMs != nil && !m.isAnswerNew {
		seen := clockMemory{latestMs: *latestMs}
		if offsetMs := numberIn(stored["offsetMs"]); offsetMs != nil {
			seen.offsetMs = *offsetMs
		}
		m.clock.adopt(seen)
	}
	// The memory of another license key ends with the next write.
	if textIn(stored["key"]) != key {
		return key, nil
	}
	if !m.isAnswerNew {
		m.answer = answerMemory{}
		_ = json.Unmarshal([]byte(text), &m.answer)
	}
	if !m.isSeatNew {
		m.seat = nil
		_ = json.Unmarshal(stored["seat"], &m.seat)
	}
	return key, nil
}

func numberIn(value json.RawMessage) *int64 {
	var number *float64
	if json.Unmarshal(value, &number) != nil || number == nil {
		return nil
	}
	whole := int64(*number)
	return &whole
}

// digestOf returns the SHA-256 of a license key in hexadecimal: the store does not hold the key.
func digestOf(licenseKey string) string {
	sum := sha256.Sum256([]byte(licenseKey))
	return hex.EncodeToString(sum[:])
}

// checkLater returns CERTIFICATE_FILE.TOO_OLD for a certificate from before the last refusal, which it would undo.
func (m *guardMemory) checkLater(issuedAtMs int64) error {
	// A certificate names whole seconds.
	if deniedAtMs := m.answer.DeniedAtMs; deniedAtMs == nil || issuedAtMs+1000 > *deniedAtMs {
		return nil
	}
	message := "The service has refused the license since this certificate was issued. Request a new one."
	return &Error{Code: CodeFileTooOld, Message: message}
}

// releaseMs returns when a release was published, in milliseconds since 1970; 0 if the application does not say so.
func releaseMs(releasedAt time.Time) int64 {
	if releasedAt.IsZero() {
		return 0
	}
	return releasedAt.UnixMilli()
}

// denialFor returns the last refusal, unless it is about another release of the application.
func (m *guardMemory) denialFor(releasedAt time.Time) *Reason {
	if release := m.answer.Release; release != nil && *release != releaseMs(releasedAt) {
		return nil
	}
	return m.answer.Denial
}
