package licensing

import (
	"context"
	"time"
)

// renewCertificate fetches a certificate, if there are keys to verify it. If that fails, the last one stays, and the next
// check comes sooner.
func (g *Guard) renewCertificate(ctx context.Context) {
	if g.options.JWKS == nil {
		return
	}
	if certificate := g.fetchCertificate(ctx); certificate != nil {
		answer := g.memory.answer
		answer.Certificate = certificate
		g.memory.setAnswer(answer)
		return
	}
	g.failedChecks++
}

func (g *Guard) fetchCertificate(ctx context.Context) *string {
	fingerprint, err := g.options.machine()
	if err != nil {
		return nil
	}
	// The service said yes a moment ago; if this fails, the next check shows what changed.
	terms := CertificateTerms{Fingerprint: fingerprint, Components: g.options.components(fingerprint)}
	issued, err := g.options.Client.IssueCertificate(ctx, g.memory.licenseKey, terms)
	if err != nil {
		return nil
	}
	verdict := g.verifyNew(issued.Certificate)
	known := g.memory.answer.LicenseID
	if verdict == nil || !verdict.Valid || known == nil || verdict.Claims.text("sub") != *known {
		return nil
	}
	return &issued.Certificate
}

// verifyKept verifies the kept certificate; nil without one, or without keys. A certificate that cannot be verified counts
// as absent.
func (g *Guard) verifyKept() *CertificateVerdict {
	if g.memory.answer.Certificate == nil || g.options.JWKS == nil {
		return nil
	}
	return g.verify(*g.memory.answer.Certificate)
}

// verifyNew verifies a certificate that has just arrived. The time of an answer is old by its way here, so a certificate
// may be of the next second: it is a newer time.
func (g *Guard) verifyNew(certificate string) *CertificateVerdict {
	verdict := g.verify(certificate)
	if verdict == nil || verdict.Claims == nil || verdict.Code != "CERTIFICATE.NOT_YET_VALID" {
		return verdict
	}
	g.clock.synchronize(int64(verdict.Claims.number("nbf") * 1000))
	return g.verify(certificate)
}

func (g *Guard) verify(certificate string) *CertificateVerdict {
	fingerprint, err := g.options.machine()
	if err != nil {
		return nil
	}
	var exactly time.Duration
	nowMs, _ := g.clock.read()
	expected := CertificateExpectation{
		Verification: Verification{
			Issuer: g.options.Issuer, Audience: g.options.Audience, Now: *moment(nowMs), ClockTolerance: &exactly,
		},
		Fingerprint: fingerprint, Product: g.options.Product, VersionReleasedAt: g.options.VersionReleasedAt,
	}
	if g.options.JWKS != nil {
		expected.JWKS = *g.options.JWKS
	}
	verdict, err := VerifyCertificate(certificate, expected)
	if err != nil {
		return nil
	}
	return verdict
}

// RequestFile returns the text of a request file for a machine without a network. The user uploads the file in the portal
// and imports the certificate file. The error is CONFIGURATION.INVALID if Product or Fingerprint is missing.
func (g *Guard) RequestFile() (string, error) {
	fingerprint, err := g.options.machine()
	if err != nil {
		return "", err
	}
	device := OfflineDevice{Product: g.options.Product, Fingerprint: fingerprint, Name: g.options.DeviceName}
	return OfflineRequest(device)
}

// ImportCertificate imports the text of a certificate file and returns the new state. It refuses another file, one of
// another license key or device, a certificate that does not verify, and one from before the last refusal.
func (g *Guard) ImportCertificate(file string) (State, error) {
	g.work.lock()
	err := g.importFile(file)
	if err == nil {
		// An earlier answer of the service says nothing about the certificate.
		g.answer = nil
		if g.failure == nil {
			detail := "A certificate was imported. Connect to the network, so that the next check can ask the service."
			g.failure = &Reason{Code: CodeGuardChecking, Detail: detail}
		}
		g.evaluate()
		g.scheduleTick()
	}
	g.endWork()
	return g.State(), err
}

func (g *Guard) importFile(text string) error {
	file, err := ReadCertificateFile(text)
	if err != nil {
		return err
	}
	g.memory.load()
	if err := checkFileOf(file, g.memory.licenseKey); err != nil {
		return err
	}
	if g.options.JWKS == nil {
		return configurationError("A guard without JWKS cannot verify a certificate. Pass the keys of the vendor.")
	}
	verdict := g.verifyNew(file.Certificate)
	if verdict == nil {
		return &Error{Code: CodeFingerprintUnavailable, Message: "The machine has no fingerprint. Pass another one."}
	}
	if !verdict.Valid {
		return &Error{Code: verdict.Code, Message: verdict.Detail}
	}
	if err := g.memory.checkLater(int64(verdict.Claims.number("iat") * 1000)); err != nil {
		return err
	}
	license := verdict.Claims.text("sub")
	g.memory.setAnswer(answerMemory{Certificate: &file.Certificate, LicenseID: &license})
	g.memory.save()
	return nil
}
