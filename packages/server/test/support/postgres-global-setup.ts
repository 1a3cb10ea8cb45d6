import type { TestProject } from 'vitest/node';
import { createPlatformTemplate } from './platform-template.ts';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A private server's URL with a superuser, in the project `postgres` only: `inject('postgresUrl')`. */
    postgresUrl: string;
  }
}

/** Vitest calls this once before the project's suites, and what it returns once after them. */
export default async function setUpPostgres(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  await createPlatformTemplate(server.url);
  project.provide('postgresUrl', server.url);
  return server.stop;
}
