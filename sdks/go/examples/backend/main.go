// Command backend shows the backend of a vendor: it creates the license of an order, and receives the webhooks of the
// service. It reads LICENSING_URL, LICENSING_TOKEN (an access token), LICENSING_POLICY_ID, LICENSING_WEBHOOK_SECRET and
// ADDRESS from the environment.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net"
	"net/http"
	"os"

	licensing "licensing.example.com/sdk"
	"licensing.example.com/sdk/api"
)

// order is what the shop reports when a customer has paid.
type order struct {
	Number string `json:"number"`
	Email  string `json:"email"`
}

type backend struct {
	management *licensing.ManagementClient
	policyID   string
}

// sell answers with the license key of an order. The number of the order is the idempotency key, so a repeated report
// returns the first license.
func (b *backend) sell(response http.ResponseWriter, request *http.Request) {
	var paid order
	body := http.MaxBytesReader(response, request.Body, 10_000)
	if err := json.NewDecoder(body).Decode(&paid); err != nil || paid.Number == "" {
		http.Error(response, "Send the number of the order and the email address of the customer.", http.StatusBadRequest)
		return
	}
	license, err := b.management.Licenses.Create(request.Context(), api.CreateLicense{
		PolicyID:    b.policyID,
		OrderNumber: api.Set(paid.Number),
		Holder:      api.Set(api.LicenseHolderInput{Email: api.Set(paid.Email)}),
	}, licensing.IdempotencyKey("order-"+paid.Number))
	if err != nil {
		log.Print(err)
		http.Error(response, "The license was not created. Report the order again.", http.StatusServiceUnavailable)
		return
	}
	_ = json.NewEncoder(response).Encode(map[string]string{"license_key": license.Key})
}

func main() {
	management, err := licensing.NewManagementClient(licensing.ManagementOptions{
		BaseURL:     os.Getenv("LICENSING_URL"),
		AccessToken: os.Getenv("LICENSING_TOKEN"),
	})
	if err != nil {
		log.Fatal(err)
	}
	shop := &backend{management, os.Getenv("LICENSING_POLICY_ID")}
	// In your shop, only your own code may call this: check a signature or a login first.
	http.HandleFunc("/orders", shop.sell)
	secrets := []string{os.Getenv("LICENSING_WEBHOOK_SECRET")}
	http.Handle("/webhooks/licensing", licensing.WebhookHandler(secrets, received))
	listener, err := net.Listen("tcp", os.Getenv("ADDRESS"))
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("Listening on http://%s", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}

// received does the work of an event. After an error, the service sends the event again.
func received(_ context.Context, event *licensing.WebhookEvent) error {
	log.Printf("%s %s", event.Type, event.ID)
	return nil
}
