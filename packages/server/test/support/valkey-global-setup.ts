import type { TestProject } from 'vitest/node';
import { startValkey } from './valkey-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of a private server. Only the project `valkey` provides it. */
    valkeyUrl: string;
  }
}

/** Starts Valkey. Vitest calls this function once before the project's suites, and the returned one after them. */
export default async function setUpValkey(project: TestProject): Promise<() => Promise<void>> {
  const server = await startValkey();
  project.provide('valkeyUrl', server.url);
  return server.stop;
}
