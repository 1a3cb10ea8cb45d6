package licensing

import (
	"context"
	"strings"
	"sync"
	"testing"
)

// yesService says yes to everything, as the service does for a license without limits.
type yesService struct{}

func (yesService) Validate(context.Context, string, Question) (*Verdict, error) {
	license := &License{ID: "license-1"}
	activation := yesActivation()
	granted := []Entitlement{{Code: "export", HasAccess: true}}
	return &Verdict{Valid: true, Code: codeValid, License: license, Activation: activation, Entitlements: granted}, nil
}

func yesActivation() *Activation {
	end := "2026-11-20T12:10:00.000Z"
	return &Activation{ID: "seat", LastHeartbeatAt: "2026-11-20T12:00:00.000Z", LeaseExpiresAt: &end}
}

func (yesService) Activate(context.Context, string, Device) (*Activation, error) {
	return yesActivation(), nil
}

func (yesService) Heartbeat(context.Context, string, string) (*Activation, error) {
	return yesActivation(), nil
}

func (yesService) Deactivate(context.Context, string, string) (*Deleted, error) {
	return &Deleted{}, nil
}

func (yesService) ListActivations(context.Context, string, Page) (*LicensedDevices, error) {
	return &LicensedDevices{}, nil
}

func (yesService) IssueCertificate(context.Context, string, CertificateTerms) (*Certificate, error) {
	return nil, &Error{Code: CodeNetworkUnreachable}
}

func (yesService) StartTrial(context.Context, TrialRequest) (*Trial, error) { return &Trial{}, nil }

func (yesService) ConfirmTrial(context.Context, string) (*Trial, error) { return &Trial{}, nil }

// With the race detector, this also shows that goroutines may share a guard, and that a listener may call it.
func TestAListenerAndManyGoroutinesMayUseAGuardAtTheSameTime(t *testing.T) {
	var guard *Guard
	ctx := context.Background()
	changes := 0
	guard, err := NewGuard(GuardOptions{
		Client: yesService{}, LicenseKey: "KEY", Store: MemoryStore(), Unsigned: true,
		Fingerprint: func() (string, error) { return "machine", nil },
		OnChange: func(state State) {
			changes++
			if state.Status == Licensed && changes < 3 {
				guard.Refresh(ctx)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if state := guard.Start(ctx); state.Status != Licensed || !guard.Has("export") || guard.Has("print") {
		t.Fatalf("%+v", state)
	}
	var ended sync.WaitGroup
	for _, use := range []func(){
		func() { guard.Refresh(ctx) },
		func() { guard.State() },
		func() { guard.Has("export") },
		func() { _, _ = guard.Devices(context.Background()) },
		func() { guard.Stop(ctx) },
		func() { guard.Start(ctx) },
	} {
		ended.Add(1)
		go func(use func()) {
			defer ended.Done()
			for i := 0; i < 20; i++ {
				use()
			}
		}(use)
	}
	ended.Wait()
	// The last Stop may have ended a check, after which there is no seat to release.
	guard.Start(ctx)
	guard.Stop(ctx)
	if state := guard.State(); state.Reason != CodeGuardStopped {
		t.Fatalf("%+v", state)
	}
}

func TestTheUserReadsWhyInTheirLanguage(t *testing.T) {
	for language, text := range map[string]string{"": "", "en": "", "xx": "", "de-AT": "Lizenz", "FR_ca": "licence"} {
		guard, err := NewGuard(GuardOptions{Client: yesService{}, Store: MemoryStore(), Unsigned: true, Language: language})
		if err != nil {
			t.Fatal(err)
		}
		if text == "" {
			text = "license key"
		}
		state := guard.Start(context.Background())
		if state.Reason != CodeKeyMissing || !strings.Contains(state.Message, text) {
			t.Errorf("%s: %+v", language, state)
		}
		guard.Stop(context.Background())
	}
}

func TestImpossibleOptionsAreMistakesOfTheProgram(t *testing.T) {
	wrong := map[string]GuardOptions{
		"no client":             {Store: MemoryStore(), Unsigned: true},
		"no store":              {Client: yesService{}, Unsigned: true},
		"neither keys":          {Client: yesService{}, Store: MemoryStore()},
		"keys and unsigned":     {Client: yesService{}, Store: MemoryStore(), JWKS: &JWKS{Keys: []JWK{}}, Issuer: "i", Audience: "a", Unsigned: true},
		"no issuer":             {Client: yesService{}, Store: MemoryStore(), JWKS: &JWKS{Keys: []JWK{}}},
		"a negative interval":   {Client: yesService{}, Store: MemoryStore(), Unsigned: true, CheckInterval: -1},
		"keys without key list": {Client: yesService{}, Store: MemoryStore(), JWKS: &JWKS{}, Issuer: "i", Audience: "a"},
	}
	for name, options := range wrong {
		if _, err := NewGuard(options); CodeOf(err) != CodeConfigurationInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
