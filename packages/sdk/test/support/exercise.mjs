/**
 * Uses every part of the package that runs everywhere, against a real service. Plain JavaScript, because each runtime
 * runs it, the browser too. Returns the result of each step; the test compares it.
 */
export async function exercise(sdk, { baseUrl, apiKey, licenseKey, tenantId, issuer, webhook }) {
  const client = new sdk.LicensingClient({ baseUrl, apiKey });
  const codeOf = (call) =>
    call.then(
      () => 'no error',
      (error) => (error instanceof sdk.LicensingError ? error.code : String(error)),
    );
  const fingerprint = 'device-1';
  const activation = await client.activate(licenseKey, { fingerprint, metadata: { os_name: 'any' } });
  const verdict = await client.validate(licenseKey, { fingerprint, entitlements: ['export'], proof: true });
  const jwks = await client.jwks(tenantId);
  const trust = { jwks, issuer, audience: tenantId, fingerprint };
  const proven = await sdk.verifyVerdict(verdict, { ...trust, licenseKey, nonce: verdict.nonce });
  const { certificate } = await client.issueCertificate(licenseKey, { fingerprint, ttlSeconds: 3600 });
  const place = certificate.length - 20;
  const forged = certificate.slice(0, place) + (certificate[place] === 'A' ? 'B' : 'A') + certificate.slice(place + 1);
  const report = await client.reportUsage(licenseKey, [{ entitlement: 'renders', quantity: 1 }]);
  const aborted = new AbortController();
  aborted.abort();
  const { body, headers, secret } = webhook;
  let handled = 'nothing';
  const handle = sdk.webhookHandler({
    secret,
    onEvent({ type }) {
      handled = type;
    },
  });
  const { status } = await handle(new Request('http://localhost/', { method: 'POST', body, headers }));
  return {
    activated: activation.metadata,
    verdict: verdict.code,
    proven: proven.code,
    certificate: (await sdk.verifyCertificate(certificate, trust)).code,
    forged: (await sdk.verifyCertificate(forged, trust)).code,
    usage: report.results[0].status,
    unknownKey: (await client.validate('unknown')).code,
    event: (await sdk.verifyWebhook(body, headers, secret)).type,
    handled: `${handled} ${status}`,
    refused: await codeOf(new sdk.LicensingClient({ baseUrl, apiKey: 'vx_wrong' }).validate(licenseKey)),
    unreachable: await codeOf(
      new sdk.LicensingClient({ baseUrl: 'http://127.0.0.1:9', apiKey, maxRetries: 0 }).validate('a'),
    ),
    aborted: await codeOf(client.validate(licenseKey, {}, { signal: aborted.signal })),
    deactivated: (await client.deactivate(licenseKey, activation.id)).deleted,
  };
}
