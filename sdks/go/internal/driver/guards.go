package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	licensing "licensing.example.com/sdk"
	"licensing.example.com/sdk/internal/hook"
)

func isGuardOperation(operation string) bool { return strings.HasPrefix(operation, "guard_") }

// runningGuard is a guard, and what its listeners heard since the last question.
type runningGuard struct {
	guard   *licensing.Guard
	mutex   sync.Mutex
	changes []string
	errors  []string
}

func (r *runningGuard) note(list *[]string, text string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	*list = append(*list, text)
}

type guardWorld struct {
	time   *simulatedTime
	guards map[string]*runningGuard
	stores map[string]*simulatedStore
}

var guards = newGuardWorld()

func newGuardWorld() *guardWorld {
	time := &simulatedTime{timers: map[int]*simulatedTimer{}}
	return &guardWorld{time: time, guards: map[string]*runningGuard{}, stores: map[string]*simulatedStore{}}
}

// guardArguments are the arguments of every operation of a guard.
type guardArguments struct {
	Guard          string   `json:"guard"`
	Store          string   `json:"store"`
	RealMs         int64    `json:"real_ms"`
	AheadMs        int64    `json:"ahead_ms"`
	Has            []string `json:"has"`
	Calls          int      `json:"calls"`
	Fresh          bool     `json:"fresh"`
	IsFailing      *bool    `json:"is_failing"`
	Text           *string  `json:"text"`
	ID             string   `json:"id"`
	File           string   `json:"file"`
	Email          string   `json:"email"`
	Code           string   `json:"code"`
	LicenseKey     string   `json:"license_key"`
	CurrentVersion string   `json:"current_version"`
	Channel        string   `json:"channel"`
	Options        struct {
		LicenseKey        string            `json:"license_key"`
		Product           string            `json:"product"`
		Fingerprint       *string           `json:"fingerprint"`
		Components        map[string]string `json:"components"`
		Entitlements      []string          `json:"entitlements"`
		VersionReleasedAt *string           `json:"version_released_at"`
		JWKS              *licensing.JWKS   `json:"jwks"`
		Unsigned          bool              `json:"unsigned"`
		Issuer            string            `json:"issuer"`
		Audience          string            `json:"audience"`
		CheckIntervalMs   int64             `json:"check_interval_ms"`
		RetryIntervalMs   int64             `json:"retry_interval_ms"`
		ClockToleranceMs  int64             `json:"clock_tolerance_ms"`
	} `json:"options"`
}

func (w *guardWorld) perform(operation string, text json.RawMessage, client *licensing.Client) (any, error) {
	var one guardArguments
	if err := json.Unmarshal(text, &one); err != nil {
		return nil, err
	}
	switch operation {
	case "guard_reset":
		guards = newGuardWorld()
		return nil, nil
	case "guard_time":
		w.time.mutex.Lock()
		defer w.time.mutex.Unlock()
		w.time.realMs, w.time.aheadMs = one.RealMs, one.AheadMs
		return nil, nil
	case "guard_store":
		w.changeStore(one)
		return nil, nil
	case "guard_create":
		return nil, w.create(one, client)
	case "guard_next_timer":
		return map[string]any{"due_ms": w.nextDue()}, nil
	case "guard_fire":
		w.fire()
		return nil, nil
	}
	running := w.guards[one.Guard]
	if running == nil {
		return nil, fmt.Errorf("there is no guard %s", one.Guard)
	}
	if operation == "guard_kill" {
		w.kill(one.Guard)
		return nil, nil
	}
	return call(running, operation, one)
}

func (w *guardWorld) nextDue() any {
	if next := w.time.next(); next != nil {
		return next.dueMs
	}
	return nil
}

func (w *guardWorld) fire() {
	next := w.time.next()
	if next == nil {
		return
	}
	w.time.mutex.Lock()
	delete(w.time.timers, next.id)
	w.time.mutex.Unlock()
	next.task()
}

func (w *guardWorld) kill(name string) {
	w.time.mutex.Lock()
	defer w.time.mutex.Unlock()
	for id, timer := range w.time.timers {
		if timer.owner == name {
			delete(w.time.timers, id)
		}
	}
	for _, store := range w.stores {
		for id, owner := range store.holders {
			if owner == name {
				delete(store.holders, id)
			}
		}
	}
	delete(w.guards, name)
}

func (w *guardWorld) store(name string) *simulatedStore {
	if w.stores[name] == nil {
		w.stores[name] = &simulatedStore{holders: map[int]string{}}
	}
	return w.stores[name]
}

func (w *guardWorld) changeStore(one guardArguments) {
	store := w.store(one.Store)
	if one.IsFailing != nil {
		store.isFailing = *one.IsFailing
	}
	if one.Text != nil {
		store.text = *one.Text
	}
}

func (w *guardWorld) create(one guardArguments, client *licensing.Client) error {
	given := one.Options
	running := &runningGuard{}
	options := licensing.GuardOptions{
		Client: client, LicenseKey: given.LicenseKey, Store: ownedStore{w.store(one.Store), one.Guard}, Product: given.Product,
		Entitlements: given.Entitlements, JWKS: given.JWKS, Issuer: given.Issuer, Audience: given.Audience,
		Unsigned:       given.Unsigned,
		CheckInterval:  time.Duration(given.CheckIntervalMs) * time.Millisecond,
		RetryInterval:  time.Duration(given.RetryIntervalMs) * time.Millisecond,
		ClockTolerance: time.Duration(given.ClockToleranceMs) * time.Millisecond,
		Clock:          ownedClock{w.time, one.Guard},
		OnChange: func(state licensing.State) {
			running.note(&running.changes, string(state.Status)+" "+state.Reason)
		},
		OnError: func(failure *licensing.Error) { running.note(&running.errors, failure.Code) },
	}
	if given.Fingerprint != nil {
		options.Fingerprint = func() (string, error) { return *given.Fingerprint, nil }
	}
	options.Components = func() (map[string]string, error) { return given.Components, nil }
	if given.VersionReleasedAt != nil {
		released, err := time.Parse(time.RFC3339Nano, *given.VersionReleasedAt)
		if err != nil {
			return err
		}
		options.VersionReleasedAt = released
	}
	guard, err := licensing.NewGuard(options)
	if err != nil {
		return err
	}
	running.guard = guard
	w.guards[one.Guard] = running
	return nil
}

func call(running *runningGuard, operation string, one guardArguments) (any, error) {
	ctx, guard := context.Background(), running.guard
	var err error
	switch operation {
	case "guard_state":
		return observe(running, one.Has), nil
	case "guard_start":
		return map[string]any{"status": hook.StartAndSettle(guard, one.Fresh)}, nil
	case "guard_stop":
		guard.Stop(ctx)
	case "guard_refresh":
		if one.Calls > 1 {
			refreshAtOnce(guard, one.Calls)
		} else {
			guard.Refresh(ctx)
		}
	case "guard_activate":
		_, err = guard.Activate(ctx, one.LicenseKey)
	case "guard_confirm_trial":
		_, err = guard.ConfirmTrial(ctx, one.Code)
	case "guard_import_certificate":
		_, err = guard.ImportCertificate(one.File)
	case "guard_release_device":
		_, err = guard.ReleaseDevice(ctx, one.ID)
	case "guard_start_trial":
		trial, err := guard.StartTrial(ctx, one.Email, "")
		if err != nil {
			return nil, err
		}
		return map[string]any{"status": trial.Status}, nil
	case "guard_devices":
		devices, err := guard.Devices(ctx)
		ids := []string{}
		for _, device := range devices {
			ids = append(ids, device.ID)
		}
		return map[string]any{"devices": ids}, err
	case "guard_check_for_update":
		return checkForUpdate(guard, one), nil
	case "guard_request_file":
		text, err := guard.RequestFile()
		return json.RawMessage(text), err
	default:
		err = fmt.Errorf("there is no operation %s", operation)
	}
	return nil, err
}

func observe(running *runningGuard, codes []string) any {
	state := running.guard.State()
	running.mutex.Lock()
	defer running.mutex.Unlock()
	changes, errors := append([]string{}, running.changes...), append([]string{}, running.errors...)
	running.changes, running.errors = nil, nil
	granted, has := []string{}, []string{}
	for _, one := range state.Entitlements {
		granted = append(granted, one.Code)
	}
	for _, code := range codes {
		if running.guard.Has(code) {
			has = append(has, code)
		}
	}
	return map[string]any{
		"status": state.Status, "reason": state.Reason, "until_ms": msOf(state.Until), "checked_at_ms": msOf(state.CheckedAt),
		"entitlements": granted, "license": factsOf(state.License), "has": has, "changes": changes, "errors": errors,
	}
}

func msOf(moment *time.Time) any {
	if moment == nil {
		return nil
	}
	return moment.UnixMilli()
}

func factsOf(license *licensing.LicenseFacts) any {
	if license == nil {
		return nil
	}
	return map[string]any{
		"expires_at": license.ExpiresAt, "maintenance_expires_at": license.MaintenanceExpiresAt,
		"holder_name": license.HolderName, "max_activations": license.MaxActivations,
	}
}
