import type { TestProject } from 'vitest/node';
import { startValkey } from './valkey-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A private server, in the project `valkey` only: `inject('valkeyUrl')`. */
    valkeyUrl: string;
  }
}

/** Vitest calls this once before the project's suites, and what it returns once after them. */
export default async function setUpValkey(project: TestProject): Promise<() => Promise<void>> {
  const server = await startValkey();
  project.provide('valkeyUrl', server.url);
  return server.stop;
}
