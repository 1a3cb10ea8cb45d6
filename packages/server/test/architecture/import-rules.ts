import { featureOf, pointsUpward } from './feature-groups.ts';
import type { Import } from './source-files.ts';

/** One forbidden direction. A rule applies to an import whose `from` and `to` both match. */
export interface ImportRule {
  readonly name: string;
  readonly instead: string;
  readonly forbids: (edge: Pick<Import, 'from' | 'to'>) => boolean;
}

/** The files that may import every feature: the process, its registries and its commands. */
const compositionRoot = /^(main|app|background|personal-data-holders|retention-rules)\.ts$|^commands\//;

/** Returns true for `routes.ts` and variants (`integration-routes.ts`), in a feature's folder or in a nested one. */
function isLayer(path: string, layer: 'routes' | 'service' | 'queries' | 'job'): boolean {
  return featureOf(path) !== undefined && new RegExp(`/([a-z0-9-]+-)?${layer}\\.ts$`).test(path);
}

function isIn(path: string, ...folders: string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`));
}

export const importRules: readonly ImportRule[] = [
  {
    name: 'a group of features imports only the groups below it',
    instead: 'define a contract in the lower group and pass the implementation in from the composition root',
    forbids: ({ from, to }) => pointsUpward(from, to),
  },
  {
    name: 'lib imports only lib',
    instead: 'pass what the function needs as an argument, or move the file out of lib',
    forbids: ({ from, to }) => isIn(from, 'lib') && !isIn(to, 'lib'),
  },
  {
    name: 'config imports only config and lib',
    instead: 'move the parser of the value to config',
    forbids: ({ from, to }) => isIn(from, 'config') && !isIn(to, 'config', 'lib'),
  },
  {
    name: 'db imports only db, lib and config',
    instead: 'combine the two in the caller, in tenancy or in a feature',
    forbids: ({ from, to }) => isIn(from, 'db') && !isIn(to, 'db', 'lib', 'config'),
  },
  {
    name: 'the two engines do not import each other',
    instead: 'move the shared code to db',
    forbids: ({ from, to }) =>
      (isIn(from, 'db/sqlite') && isIn(to, 'db/postgres')) || (isIn(from, 'db/postgres') && isIn(to, 'db/sqlite')),
  },
  {
    name: 'only the composition root registers surfaces',
    instead: 'move the shared code to http or to a feature',
    forbids: ({ from, to }) => isIn(to, 'surfaces') && !isIn(from, 'surfaces') && !compositionRoot.test(from),
  },
  {
    name: 'nothing imports the composition root',
    instead: 'take the dependency from Services or as an argument',
    forbids: ({ from, to }) => compositionRoot.test(to) && !compositionRoot.test(from),
  },
  {
    name: 'http, mail, metrics, jobs, payments, rate-limit, tenancy and tracing import no feature',
    instead: 'take a function or a plain value as an argument',
    forbids: ({ from, to }) =>
      isIn(from, 'http', 'mail', 'metrics', 'jobs', 'payments', 'rate-limit', 'tenancy', 'tracing') &&
      isIn(to, 'features'),
  },
  {
    name: 'only surfaces and the composition root import routes',
    instead: 'call the service',
    forbids: ({ from, to }) =>
      isLayer(to, 'routes') && !isLayer(from, 'routes') && !isIn(from, 'surfaces') && !compositionRoot.test(from),
  },
  {
    name: 'only the composition root imports the jobs of features',
    instead: 'schedule a wake-up; code that requests and jobs share belongs in the service',
    forbids: ({ from, to }) => isLayer(to, 'job') && !compositionRoot.test(from),
  },
  {
    name: 'queries import no service',
    instead: 'call the queries from the service: imports point from routes to service to queries to db',
    forbids: ({ from, to }) => isLayer(from, 'queries') && isLayer(to, 'service'),
  },
  {
    name: "a feature calls another feature's service, never its routes or queries",
    instead: "add the function to the other feature's service.ts",
    forbids: ({ from, to }) =>
      featureOf(from) !== undefined &&
      featureOf(to) !== undefined &&
      featureOf(from) !== featureOf(to) &&
      (isLayer(to, 'queries') || isLayer(to, 'routes')),
  },
];
