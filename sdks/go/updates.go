package licensing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
)

// ReleaseQuestion says which release an application looks for.
type ReleaseQuestion struct {
	Product string
	// LicenseKey is the key of the license. Without one, the answer only names the newest release.
	LicenseKey string
	// Channel is stable, beta, alpha, or one of the vendor's own; "" means stable.
	Channel string
	// Platform is windows, macos, linux or any.
	Platform string
	// Arch is x64, arm64, x86, arm, universal or any.
	Arch string
	// CurrentVersion is the version that runs.
	CurrentVersion string
}

// ReleaseArtifact is a file of a release, without its address.
type ReleaseArtifact struct {
	ID        string  `json:"id"`
	Platform  string  `json:"platform"`
	Arch      string  `json:"arch"`
	FileName  string  `json:"file_name"`
	Size      int64   `json:"size"`
	SHA256    string  `json:"sha256"`
	Signature *string `json:"signature"`
}

// OfferedRelease is a release that the license permits. Notes are Markdown.
type OfferedRelease struct {
	ID         string            `json:"id"`
	Version    string            `json:"version"`
	Channel    string            `json:"channel"`
	Notes      string            `json:"notes"`
	ReleasedAt string            `json:"released_at"`
	Artifacts  []ReleaseArtifact `json:"artifacts"`
}

// NewestRelease is the newest release of a channel. Code says why the license does not permit it; nil: it does.
type NewestRelease struct {
	Version    string  `json:"version"`
	ReleasedAt string  `json:"released_at"`
	Code       *string `json:"code"`
	Detail     *string `json:"detail"`
}

// PermittedRelease is the newest release that a license permits.
type PermittedRelease struct {
	Version string `json:"version"`
}

// LatestRelease is the answer of Client.LatestRelease. Release is nil if no permitted release is newer than the current one.
type LatestRelease struct {
	Release         *OfferedRelease   `json:"release"`
	Newest          *NewestRelease    `json:"newest"`
	NewestPermitted *PermittedRelease `json:"newest_permitted"`
	Raw             Raw               `json:"-"`
}

// ReleaseDownload is the link to a file of a release, and the hash for VerifyArtifact. Without ExpiresAt, it always works.
type ReleaseDownload struct {
	URL       string  `json:"url"`
	ExpiresAt *string `json:"expires_at"`
	FileName  string  `json:"file_name"`
	Size      int64   `json:"size"`
	SHA256    string  `json:"sha256"`
	Raw       Raw     `json:"-"`
}

// LatestRelease finds the newest release that a license permits and that is newer than the current version, and says why a
// newer one is not offered. The API key needs the scope releases:read.
func (c *Client) LatestRelease(ctx context.Context, question ReleaseQuestion) (*LatestRelease, error) {
	request, err := send("releases/latest", map[string]any{
		"product": question.Product, "license_key": question.LicenseKey, "channel": question.Channel,
		"platform": question.Platform, "arch": question.Arch, "current_version": question.CurrentVersion,
	})
	if err != nil {
		return nil, err
	}
	return resultOf(c, ctx, request, func(latest *LatestRelease, raw Raw) { latest.Raw = raw })
}

// DownloadRelease returns the link to a file of a release, with its hash for VerifyArtifact. It downloads nothing.
func (c *Client) DownloadRelease(ctx context.Context, releaseID, artifactID, licenseKey string) (*ReleaseDownload, error) {
	path := "releases/" + segment(releaseID) + "/artifacts/" + segment(artifactID) + "/download"
	request, err := send(path, map[string]any{"license_key": licenseKey})
	if err != nil {
		return nil, err
	}
	request.required = map[string]byte{"url": kindText}
	return resultOf(c, ctx, request, func(download *ReleaseDownload, raw Raw) { download.Raw = raw })
}

// UpdateQuestion says which update an application looks for.
type UpdateQuestion struct {
	// CurrentVersion is the version that runs.
	CurrentVersion string
	// Channel is stable unless it is set.
	Channel string
}

// UpdateCheck is the answer of Guard.CheckForUpdate. Without a Release, no permitted release is newer.
type UpdateCheck struct {
	LatestRelease
	// Code says why the newest release is not offered, or why the service gave no answer; "": the license permits the newest
	// one. Detail explains it.
	Code   string
	Detail string
}

// releaseFinder is what CheckForUpdate needs of a client. A *Client has it.
type releaseFinder interface {
	LatestRelease(ctx context.Context, question ReleaseQuestion) (*LatestRelease, error)
}

// CheckForUpdate finds the newest release of the product that the license permits, for this system. It downloads nothing.
// A failure is the Code of the answer. Needs Product.
func (g *Guard) CheckForUpdate(ctx context.Context, question UpdateQuestion) UpdateCheck {
	latest, err := g.findUpdate(ctx, question)
	if err != nil {
		failure := wrapped(CodeGuardFailed, err, "Correct the client.")
		return UpdateCheck{Code: failure.Code, Detail: failure.Message}
	}
	check := UpdateCheck{LatestRelease: *latest}
	if newest := latest.Newest; newest != nil && newest.Code != nil {
		check.Code = *newest.Code
		if newest.Detail != nil {
			check.Detail = *newest.Detail
		}
	}
	return check
}

func (g *Guard) findUpdate(ctx context.Context, question UpdateQuestion) (*LatestRelease, error) {
	client, finds := g.options.Client.(releaseFinder)
	if g.options.Product == "" || !finds {
		return nil, configurationError("Pass Product and a *Client to the guard to find updates.")
	}
	if err := g.work.lockWithin(ctx); err != nil {
		return nil, err
	}
	if g.memory.licenseKey == "" {
		g.memory.load()
	}
	licenseKey := g.memory.licenseKey
	g.endWork()
	return client.LatestRelease(ctx, ReleaseQuestion{
		Product: g.options.Product, LicenseKey: licenseKey, Channel: question.Channel,
		Platform: named(platforms, runtime.GOOS), Arch: named(archs, runtime.GOARCH),
		CurrentVersion: question.CurrentVersion,
	})
}

var (
	platforms = map[string]string{"windows": "windows", "darwin": "macos", "linux": "linux"}
	archs     = map[string]string{"amd64": "x64", "arm64": "arm64", "386": "x86", "arm": "arm"}
)

// named returns the name that the API has for a system, or "any".
func named(names map[string]string, name string) string {
	if found, isKnown := names[name]; isKnown {
		return found
	}
	return "any"
}

var sha256Text = regexp.MustCompile(`^[0-9a-fA-F]{64}$`)

// VerifyArtifact says whether a downloaded file is the one that the vendor published: whether its SHA-256 is the given one,
// as DownloadRelease and the files of a release state it. It reads the file piece by piece.
func VerifyArtifact(path, hash string) (bool, error) {
	if !sha256Text.MatchString(hash) {
		return false, configurationError("The hash must be 64 hexadecimal characters.")
	}
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, file); err != nil {
		return false, err
	}
	return hex.EncodeToString(digest.Sum(nil)) == strings.ToLower(hash), nil
}
