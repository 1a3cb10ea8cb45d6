package licensing

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"
)

const (
	requestFormat     = "licensing-offline-request-v1"
	certificateFormat = "licensing-offline-certificate-v1"
)

// OfflineDevice is what a request file says of a device.
type OfflineDevice struct {
	// Product is the code of the product.
	Product string
	// Fingerprint identifies the device, as in Activate.
	Fingerprint string
	Name        string
	Hostname    string
	Platform    string
	// Now is when the file is written; zero means now.
	Now time.Time
}

// CertificateFile is the content of a certificate file. Certificate is not verified yet: VerifyCertificate.
type CertificateFile struct {
	Product     string `json:"product"`
	LicenseKey  string `json:"license_key"`
	Certificate string `json:"certificate"`
	ExpiresAt   string `json:"expires_at"`
}

// OfflineRequest returns the text of a request file, with which the holder of a license activates a device without a
// network in the portal of the vendor. The error is CONFIGURATION.INVALID without a product or a fingerprint.
func OfflineRequest(device OfflineDevice) (string, error) {
	if device.Product == "" || device.Fingerprint == "" {
		return "", configurationError("Product and Fingerprint must not be empty.")
	}
	now := device.Now
	if now.IsZero() {
		now = time.Now()
	}
	orNull := func(text string) any {
		if text == "" {
			return nil
		}
		return text
	}
	request := map[string]any{
		"format": requestFormat, "product": device.Product, "fingerprint": device.Fingerprint,
		"name": orNull(device.Name), "hostname": orNull(device.Hostname), "platform": orNull(device.Platform),
		"created_at": timestamp(now),
	}
	text, err := json.MarshalIndent(request, "", "  ")
	if err != nil {
		return "", configurationError("The request cannot be written as JSON (%v).", err)
	}
	return string(text) + "\n", nil
}

// ReadCertificateFile reads the text of a certificate file, which the portal returns for a request file. It does not verify
// the certificate. The error is CERTIFICATE_FILE.INVALID for any other text.
func ReadCertificateFile(text string) (*CertificateFile, error) {
	content := objectIn([]byte(strings.TrimPrefix(text, "\ufeff")))
	file := &CertificateFile{
		Product: textIn(content["product"]), LicenseKey: textIn(content["license_key"]),
		Certificate: textIn(content["certificate"]), ExpiresAt: textIn(content["expires_at"]),
	}
	isWhole := file.Product != "" && file.LicenseKey != "" && file.Certificate != "" && file.ExpiresAt != ""
	if format := textIn(content["format"]); format != certificateFormat || !isWhole {
		message := "This is not a certificate file. Download it again from the portal, and import it unchanged."
		if format == requestFormat {
			message = "This is the request file. Upload it in the portal, and import the file that you download there."
		}
		return nil, &Error{Code: CodeFileInvalid, Message: message}
	}
	return file, nil
}

// checkFileOf returns CERTIFICATE_FILE.OTHER_LICENSE unless the file is for a license key, as a person typed it.
func checkFileOf(file *CertificateFile, licenseKey string) error {
	if essenceOf(file.LicenseKey) == essenceOf(licenseKey) {
		return nil
	}
	message := "This certificate file is for another license key. Enter that key, or download the file of this license."
	return &Error{Code: CodeFileOtherLicense, Message: message}
}

func essenceOf(licenseKey string) string {
	kept := func(c rune) rune {
		if unicode.IsSpace(c) || strings.ContainsRune("-–—_", c) {
			return -1
		}
		return unicode.ToUpper(c)
	}
	return strings.Map(kept, licenseKey)
}
