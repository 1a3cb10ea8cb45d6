import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { LicensingClient, ManagementClient } from '../../../packages/sdk/src/index.ts';
import { type Gate, openGate } from './gate.ts';
import { issuer } from './global-setup.ts';

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it printed on both streams. */
  readonly output: string;
}

/** Only ends tests that hang, with what the example printed. */
const hangsAfterMs = 30_000;

/** An example that runs. */
export class Running {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  #output = '';
  #heard: () => void = () => undefined;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        this.#heard();
      });
    }
    this.ended = new Promise((done) => {
      child.on('close', (code, signal) => {
        done({ code, signal, output: this.#output });
        this.#heard();
      });
    });
  }

  get output(): string {
    return this.#output;
  }

  /** Resolves with the first match in what the process prints after a position. Rejects if it ends before. */
  async printed(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.#output.slice(from));
      if (match) return match;
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
        throw new Error(`The example ended without printing ${pattern}:\n${this.#output}`);
      }
      await new Promise<void>((heard, reject) => {
        const fail = () => reject(new Error(`The example has not printed ${pattern}:\n${this.#output}`));
        const timer = setTimeout(fail, hangsAfterMs);
        this.#heard = () => {
          clearTimeout(timer);
          heard();
        };
      });
    }
  }

  write(line: string): void {
    this.#child.stdin.write(`${line}\n`);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

/** An example with a state folder of its own, as one customer has it. */
export interface Installation {
  readonly gate: Gate;
  readonly management: ManagementClient;
  /** Runs the example's one command, `npm start`, or another script of it, with arguments. */
  start(options?: { env?: NodeJS.ProcessEnv; args?: readonly string[]; script?: string }): Promise<Running>;
  /** Creates a license of a product that grants entitlements. */
  license(product: string, entitlements: readonly string[], policy?: object): Promise<{ id: string; key: string }>;
  /** Activates another device, and returns the id of the activation. */
  activate(licenseKey: string, fingerprint: string, name: string): Promise<string>;
  /** Ends its processes and removes its state. */
  remove(): Promise<void>;
}

/** Installs an example. */
export async function install(name: string): Promise<Installation> {
  const shared = inject('examples');
  const gate = await openGate(shared.serviceUrl);
  const cwd = join(shared.folder, name);
  const state = await mkdtemp(join(shared.folder, 'state-'));
  const running = new Set<Running>();
  const management = new ManagementClient({ baseUrl: shared.serviceUrl, accessToken: shared.accessToken });
  const { scripts } = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8'));
  const environment = {
    PATH: `${join(shared.folder, 'bin')}:/usr/bin:/bin`,
    HOME: state,
    XDG_STATE_HOME: state,
    STATE_FILE: join(state, 'license.json'),
    USER_DATA: state,
    PORT: '0',
    LICENSING_URL: gate.url,
    LICENSING_ISSUER: issuer,
    LICENSING_TENANT_ID: shared.tenantId,
    LICENSING_API_KEY: shared.apiKey,
  };
  return {
    gate,
    management,
    async activate(licenseKey, fingerprint, name) {
      const client = new LicensingClient({ baseUrl: shared.serviceUrl, apiKey: shared.apiKey });
      return (await client.activate(licenseKey, { fingerprint, name })).id;
    },
    async remove() {
      for (const one of running) one.kill('SIGKILL');
      await gate.close();
      await rm(state, { recursive: true, force: true });
    },
    async start({ env = {}, args = [], script = 'start' } = {}) {
      const options = { cwd, env: { ...environment, ...env } };
      // A build needs the service; a start must not.
      if (scripts.prestart && running.size === 0) await promisify(execFile)('sh', ['-c', scripts.prestart], options);
      const started = new Running(spawn('sh', ['-c', `exec ${scripts[script]} "$@"`, 'sh', ...args], options));
      running.add(started);
      return started;
    },
    async license(product, entitlements, policy = {}) {
      const { id: policyId } = await management.policies.create({
        productId: shared.products[product] ?? '',
        code: crypto.randomUUID(),
        name: 'Plan',
        entitlements: entitlements.map((code) => ({ code })),
        ...policy,
      });
      return await management.licenses.create({ policyId });
    },
  };
}
