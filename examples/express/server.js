// A server that customers run themselves, product `editor`. The license belongs to the installation: one guard checks it
// in the background, and requests only read its state, so that no request waits for the licensing service.
import { LicenseGuard, LicensingClient } from '@licensing/sdk';
import { fileStore, machineFingerprint } from '@licensing/sdk/node';
import express from 'express';
import vendor from './vendor.json' with { type: 'json' };

const product = 'editor';
const { LICENSE_KEY = '', PORT = '8080', HOST = '127.0.0.1', STATE_FILE = 'license.json' } = process.env;

const guard = new LicenseGuard({
  ...vendor,
  client: new LicensingClient(vendor),
  licenseKey: LICENSE_KEY,
  product,
  fingerprint: machineFingerprint({ product }),
  store: fileStore(STATE_FILE),
});
guard.on('change', ({ status, reason, detail }) => console.log(`license: ${status} (${reason}) ${detail}`));
guard.on('error', (error) => console.error('license: the state file cannot be used:', error));

/** @param {import('@licensing/sdk').GuardState} state */
function problemOf({ reason, detail }) {
  const help = 'An administrator of this server can see the reason at /license.';
  return { error: { code: reason, message: `This server has no valid license: ${detail} ${help}` } };
}

/** Refuses requests while the license does not permit them. @type {express.RequestHandler} */
const requireLicense = (_request, response, next) => {
  if (guard.state.status === 'unlicensed') response.status(403).json(problemOf(guard.state));
  else next();
};

/** @param {string} entitlement @returns {express.RequestHandler} */
function requireEntitlement(entitlement) {
  return (_request, response, next) => {
    if (guard.has(entitlement)) return next();
    const message = `The license of this server does not include "${entitlement}". Ask its administrator to upgrade.`;
    response.status(403).json({ error: { code: 'ENTITLEMENT.NOT_GRANTED', message, entitlement } });
  };
}

const app = express();
app.disable('x-powered-by');

// Without a license the server still runs, and says what is missing.
app.get('/health', (_request, response) => void response.json({ status: 'ok' }));
app.get('/license', (_request, response) => {
  const { status, reason, detail, until, entitlements } = guard.state;
  response.json({ status, reason, detail, until, entitlements: entitlements.map(({ code }) => code) });
});
app.get('/reports', requireLicense, (_request, response) => void response.json({ reports: ['sales', 'stock'] }));
app.get('/reports/:name/export', requireLicense, requireEntitlement('export'), (request, response) => {
  response.type('text/csv').send(`report\n${JSON.stringify(request.params['name'])}\n`);
});

// The first check runs while the server already answers; a stored certificate counts meanwhile.
void guard.start();
const server = app.listen(Number(PORT), HOST, (error) => {
  if (error) throw error;
  const address = server.address();
  if (typeof address === 'object') console.log(`Listening on http://${HOST}:${address?.port}`);
});

// After a purchase or a renewal, `kill -HUP` checks at once.
process.on('SIGHUP', async () => {
  const { status, reason } = await guard.refresh();
  console.log(`license checked: ${status} (${reason})`);
});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    // Running requests end first. stop() frees a floating seat.
    server.close(() => void guard.stop());
  });
}
