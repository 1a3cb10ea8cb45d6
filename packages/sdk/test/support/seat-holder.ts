/** An application in a process of its own with a floating seat. It stops its guard when its standard input ends. */
import { LicenseGuard, LicensingClient } from '../../src/index.ts';
import { closeOnExit, fileStore } from '../../src/node/index.ts';

const { baseUrl, path } = JSON.parse(process.argv[2] ?? '{}') as { readonly baseUrl: string; readonly path: string };
const guard = new LicenseGuard({
  client: new LicensingClient({ baseUrl, apiKey: `vx_${'0'.repeat(64)}` }),
  ...{ licenseKey: 'ABCDE-FGHIJ-KLMNP', fingerprint: 'machine-1', store: fileStore(path) },
  // Who holds the seat does not depend on signatures.
  unsigned: true,
});
closeOnExit([guard]);
process.stdout.write((await guard.start()).status);
// The process ends with its input, and the guard with the process.
process.stdin.resume();
