/** How many scenarios the test bed has (v3.9.0, rows of examples counted one by one). */
export const testbedScenarios = 556;
/** How many of them `scenarios` contains; the test bed repeats most evaluations in its two suites. */
export const evaluatedScenarios = 240;
/** How many of them evaluate a definition of `mistakenFlags`. */
export const mistakenScenarios = 13;

/** The scenarios of the test bed that do not apply to OFREP, with the reason. */
export const exclusions: readonly { readonly part: string; readonly scenarios: number; readonly reason: string }[] = [
  { part: 'config.feature', scenarios: 96, reason: "options and environment variables of flagd's own providers" },
  { part: 'connection.feature', scenarios: 11, reason: 'sockets, TLS and reconnection of the streams to flagd' },
  { part: 'events.feature', scenarios: 4, reason: 'events of the stream to flagd; OFREP has no stream' },
  { part: 'contextEnrichment.feature', scenarios: 4, reason: 'context that flagd sends over its stream' },
  { part: 'sync-payload.feature', scenarios: 3, reason: 'the payload of the stream between flagd and a provider' },
  { part: 'rpc-caching.feature', scenarios: 7, reason: 'the cache of the RPC provider' },
  { part: 'selector.feature', scenarios: 5, reason: 'selects one of several sources of flags; the service has one' },
  { part: 'disabled.feature with a selector', scenarios: 2, reason: 'as selector.feature' },
  { part: '@metadata-provider', scenarios: 2, reason: 'metadata of a file of flags; here each flag has its own' },
  { part: '@deprecated', scenarios: 7, reason: 'replaced by @no-default-variant, whose reasons it contradicts' },
  { part: '@fractional-v1', scenarios: 30, reason: 'the buckets of flagd before it counted in integers' },
  {
    part: '@fractional-v3',
    scenarios: 132,
    reason: 'buckets over values of any type, which flagd-core 4.0 has not yet',
  },
];
