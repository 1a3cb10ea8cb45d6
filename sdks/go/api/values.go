// Package api has the shapes of the tenant API: what a licensing.ManagementClient sends and returns.
//
// In a request, a field with a pointer may be left out (nil) or set with [Value]; a [Nullable] one is set with [Set] or
// [Null]. A text, a number or a list without a pointer is left out if it is empty.
package api

import "encoding/json"

// Answer is the text of an answer as it came: fields that a newer service adds are there. A part of an answer has none.
type Answer struct {
	Raw json.RawMessage `json:"-"`
}

// Keep keeps the text of an answer. The client calls it.
func (a *Answer) Keep(raw json.RawMessage) { a.Raw = raw }

// Nullable is the value of a field that may be null, which is not the same as to leave the field out.
type Nullable[T any] struct{ value *T }

// MarshalJSON writes the value, or null.
func (n Nullable[T]) MarshalJSON() ([]byte, error) { return json.Marshal(n.value) }

// Value returns a value for a field that may be left out.
func Value[T any](value T) *T { return &value }

// Set returns a value for a field that may also be null.
func Set[T any](value T) *Nullable[T] { return &Nullable[T]{&value} }

// Null returns null for a field: Null[string]().
func Null[T any]() *Nullable[T] { return &Nullable[T]{} }
