// Command licensed-cli shows how a command-line tool asks whether it may be used. It reads LICENSING_URL,
// LICENSING_API_KEY and LICENSE_KEY from the environment, and ends with the status 1 without a license.
package main

import (
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
	guard, err := licensing.NewGuard(licensing.GuardOptions{
		Client:     client,
		LicenseKey: os.Getenv("LICENSE_KEY"),
		Product:    "editor",
		Store:      licensing.FileStore(filepath.Join(stateFolder(), "license.json")),
		Fingerprint: func() (string, error) {
			return licensing.MachineFingerprint(licensing.FingerprintOptions{Product: "editor"})
		},
	})
	if err != nil {
		fail(err.Error())
	}
	state := guard.Start()
	defer guard.Stop()
	if state.Status == licensing.Unlicensed {
		fail(state.Reason + ": " + state.Detail)
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
