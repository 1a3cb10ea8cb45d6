package licensing

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

const tenantPrefix = "/api/v1/tenant/"

// ManagementOptions are the options of a ManagementClient.
type ManagementOptions struct {
	// BaseURL is the address of the service, without /api: https://licensing.example.com.
	BaseURL string
	// AccessToken authenticates the vendor's backend (service_…). Keep it on a server.
	AccessToken string
	// Timeout limits one call with all its attempts, but not an import. 10 seconds unless it is set.
	Timeout time.Duration
	// MaxRetries is the number of attempts after the first one; nil: 2. A call that would act twice is repeated only if the
	// service refused it.
	MaxRetries *int
	// Transport replaces the standard one, for a proxy, a certificate authority or a test. Nil: http.DefaultTransport.
	Transport http.RoundTripper
	// Clock replaces the time of the system in a test.
	Clock Clock
}

// NewManagementClient returns a client, or an error with the code CONFIGURATION.INVALID for an option that cannot work.
func NewManagementClient(options ManagementOptions) (*ManagementClient, error) {
	if err := checkSecret("AccessToken", options.AccessToken, "service_"); err != nil {
		return nil, err
	}
	connection, err := connect(options.BaseURL, options.Timeout, options.MaxRetries, options.Transport, options.Clock)
	if err != nil {
		return nil, err
	}
	connection.header, connection.scheme, connection.secret = "authorization", "Bearer ", options.AccessToken
	return managementOf(connection), nil
}

// CallOption changes one call of a ManagementClient.
type CallOption func(*tenantRequest)

// IdempotencyKey is 1 to 255 characters of ASCII that name what a call does, such as the number of an order: a second call
// with the same key returns the result of the first. Without it, each call has a key of its own.
func IdempotencyKey(key string) CallOption {
	return func(request *tenantRequest) { request.idempotencyKey = &key }
}

// ImportContent is the content of an import, which is read while it is sent.
type ImportContent struct {
	Reader io.Reader
	// Type is its media type.
	Type string
}

// CSV is the content of an import with a header line.
func CSV(reader io.Reader) ImportContent { return ImportContent{reader, "text/csv"} }

// NDJSON is the content of an import with one JSON object per line.
func NDJSON(reader io.Reader) ImportContent { return ImportContent{reader, "application/x-ndjson"} }

// tenantRequest is one call of the tenant API.
type tenantRequest struct {
	method string
	path   string
	// query is a struct of package api, or nil.
	query  any
	cursor string
	// fields is a struct of package api, or nil. fixed are fields beside it.
	fields  any
	fixed   map[string]any
	content *ImportContent
	// isBackground says that an import answers before it is done.
	isBackground bool
	isNullable   bool
	isFile       bool
	actsAgain    bool
	// isOnce says that the call has an idempotency key.
	isOnce         bool
	idempotencyKey *string
	options        []CallOption
}

// first returns the query of a call that may leave it out.
func first[T any](given []T) any {
	if len(given) == 0 {
		return nil
	}
	return given[0]
}

// tenantPath fills the gaps of a path with ids.
func tenantPath(template string, ids ...string) string {
	for _, id := range ids {
		template = strings.Replace(template, "{}", segment(id), 1)
	}
	return tenantPrefix + template
}

var idempotencyKeyText = regexp.MustCompile(`^[!-~]{1,255}$`)

// prepared returns the request as it is sent. data is the kind of its answer.
func (r tenantRequest) prepared(data byte) (apiRequest, error) {
	for _, option := range r.options {
		option(&r)
	}
	request := apiRequest{method: r.method, path: r.path, content: r.content, actsAgain: r.actsAgain, isFile: r.isFile}
	if !r.isNullable && !r.isFile {
		request.required = map[string]byte{"data": data}
	}
	if r.isOnce {
		request.idempotencyKey = randomKey()
		if r.idempotencyKey != nil {
			request.idempotencyKey = *r.idempotencyKey
		}
		if !idempotencyKeyText.MatchString(request.idempotencyKey) {
			return request, configurationError("An idempotency key must be 1 to 255 characters of ASCII.")
		}
	}
	if r.content != nil && r.content.Reader == nil {
		return request, configurationError("Pass the content of the import: CSV(reader) or NDJSON(reader).")
	}
	query, err := r.encodedQuery()
	if err != nil {
		return request, err
	}
	if query != "" {
		request.path += "?" + query
	}
	if r.fields != nil || r.fixed != nil {
		request.body, err = r.encodedBody()
	}
	return request, err
}

func (r tenantRequest) encodedBody() ([]byte, error) {
	fields, err := fieldsOf(r.fields)
	if err != nil {
		return nil, err
	}
	for name, value := range r.fixed {
		fields[name], _ = json.Marshal(value)
	}
	return marshal(fields)
}

// fieldsOf returns the fields of a struct as JSON, without those that are left out.
func fieldsOf(given any) (map[string]json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if given == nil {
		return fields, nil
	}
	text, err := marshal(given)
	if err != nil {
		return nil, configurationError("The arguments cannot be sent as JSON (%v). Correct them.", err)
	}
	return fields, json.Unmarshal(text, &fields)
}

func (r tenantRequest) encodedQuery() (string, error) {
	fields, err := fieldsOf(r.query)
	if err != nil {
		return "", err
	}
	query := url.Values{}
	for name, value := range fields {
		var several []json.RawMessage
		if json.Unmarshal(value, &several) != nil {
			several = []json.RawMessage{value}
		}
		for _, one := range several {
			text := textIn(one)
			if kindOf(one) != kindText {
				text = string(one)
			}
			query.Add(name, text)
		}
	}
	if r.cursor != "" {
		query.Set("cursor", r.cursor)
	}
	if r.isBackground {
		query.Set("background", "true")
	}
	if r.isFile && query.Get("format") == "" {
		query.Set("format", "ndjson")
	}
	return query.Encode(), nil
}

// manage performs a call and returns its result, or nil for null.
func manage[T any](ctx context.Context, connection *connection, call tenantRequest) (*T, error) {
	request, err := call.prepared(kindObject)
	if err != nil {
		return nil, err
	}
	raw, err := connection.perform(ctx, request)
	if err != nil {
		return nil, err
	}
	data := objectIn(raw)["data"]
	if call.isNullable && string(data) == "null" {
		return nil, nil
	}
	return kept[T](data)
}

// manageAll performs a call whose result is a whole list.
func manageAll[T any](ctx context.Context, connection *connection, call tenantRequest) ([]*T, error) {
	page, err := pageOf[T](ctx, connection, call)
	if err != nil {
		return nil, err
	}
	return page.Data, nil
}

// kept decodes a result, which keeps its text.
func kept[T any](data json.RawMessage) (*T, error) {
	result := new(T)
	if err := decodeInto(data, result); err != nil {
		return nil, err
	}
	if answer, keeps := any(result).(interface{ Keep(json.RawMessage) }); keeps {
		answer.Keep(data)
	}
	return result, nil
}

// ListingPage is one page of a list. NextCursor is the cursor of the next page; "": there is none.
type ListingPage[T any] struct {
	Data       []*T
	NextCursor string
}

func pageOf[T any](ctx context.Context, connection *connection, call tenantRequest) (*ListingPage[T], error) {
	request, err := call.prepared(kindList)
	if err != nil {
		return nil, err
	}
	raw, err := connection.perform(ctx, request)
	if err != nil {
		return nil, err
	}
	document := objectIn(raw)
	var items []json.RawMessage
	if err := decodeInto(document["data"], &items); err != nil {
		return nil, err
	}
	page := &ListingPage[T]{NextCursor: textIn(objectIn(document["meta"])["next_cursor"])}
	for _, item := range items {
		one, err := kept[T](item)
		if err != nil {
			return nil, err
		}
		page.Data = append(page.Data, one)
	}
	return page, nil
}

// Listing is a list, newest first. Next reads one page after the other; nothing is read before. One goroutine uses it.
type Listing[T any] struct {
	connection *connection
	call       tenantRequest
	page       *ListingPage[T]
	at         int
	err        error
}

func list[T any](connection *connection, call tenantRequest) *Listing[T] {
	return &Listing[T]{connection: connection, call: call}
}

// Next goes to the next item, and returns false at the end and after an error: see Err.
func (l *Listing[T]) Next(ctx context.Context) bool {
	l.at++
	for l.err == nil && (l.page == nil || l.at >= len(l.page.Data)) {
		cursor := ""
		if l.page != nil {
			if cursor = l.page.NextCursor; cursor == "" {
				return false
			}
		}
		l.page, l.err = l.Page(ctx, cursor)
		l.at = 0
	}
	return l.err == nil
}

// Item returns the item that Next went to.
func (l *Listing[T]) Item() *T { return l.page.Data[l.at] }

// Err returns why the list ended before its end, or nil.
func (l *Listing[T]) Err() error { return l.err }

// Page returns one page: the first one for the cursor "".
func (l *Listing[T]) Page(ctx context.Context, cursor string) (*ListingPage[T], error) {
	call := l.call
	call.cursor = cursor
	return pageOf[T](ctx, l.connection, call)
}

// download performs a call whose answer is a file. Timeout limits how long the file takes to begin.
func (c *connection) download(ctx context.Context, call tenantRequest) (io.ReadCloser, error) {
	call.isFile = true
	request, err := call.prepared(0)
	if err != nil {
		return nil, err
	}
	var file io.ReadCloser
	err = c.repeat(ctx, request, func(left time.Duration) (failure *Error) {
		file, failure = c.open(ctx, request, left)
		return failure
	})
	return file, err
}

func (c *connection) open(ctx context.Context, request apiRequest, left time.Duration) (io.ReadCloser, *Error) {
	limited, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(left, cancel)
	response, err := c.send(limited, request)
	if err == nil && isFile(response) && timer.Stop() {
		return &download{ctx, response.Body, cancel}, nil
	}
	defer cancel()
	if err == nil {
		var answer httpAnswer
		if answer, err = readResponse(response); err == nil {
			_, failure := decode(request, answer, c.secret)
			return nil, failure
		}
	}
	return nil, networkFailure(ctx, err, !timer.Stop())
}

func isFile(response *http.Response) bool {
	kind, _, err := mime.ParseMediaType(response.Header.Get("content-type"))
	return err == nil && response.StatusCode < 300 && (kind == "text/csv" || kind == "application/x-ndjson")
}

// download is the body of a file. Every failure to read it is an *Error.
type download struct {
	ctx    context.Context
	body   io.ReadCloser
	cancel context.CancelFunc
}

func (d *download) Read(piece []byte) (int, error) {
	size, err := d.body.Read(piece)
	if err != nil && err != io.EOF {
		err = networkFailure(d.ctx, err, false)
	}
	return size, err
}

func (d *download) Close() error {
	d.cancel()
	return d.body.Close()
}
