import type { OpenServices } from '../packages/server/src/app.ts';
import { updateTenant } from '../packages/server/src/features/accounts/tenants/service.ts';
import { createPlan } from '../packages/server/src/features/commerce/plans/service.ts';
import { createFlag } from '../packages/server/src/features/operations/feature-flags/service.ts';
import { systemActor } from '../packages/server/src/tenancy/system-actor.ts';
import type { Requests } from './load.ts';
import { type Contestant, compare } from './measure.ts';
import { type ServerProcess, startFloor, startService } from './processes.ts';
import { type Applicant, createAdmin, createApplicant, createSite, raiseCeilings, withSite } from './site.ts';
import { comparisonRow, type Row } from './table.ts';

const flags = 50;
const path = '/ofrep/v1/evaluate/flags';
const target = 0.5;

const planCodes = ['free', 'team', 'pro'] as const;
/** The number of users of each tenant who poll. Each has a context of its own. */
const users = 1_000;
const roles = [['editor'], ['viewer'], ['beta', 'editor'], ['admin', 'beta'], []];
const countries = ['gb', 'de', 'fr', 'jp', 'us', 'br', 'in'];

/** Returns the context of a user. Users differ in address, version, country and roles. */
function contextOf(user: number): object {
  const email = `user-${user}@${user % 2 === 0 ? 'example.com' : 'example.org'}`;
  const version = `${1 + (user % 3)}.${user % 11}.${user % 5}`;
  return { email, country: countries[user % countries.length], version, roles: roles[user % roles.length] };
}

/** A typical mix: static flags, and flags by plan, by fraction of the users, by version, and by address and role. */
function definitionOf(index: number): Record<string, unknown> {
  const flag = { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'off' };
  const seed = { cat: [{ var: '$flagd.flagKey' }, { var: 'email' }] };
  const rules = [
    undefined,
    { if: [{ in: [{ var: 'plan' }, ['enterprise', planCodes[index % planCodes.length]]] }, 'on', 'off'] },
    { fractional: [seed, ['on', 10 + index], ['off', 90 - index]] },
    { if: [{ sem_ver: [{ var: 'version' }, '>=', '2.0.0'] }, 'on'] },
    { if: [{ and: [{ ends_with: [{ var: 'email' }, '@example.com'] }, { in: ['beta', { var: 'roles' }] }] }, 'on'] },
  ];
  const targeting = rules[index % rules.length];
  return targeting === undefined ? flag : { ...flag, targeting };
}

/**
 * Measures bulk evaluation of 50 flags over OFREP, four fifths of them targeted, for the users of three tenants with
 * different plans, against a bare Fastify route: users who poll, and a new user with each request.
 */
export async function benchmarkOfrep(): Promise<Row[]> {
  const site = await createSite();
  try {
    const applicants = await withSite(site, createData);
    const service = await startService(site);
    await raiseCeilings(
      service.port,
      applicants.map(({ tenantId }) => tenantId),
    );
    const bodies = Array.from({ length: users }, (_, user) => bodyOf(user));
    const answer = await typicalAnswer(service.port, applicants, bodies);
    const floor = await startFloor('floor-flags', { answer, path });
    const contestant = (server: ServerProcess, requests: Requests): Contestant => ({
      server,
      requests,
      expected: ['HTTP/1.1 200 OK\r\n', '{"flags":[{"key":"flag-00","', '{"key":"flag-49","'].map((text) =>
        Buffer.from(text),
      ),
      end: Buffer.from('}]}'),
    });
    const polling = ({ port }: ServerProcess) =>
      bodies.flatMap((body) => applicants.map(({ apiKey }) => requestTo(port, apiKey, body)));
    const polls = await compare(contestant(service, polling(service)), contestant(floor, polling(floor)));
    const newUsers = await compare(
      contestant(service, requestsOfNewUsers(service, applicants)),
      contestant(floor, requestsOfNewUsers(floor, applicants)),
    );
    await Promise.all([service.stop(), floor.stop()]);
    const name = `OFREP bulk evaluation of ${flags} flags`;
    return [
      comparisonRow(`${name}, ${users * applicants.length} users who poll`, polls, target),
      comparisonRow(`${name}, a new user with each request`, newUsers, target),
    ];
  } finally {
    await site.remove();
  }
}

/** Creates a tenant for each plan and the flags. */
async function createData(services: OpenServices): Promise<Applicant[]> {
  await createAdmin(services);
  for (let index = 0; index < flags; index += 1) {
    const key = `flag-${String(index).padStart(2, '0')}`;
    await createFlag(services, systemActor, { key, definition: definitionOf(index) });
  }
  const applicants: Applicant[] = [];
  for (const code of planCodes) {
    const applicant = await createApplicant(services, `Flags ${code}`);
    if (code !== 'free') {
      await createPlan(services, systemActor, { code, name: code });
      await updateTenant(services, systemActor, applicant.tenantId, { plan_code: code });
    }
    applicants.push(applicant);
  }
  return applicants;
}

/** Returns one answer. Fails if the answers to the first hundred users of each tenant are not nearly all different. */
async function typicalAnswer(port: number, applicants: readonly Applicant[], bodies: readonly string[]) {
  const texts = new Set<string>();
  for (const { apiKey } of applicants) {
    for (const body of bodies.slice(0, 100)) {
      const headers = { 'content-type': 'application/json', 'x-api-key': apiKey };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body });
      texts.add(await response.text());
    }
  }
  if (texts.size < 250) throw new Error(`300 users of three tenants got only ${texts.size} different answers.`);
  const [first = ''] = texts;
  return JSON.parse(first);
}

function bodyOf(user: number): string {
  return JSON.stringify({ context: contextOf(user) });
}

/** Returns a function that creates the request of another user with each call. */
function requestsOfNewUsers({ port }: ServerProcess, applicants: readonly Applicant[]): () => Buffer {
  let user = users;
  return () => {
    user += 1;
    return requestTo(port, applicants[user % applicants.length]?.apiKey ?? '', bodyOf(user));
  };
}

function requestTo(port: number, apiKey: string, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `X-API-Key: ${apiKey}`,
    'Content-Type: application/json',
    'Accept: application/json',
    'User-Agent: bench/1',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}
