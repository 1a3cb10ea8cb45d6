// Command licensed-cli shows how a command-line tool asks whether it may be used. It ends with the status 1 without a
// license. It reads from the environment what a real tool has embedded (LICENSING_URL, LICENSING_API_KEY, LICENSING_JWKS,
// LICENSING_ISSUER and LICENSING_TENANT), and LICENSE_KEY, which a user enters.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	licensing "licensing.example.com/sdk"
)

func main() {
	client, err := licensing.NewClient(licensing.ClientOptions{
		BaseURL: os.Getenv("LICENSING_URL"),
		APIKey:  os.Getenv("LICENSING_API_KEY"),
	})
	if err != nil {
		fail(err.Error())
	}
	// The public keys of the vendor: the tool believes only what they have signed.
	jwks := &licensing.JWKS{}
	if err := json.Unmarshal([]byte(os.Getenv("LICENSING_JWKS")), jwks); err != nil {
		fail("LICENSING_JWKS must be the JWK Set of the vendor: " + err.Error())
	}
	guard, err := licensing.NewGuard(licensing.GuardOptions{
		Client:     client,
		LicenseKey: os.Getenv("LICENSE_KEY"),
		Product:    "editor",
		JWKS:       jwks,
		Issuer:     os.Getenv("LICENSING_ISSUER"),
		Audience:   os.Getenv("LICENSING_TENANT"),
		Store:      licensing.FileStore(filepath.Join(stateFolder(), "license.json")),
		Fingerprint: func() (string, error) {
			return licensing.MachineFingerprint(licensing.FingerprintOptions{Product: "editor"})
		},
	})
	if err != nil {
		fail(err.Error())
	}
	ctx := context.Background()
	state := guard.Start(ctx)
	defer guard.Stop(ctx)
	if state.Status == licensing.Unlicensed {
		fail(state.Reason + ": " + state.Message)
	}
	fmt.Printf("Licensed (%s).\n", state.Reason)
}

func stateFolder() string {
	folder, err := os.UserConfigDir()
	if err != nil {
		folder = os.TempDir()
	}
	return filepath.Join(folder, "licensed-cli")
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}
