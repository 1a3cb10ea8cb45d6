// Package licensing checks software licenses against a licensing service, online and offline.
//
// [Client] calls the Integration API with an API key. [Guard] contains the logic that every application otherwise writes
// by hand: it takes a seat, checks in the background, continues offline with a signed certificate, and frees the seat of
// a floating license. [UsageRecorder] reports the usage of metered entitlements. [VerifyCertificate], [VerifyVerdict] and
// [VerifyWebhook] verify what the service signed.
//
// The package uses only the standard library. A negative verdict is a result; every failure is an [*Error].
package licensing
