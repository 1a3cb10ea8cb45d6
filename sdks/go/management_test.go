package licensing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"licensing.example.com/sdk/api"
)

const testToken = "service_0123456789"

// received is a request as a server got it.
type received struct {
	method, uri, body string
	header            http.Header
}

// managementOf a server that answers each request with the next answer: "200 {…}".
func managementFor(t *testing.T, answers ...string) (*ManagementClient, *[]received) {
	t.Helper()
	requests := &[]received{}
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		*requests = append(*requests, received{request.Method, request.RequestURI, string(body), request.Header})
		if len(answers) == 0 {
			t.Error("one request too many")
			return
		}
		status, answer := 0, ""
		_, _ = fmt.Sscanf(answers[0], "%d", &status)
		answer, answers = strings.TrimSpace(answers[0][3:]), answers[1:]
		kind := "application/json"
		if !strings.HasPrefix(answer, "{") {
			kind = "text/csv; charset=utf-8"
		}
		response.Header().Set("content-type", kind)
		response.WriteHeader(status)
		_, _ = io.WriteString(response, answer)
	}))
	t.Cleanup(server.Close)
	management, err := NewManagementClient(ManagementOptions{BaseURL: server.URL, AccessToken: testToken, Clock: hasty{}})
	if err != nil {
		t.Fatal(err)
	}
	return management, requests
}

// hasty is a clock without waits.
type hasty struct{ systemClock }

func (hasty) Sleep(context.Context, time.Duration) error { return nil }

const failed = `503 {"error":{"code":"SERVICE.UNAVAILABLE","message":"Try again."}}`

func TestARepeatedCreationHasTheSameIdempotencyKey(t *testing.T) {
	management, requests := managementFor(t, failed, `201 {"data":{"id":"license-1","new_field":1}}`)
	license, err := management.Licenses.Create(context.Background(), api.CreateLicense{PolicyID: "policy-1"})
	if err != nil || license.ID != "license-1" || string(license.Raw) != `{"id":"license-1","new_field":1}` {
		t.Fatalf("%+v %v", license, err)
	}
	first, second := (*requests)[0], (*requests)[1]
	key := first.header.Get("idempotency-key")
	if len(*requests) != 2 || key == "" || second.header.Get("idempotency-key") != key || second.body != first.body {
		t.Fatalf("%+v", *requests)
	}
	if first.header.Get("authorization") != "Bearer "+testToken || first.header.Get("x-api-key") != "" {
		t.Fatalf("%+v", first.header)
	}
}

func TestTheCallerNamesACreation(t *testing.T) {
	management, requests := managementFor(t, `201 {"data":{}}`)
	ctx := context.Background()
	if _, err := management.Products.Create(ctx, api.CreateProduct{}, IdempotencyKey("order 7")); CodeOf(err) != CodeConfigurationInvalid {
		t.Fatal(err)
	}
	if _, err := management.Products.Create(ctx, api.CreateProduct{}, IdempotencyKey("order-7")); err != nil {
		t.Fatal(err)
	}
	if (*requests)[0].header.Get("idempotency-key") != "order-7" {
		t.Fatalf("%+v", *requests)
	}
}

func TestACallThatWouldActTwiceIsRepeatedOnlyAfterARefusal(t *testing.T) {
	bad := `502 {"error":{"code":"GATEWAY.BAD","message":"The answer was lost."}}`
	management, requests := managementFor(t, failed, bad)
	if _, err := management.Webhooks.Test(context.Background(), "webhook-1"); CodeOf(err) != "GATEWAY.BAD" {
		t.Fatal(err)
	}
	if len(*requests) != 2 {
		t.Fatalf("%+v", *requests)
	}
}

// failing counts requests, none of which reaches a server.
type failing struct{ requests int }

func (f *failing) RoundTrip(*http.Request) (*http.Response, error) {
	f.requests++
	return nil, io.ErrUnexpectedEOF
}

func TestACallThatWouldActTwiceIsNotRepeatedAfterAnAnswerIsLost(t *testing.T) {
	transport := &failing{}
	options := ManagementOptions{BaseURL: "http://localhost", AccessToken: testToken, Transport: transport, Clock: hasty{}}
	management, err := NewManagementClient(options)
	if err != nil {
		t.Fatal(err)
	}
	_, err = management.Webhooks.Test(context.Background(), "webhook-1")
	if CodeOf(err) != CodeNetworkUnreachable || transport.requests != 1 {
		t.Fatal(err, transport.requests)
	}
	_, err = management.Webhooks.Get(context.Background(), "webhook-1")
	if CodeOf(err) != CodeNetworkUnreachable || transport.requests != 4 {
		t.Fatal(err, transport.requests)
	}
}

func TestALeftOutFieldANullAndAValueAreThreeRequests(t *testing.T) {
	ok := `200 {"data":{}}`
	management, requests := managementFor(t, ok, ok, ok)
	expiry := time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC)
	for _, fields := range []api.UpdateLicense{
		{}, {ExpiresAt: api.Null[time.Time]()}, {ExpiresAt: api.Set(expiry), MaxActivations: api.Set[int64](0)},
	} {
		if _, err := management.Licenses.Update(context.Background(), "id/1", fields); err != nil {
			t.Fatal(err)
		}
	}
	for i, body := range []string{`{}`, `{"expires_at":null}`, `{"expires_at":"2027-01-31T12:00:00Z","max_activations":0}`} {
		if one := (*requests)[i]; one.body != body || one.method != "PUT" || one.uri != "/api/v1/tenant/licenses/id%2F1" {
			t.Errorf("%+v", one)
		}
	}
}

func TestAListIsReadPageAfterPage(t *testing.T) {
	management, requests := managementFor(
		t, `200 {"data":[{"id":"1"},{"id":"2"}],"meta":{"next_cursor":"c+1"}}`, `200 {"data":[],"meta":{"next_cursor":"c2"}}`,
		`200 {"data":[{"id":"3"}],"meta":{"next_cursor":null}}`,
	)
	list := management.Licenses.List(api.ListLicensesQuery{Limit: 2, HolderEmail: "ada@example.com"})
	if len(*requests) != 0 {
		t.Fatal("a list is read before it is used")
	}
	ids := ""
	for list.Next(context.Background()) {
		ids += list.Item().ID
	}
	if ids != "123" || list.Err() != nil || list.Next(context.Background()) {
		t.Fatal(ids, list.Err())
	}
	for i, query := range []string{"", "cursor=c%2B1&", "cursor=c2&"} {
		if uri := "/api/v1/tenant/licenses?" + query + "holder_email=ada%40example.com&limit=2"; (*requests)[i].uri != uri {
			t.Error((*requests)[i].uri, uri)
		}
	}
}

func TestAListEndsWithTheErrorOfAPage(t *testing.T) {
	management, _ := managementFor(
		t, `200 {"data":[{"id":"1"}],"meta":{"next_cursor":"c"}}`, `403 {"error":{"code":"AUTH.ROLE_REQUIRED","message":"No."}}`,
	)
	list, items := management.Products.List(api.ListProductsQuery{}), 0
	for list.Next(context.Background()) {
		items++
	}
	if items != 1 || CodeOf(list.Err()) != "AUTH.ROLE_REQUIRED" || list.Next(context.Background()) {
		t.Fatal(items, list.Err())
	}
}

func TestAnImportIsSentWhileItIsReadAndOnlyOnce(t *testing.T) {
	management, requests := managementFor(t, failed)
	reader, writer := io.Pipe()
	go func() {
		for i := 0; i < 3; i++ {
			fmt.Fprintln(writer, `{"policy":"standard"}`)
		}
		writer.Close()
	}()
	_, err := management.Licenses.Import(context.Background(), NDJSON(reader), api.ImportLicensesQuery{})
	if CodeOf(err) != "SERVICE.UNAVAILABLE" || len(*requests) != 1 {
		t.Fatal(err, *requests)
	}
	one := (*requests)[0]
	if one.header.Get("content-type") != "application/x-ndjson" || strings.Count(one.body, "\n") != 3 {
		t.Fatalf("%+v", one)
	}
	if _, err := management.Licenses.Import(context.Background(), ImportContent{}, api.ImportLicensesQuery{}); CodeOf(err) != CodeConfigurationInvalid {
		t.Fatal(err)
	}
}

func TestAFileIsReadPieceByPieceAndAFailureIsAnError(t *testing.T) {
	management, requests := managementFor(t, failed, "200 id\n1\n", `200 {"data":[]}`)
	query := api.ExportLicensesQuery{Format: "csv", IDs: []string{"1", "2"}}
	file, err := management.Licenses.Export(context.Background(), query)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(file)
	if string(text) != "id\n1" || err != nil || file.Close() != nil {
		t.Fatalf("%q %v", text, err)
	}
	if uri := (*requests)[1].uri; uri != "/api/v1/tenant/licenses/export?format=csv&ids=1&ids=2" {
		t.Fatal(uri)
	}
	if _, err := management.Licenses.Export(context.Background(), query); CodeOf(err) != CodeResponseInvalid {
		t.Fatal(err)
	}
}

func TestAResultThatMayBeNullIsNil(t *testing.T) {
	management, _ := managementFor(t, `200 {"data":null}`, `200 {}`)
	if sale, err := management.Licenses.GetSale(context.Background(), "1"); sale != nil || err != nil {
		t.Fatal(sale, err)
	}
	if _, err := management.Licenses.GetSale(context.Background(), "1"); CodeOf(err) != CodeResponseInvalid {
		t.Fatal(err)
	}
}

func TestAFileThatNeverBeginsIsATimeout(t *testing.T) {
	blocked := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-blocked }))
	defer server.Close()
	defer close(blocked)
	options := ManagementOptions{BaseURL: server.URL, AccessToken: testToken, Timeout: 50 * time.Millisecond}
	management, err := NewManagementClient(options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := management.AuditLogs.Export(context.Background(), api.ExportAuditLogsQuery{}); CodeOf(err) != CodeNetworkTimeout {
		t.Fatal(err)
	}
}

func TestAnAccessTokenOfAnotherKindIsRefusedAndAppearsInNoError(t *testing.T) {
	for _, token := range []string{"", "vx_1", "whsec_1", "service_ä", "service_1\n"} {
		_, err := NewManagementClient(ManagementOptions{BaseURL: "http://localhost", AccessToken: token})
		if CodeOf(err) != CodeConfigurationInvalid || token != "" && strings.Contains(err.Error(), token) {
			t.Errorf("%q: %v", token, err)
		}
	}
	management, _ := managementFor(t, `401 {"error":{"code":"AUTH.INVALID","message":"Not `+testToken+`."}}`)
	var failure *Error
	_, err := management.Settings.Get(context.Background())
	if !errors.As(err, &failure) || failure.Status != 401 || strings.Contains(err.Error(), testToken) {
		t.Fatal(err)
	}
}
