package main

import (
	"context"
	"encoding/json"

	licensing "licensing.example.com/sdk"
)

// release performs the calls about releases.
func release(client *licensing.Client, operation string, arguments json.RawMessage) (any, error) {
	var one struct {
		Product        string `json:"product"`
		LicenseKey     string `json:"license_key"`
		Channel        string `json:"channel"`
		Platform       string `json:"platform"`
		Arch           string `json:"arch"`
		CurrentVersion string `json:"current_version"`
		ReleaseID      string `json:"release_id"`
		ArtifactID     string `json:"artifact_id"`
	}
	if err := json.Unmarshal(arguments, &one); err != nil {
		return nil, err
	}
	ctx := context.Background()
	if operation == "download_release" {
		download, err := client.DownloadRelease(ctx, one.ReleaseID, one.ArtifactID, one.LicenseKey)
		if err != nil {
			return nil, err
		}
		return download.Raw, nil
	}
	latest, err := client.LatestRelease(ctx, licensing.ReleaseQuestion{
		Product: one.Product, LicenseKey: one.LicenseKey, Channel: one.Channel, Platform: one.Platform, Arch: one.Arch,
		CurrentVersion: one.CurrentVersion,
	})
	if err != nil {
		return nil, err
	}
	return latest.Raw, nil
}

// checkForUpdate returns the versions that a guard found, and the code.
func checkForUpdate(guard *licensing.Guard, one guardArguments) any {
	question := licensing.UpdateQuestion{CurrentVersion: one.CurrentVersion, Channel: one.Channel}
	check := guard.CheckForUpdate(context.Background(), question)
	found := map[string]any{"release": nil, "newest": nil, "code": nil}
	if check.Release != nil {
		found["release"] = check.Release.Version
	}
	if check.Newest != nil {
		found["newest"] = check.Newest.Version
	}
	if check.Code != "" {
		found["code"] = check.Code
	}
	return found
}
