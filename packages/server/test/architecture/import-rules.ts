import type { Import } from './source-files.ts';

/** One forbidden direction. A rule applies to an import whose `from` and `to` both match. */
export interface ImportRule {
  readonly name: string;
  readonly instead: string;
  readonly forbids: (edge: Import) => boolean;
}

const compositionRoot = /^(main|app|background|personal-data-holders|retention-rules)\.ts$|^commands\//;
const featureFile = /^features\/[^/]+\/([^/]+)\/(.+)$/;

function featureOf(path: string): string | undefined {
  return featureFile.exec(path)?.[1];
}

/** `routes.ts` and its variants (`integration-routes.ts`), which may share a feature with others of their kind. */
function isLayer(path: string, layer: 'routes' | 'service' | 'queries' | 'job'): boolean {
  return new RegExp(`^features/[^/]+/[^/]+/([a-z0-9-]+-)?${layer}\\.ts$`).test(path);
}

function isIn(path: string, ...folders: string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`));
}

export const importRules: readonly ImportRule[] = [
  {
    name: 'lib imports nothing of ours but lib',
    instead: 'pass what it needs as an argument, or move the file out of lib',
    forbids: ({ from, to }) => isIn(from, 'lib') && !isIn(to, 'lib'),
  },
  {
    name: 'db knows only db, lib and the configuration',
    instead: 'let the caller in tenancy or a feature combine the two',
    forbids: ({ from, to }) => isIn(from, 'db') && !isIn(to, 'db', 'lib') && to !== 'config/config.ts',
  },
  {
    name: 'only the composition root registers surfaces',
    instead: 'move what is shared to http or to a feature',
    forbids: ({ from, to }) => isIn(to, 'surfaces') && !isIn(from, 'surfaces') && !compositionRoot.test(from),
  },
  {
    name: 'nothing imports the composition root',
    instead: 'take what it needs from Services',
    forbids: ({ from, to }) => compositionRoot.test(to) && !compositionRoot.test(from),
  },
  {
    name: 'http, mail, jobs, payments and rate-limit know no feature',
    instead: 'pass a function or a plain value in',
    forbids: ({ from, to }) => isIn(from, 'http', 'mail', 'jobs', 'payments', 'rate-limit') && isIn(to, 'features'),
  },
  {
    name: 'only surfaces and the composition root import routes',
    instead: 'call the service',
    forbids: ({ from, to }) =>
      isLayer(to, 'routes') && !isLayer(from, 'routes') && !isIn(from, 'surfaces') && !compositionRoot.test(from),
  },
  {
    name: 'only the composition root knows the jobs of features',
    instead: 'note a hint with services.wakeUps; what requests and jobs share belongs into the service',
    forbids: ({ from, to }) => isLayer(to, 'job') && !compositionRoot.test(from),
  },
  {
    name: 'queries import no service',
    instead: 'turn the call around: the arrow is routes → service → queries → db',
    forbids: ({ from, to }) => isLayer(from, 'queries') && isLayer(to, 'service'),
  },
  {
    name: "a feature calls another feature's service, never its routes or queries",
    instead: "add what is needed to the other feature's service.ts",
    forbids: ({ from, to }) =>
      featureOf(from) !== undefined &&
      featureOf(to) !== undefined &&
      featureOf(from) !== featureOf(to) &&
      (isLayer(to, 'queries') || isLayer(to, 'routes')),
  },
];
