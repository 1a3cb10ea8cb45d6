package licensing

import "context"

const devicesMax = 100

// Devices lists the devices that hold a seat of the license, at most 100 and newest first, so that a user can release one
// when the reason is ACTIVATION.LIMIT_REACHED. Names are masked.
func (g *Guard) Devices(ctx context.Context) ([]LicensedDevice, error) {
	fingerprint, err := g.options.machine()
	if err != nil {
		return nil, err
	}
	licenseKey, err := g.licenseKey(ctx)
	if err != nil {
		return nil, err
	}
	page := Page{Limit: devicesMax, Fingerprint: fingerprint, Components: g.options.components(fingerprint)}
	devices, err := g.options.Client.ListActivations(ctx, licenseKey, page)
	if err != nil {
		return nil, err
	}
	return devices.Activations, nil
}

// ReleaseDevice frees the seat of another device, takes it if this one needs a seat, and returns the new state. The vendor
// may limit how often: ACTIVATION.DEACTIVATION_LIMIT_REACHED. After an error, the seat is as before.
func (g *Guard) ReleaseDevice(ctx context.Context, id string) (State, error) {
	licenseKey, err := g.licenseKey(ctx)
	if err == nil {
		_, err = g.options.Client.Deactivate(ctx, licenseKey, id)
	}
	if err != nil {
		return g.State(), err
	}
	// A check that already runs may get an answer from before the release.
	await(ctx, g.checkAfter(ctx, g.run(), func() {}).check)
	return g.State(), nil
}

// StartTrial starts the trial of the product on this machine, or takes up the one that it had, and returns the answer of
// the service; State is then the new one. With the status "confirmation_required" the user receives a code by mail, for
// ConfirmTrial. The store keeps the key of the trial. Needs Product and Fingerprint; after an error, nothing has changed.
func (g *Guard) StartTrial(ctx context.Context, email, name string) (*Trial, error) {
	fingerprint, err := g.options.machine()
	if err != nil {
		return nil, err
	}
	if g.options.Product == "" || fingerprint == "" {
		return nil, configurationError("Pass the options Product and Fingerprint to the guard to start a trial.")
	}
	request := TrialRequest{
		Product: g.options.Product, Fingerprint: fingerprint, Components: g.options.components(fingerprint),
		Email: email, Name: name, DeviceName: g.options.DeviceName,
	}
	trial, err := g.options.Client.StartTrial(ctx, request)
	if err == nil && trial.Status == "started" {
		g.adopt(ctx, trial.LicenseKey)
	}
	return trial, err
}

// ConfirmTrial starts the trial with the code that the user received by mail, and returns the new state.
func (g *Guard) ConfirmTrial(ctx context.Context, code string) (State, error) {
	trial, err := g.options.Client.ConfirmTrial(ctx, code)
	if err != nil {
		return g.State(), err
	}
	return g.adopt(ctx, trial.LicenseKey), nil
}

// Activate continues with a license key that the user entered, which the store keeps, and returns the new state. The error
// is the refusal of the service: a trial goes on then. A key whose seats are taken is not refused.
func (g *Guard) Activate(ctx context.Context, licenseKey string) (State, error) {
	fingerprint, err := g.options.machine()
	if err != nil {
		return g.State(), err
	}
	question := Question{
		Product: g.options.Product, Fingerprint: fingerprint, Components: g.options.components(fingerprint),
	}
	verdict, err := g.options.Client.Validate(ctx, licenseKey, question)
	if err == nil && !verdict.Valid && !isSeatless(verdict.Code) {
		err = &Error{Code: verdict.Code, Message: verdict.Detail}
	}
	if err != nil {
		return g.State(), err
	}
	return g.adopt(ctx, licenseKey), nil
}

// adopt continues with a key, also if the context ends: the service has accepted it.
func (g *Guard) adopt(ctx context.Context, licenseKey string) State {
	// A running check is about the former key, so the preparation waits for its end.
	await(ctx, g.checkAfter(ctx, g.run(), func() {
		g.memory.load()
		if licenseKey != g.memory.licenseKey {
			g.answer = nil
		}
		g.memory.adopt(licenseKey)
	}).check)
	return g.State()
}

func (g *Guard) licenseKey(ctx context.Context) (string, error) {
	if err := g.work.lockWithin(ctx); err != nil {
		return "", err
	}
	defer g.work.unlock()
	return g.memory.licenseKey, nil
}
