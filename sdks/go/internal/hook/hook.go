// Package hook lets the tests of this module see what applications do not need.
package hook

// StartAndSettle starts a guard, waits for the check that Start leaves behind, and returns the status of the state that
// Start returned.
var StartAndSettle func(guard any, isFresh bool) (status string)
