package licensing_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	licensing "licensing.example.com/sdk"
	"licensing.example.com/sdk/api"
)

// liveManagement is a client of a real service, which sdks/test/native.long.test.ts starts.
func liveManagement(t *testing.T, transport http.RoundTripper) *licensing.ManagementClient {
	t.Helper()
	url, token := os.Getenv("LICENSING_TEST_URL"), os.Getenv("LICENSING_TEST_TOKEN")
	if url == "" {
		t.Skip("LICENSING_TEST_URL names no service")
	}
	options := licensing.ManagementOptions{BaseURL: url, AccessToken: token, Transport: transport}
	management, err := licensing.NewManagementClient(options)
	if err != nil {
		t.Fatal(err)
	}
	return management
}

// must fails the test with the error of a call.
func must[T any](result T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
}

func standardPolicy(t *testing.T, management *licensing.ManagementClient) *api.Policy {
	t.Helper()
	list := management.Policies.List(api.ListPoliciesQuery{Limit: 1})
	if !list.Next(context.Background()) {
		t.Fatal("no policy", list.Err())
	}
	return list.Item()
}

func TestLiveALicenseIsCreatedReadChangedRevokedAndDeleted(t *testing.T) {
	ctx, management := context.Background(), liveManagement(t, nil)
	policy := standardPolicy(t, management)
	expiry := time.Now().Add(48 * time.Hour)
	created := must(management.Licenses.Create(ctx, api.CreateLicense{
		PolicyID:  policy.ID,
		Holder:    api.Set(api.LicenseHolderInput{Name: api.Set("Ada"), Email: api.Set("ada@example.com")}),
		ExpiresAt: api.Set(expiry),
		Metadata:  api.Set(map[string]any{"orderId": 7, "<&>": "é"}),
	}))(t)
	if created.Status != "active" || *created.Holder.Name != "Ada" || created.Metadata["<&>"] != "é" || len(created.Raw) == 0 {
		t.Fatalf("%+v", created)
	}
	read := must(management.Licenses.Get(ctx, created.ID))(t)
	end, err := time.Parse(time.RFC3339Nano, *read.ExpiresAt)
	if difference := end.Sub(expiry); err != nil || difference > time.Millisecond || difference < -time.Millisecond {
		t.Fatal(*read.ExpiresAt, expiry)
	}
	changed := must(management.Licenses.Update(ctx, created.ID, api.UpdateLicense{Holder: api.Null[api.LicenseHolderInput]()}))(t)
	if changed.Holder.Name != nil || changed.Metadata["orderId"] != 7.0 {
		t.Fatalf("%+v", changed)
	}
	if sale := must(management.Licenses.GetSale(ctx, created.ID))(t); sale != nil {
		t.Fatalf("%+v", sale)
	}
	suspended := must(management.Licenses.Suspend(ctx, created.ID, api.LicenseTransition{Reason: api.Set("Unpaid")}))(t)
	verdict := must(management.Licenses.Validate(ctx, created.ID, api.ValidateLicense{}))(t)
	if suspended.Status != "suspended" || verdict.Code != "LICENSE.SUSPENDED" {
		t.Fatal(suspended.Status, verdict.Code)
	}
	must(management.Licenses.Reinstate(ctx, created.ID, api.LicenseTransition{}))(t)
	must(management.Licenses.Revoke(ctx, created.ID, api.LicenseRevocation{}))(t)
	if deleted := must(management.Licenses.Delete(ctx, created.ID))(t); !deleted.Deleted {
		t.Fatalf("%+v", deleted)
	}
	if _, err := management.Licenses.Get(ctx, created.ID); licensing.CodeOf(err) != "LICENSE.NOT_FOUND" {
		t.Fatal(err)
	}
}

// losing loses the first answer to each creation.
type losing struct {
	mutex sync.Mutex
	lost  bool
}

func (l *losing) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if err == nil && request.Method == "POST" && !l.lost {
		l.lost = true
		response.Body.Close()
		return nil, io.ErrUnexpectedEOF
	}
	return response, err
}

func TestLiveACreationWhoseAnswerIsLostCreatesOneLicense(t *testing.T) {
	ctx, transport := context.Background(), &losing{}
	management := liveManagement(t, transport)
	policy := standardPolicy(t, management)
	holder := api.Set(api.LicenseHolderInput{Email: api.Set("lost@example.com")})
	must(management.Licenses.Create(ctx, api.CreateLicense{PolicyID: policy.ID, Holder: holder}))(t)
	list, found := management.Licenses.List(api.ListLicensesQuery{HolderEmail: "lost@example.com"}), 0
	for list.Next(ctx) {
		found++
	}
	if list.Err() != nil || found != 1 || !transport.lost {
		t.Fatal(found, list.Err())
	}
}

func TestLiveLicensesAreImportedFromAStreamListedAndExported(t *testing.T) {
	ctx, management := context.Background(), liveManagement(t, nil)
	policy := standardPolicy(t, management)
	product := must(management.Products.Get(ctx, policy.ProductID))(t)
	row := "\n" + product.Code + "," + policy.Code + ",imported@example.com"
	content := "product,policy,holder_email" + strings.Repeat(row, 5)
	wrong := licensing.CSV(strings.NewReader(content + "\n" + product.Code + ",nothing,"))
	if _, err := management.Licenses.Import(ctx, wrong, api.ImportLicensesQuery{}); licensing.CodeOf(err) != "IMPORT.REJECTED" {
		t.Fatal(err)
	}
	result := must(management.Licenses.Import(ctx, licensing.CSV(strings.NewReader(content)), api.ImportLicensesQuery{}))(t)
	if result.Created != 5 || result.Failed != 0 {
		t.Fatalf("%+v", result)
	}
	list, keys := management.Licenses.List(api.ListLicensesQuery{HolderEmail: "imported@example.com", Limit: 2}), map[string]bool{}
	for list.Next(ctx) {
		keys[list.Item().Key] = true
	}
	if list.Err() != nil || len(keys) != 5 {
		t.Fatal(keys, list.Err())
	}
	page := must(list.Page(ctx, ""))(t)
	if len(page.Data) != 2 || page.NextCursor == "" {
		t.Fatalf("%+v", page)
	}
	file := must(management.Licenses.Export(ctx, api.ExportLicensesQuery{HolderEmail: "imported@example.com"}))(t)
	defer file.Close()
	text := must(io.ReadAll(file))(t)
	if strings.Count(string(text), "\n") != 5 {
		t.Fatal(string(text))
	}
	ids := []string{page.Data[0].ID, page.Data[1].ID}
	chosen := must(management.Licenses.Export(ctx, api.ExportLicensesQuery{IDs: ids, Format: "csv"}))(t)
	defer chosen.Close()
	if text := must(io.ReadAll(chosen))(t); !strings.Contains(string(text), page.Data[1].Key) {
		t.Fatal(string(text))
	}
	background := must(management.Licenses.StartImport(ctx, licensing.NDJSON(strings.NewReader("{}\n")), api.ImportLicensesQuery{}))(t)
	if must(management.Licenses.GetImport(ctx, background.ID))(t).ID != background.ID {
		t.Fatalf("%+v", background)
	}
}

func TestLiveEveryListIsReadAndEveryItemHasItsForm(t *testing.T) {
	management := liveManagement(t, nil)
	for name, read := range map[string]func() error{
		"products":           all(management.Products.List(api.ListProductsQuery{})),
		"policies":           all(management.Policies.List(api.ListPoliciesQuery{})),
		"licenses":           all(management.Licenses.List(api.ListLicensesQuery{})),
		"license batches":    all(management.LicenseBatches.List(api.ListLicenseBatchesQuery{})),
		"bulk operations":    all(management.BulkOperations.List(api.ListBulkOperationsQuery{})),
		"activations":        all(management.Activations.List(api.ListActivationsQuery{})),
		"customers":          all(management.Customers.List(api.ListCustomersQuery{})),
		"entitlements":       all(management.Entitlements.List(api.ListEntitlementsQuery{})),
		"usage":              all(management.Usage.List(api.ListUsageQuery{})),
		"mails":              all(management.Mails.List(api.ListHolderMailsQuery{})),
		"API keys":           all(management.APIKeys.List(api.ListAPIKeysQuery{})),
		"webhooks":           all(management.Webhooks.List(api.ListWebhooksQuery{})),
		"webhook deliveries": all(management.WebhookDeliveries.List(api.ListWebhookDeliveriesQuery{})),
		"notifications":      all(management.Notifications.List(api.ListNotificationsQuery{})),
		"audit logs":         all(management.AuditLogs.List(api.ListAuditLogsQuery{})),
		"connections":        all(management.Connections.List(api.ListConnectionsQuery{})),
	} {
		if err := read(); err != nil {
			t.Error(name, err)
		}
	}
	if must(management.Settings.Get(context.Background()))(t).Name == "" {
		t.Error("the tenant has no name")
	}
}

// all returns what reads a list to its end.
func all[T any](list *licensing.Listing[T]) func() error {
	return func() error {
		for list.Next(context.Background()) {
			list.Item()
		}
		return list.Err()
	}
}

func TestLiveLicensesAreChangedInBulkAndTakenBack(t *testing.T) {
	ctx, management := context.Background(), liveManagement(t, nil)
	policy := standardPolicy(t, management)
	license := must(management.Licenses.Create(ctx, api.CreateLicense{PolicyID: policy.ID}))(t)
	fields := api.CreateBulkOperation{IDs: []string{license.ID}, Action: api.BulkAction{Type: "suspend"}}
	if preview := must(management.BulkOperations.Preview(ctx, fields))(t); preview.Total == nil || *preview.Total != 1 {
		t.Fatalf("%+v", preview)
	}
	if status := must(management.Licenses.Get(ctx, license.ID))(t).Status; status != "active" {
		t.Fatal(status)
	}
	if operation := must(management.BulkOperations.Create(ctx, fields, licensing.IdempotencyKey("bulk-"+license.ID)))(t); operation.ID == "" {
		t.Fatalf("%+v", operation)
	}
}
