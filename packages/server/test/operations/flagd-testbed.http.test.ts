import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { type EvaluationDetails, type JsonValue, OpenFeature } from '@openfeature/server-sdk';
import { type Hook, OpenFeature as WebOpenFeature } from '@openfeature/web-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Account, createAdmin, createTenant } from '../support/accounts.ts';
import { useApp } from '../support/harness.ts';
import { evaluatedScenarios, exclusions, mistakenScenarios, testbedScenarios } from './flagd-testbed/exclusions.ts';
import { flags, mistakenFlags } from './flagd-testbed/flags.ts';
import { type Scenario, scenarios } from './flagd-testbed/scenarios.ts';
import { booleanFlag, createFlag } from './flags.ts';

/** The provider declares its hooks as possibly undefined, which the SDK's types refuse. */
class WebProvider extends OFREPWebProvider {
  override readonly hooks: Hook[] = [];
}

const suite = useApp();
let admin: Account;
/** The status of every response to the web client. */
const webStatuses: number[] = [];

beforeAll(async () => {
  const { app } = suite;
  admin = await createAdmin(app);
  const { apiKey } = await createTenant(app, admin);
  for (const [key, definition] of Object.entries(flags)) await createFlag(app, admin, key, definition);
  const baseUrl = await app.http.listen({ host: '127.0.0.1', port: 0 });
  const headers: [string, string][] = [['x-api-key', apiKey]];
  await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl, headers }));
  await WebOpenFeature.setProviderAndWait(
    new WebProvider({
      baseUrl,
      headers,
      cacheMode: 'disabled',
      pollInterval: 0,
      changeDetection: 'none',
      async fetchImplementation(request: Request, init?: RequestInit) {
        const response = await fetch(request, init);
        webStatuses.push(response.status);
        return response;
      },
    }),
  );
});

afterAll(async () => {
  await OpenFeature.close();
  await WebOpenFeature.close();
});

type Details = Promise<EvaluationDetails<JsonValue>> | EvaluationDetails<JsonValue>;

/** What the clients of both SDKs have in common. */
interface AnyClient {
  getBooleanDetails(key: string, inCode: boolean): Details;
  getNumberDetails(key: string, inCode: number): Details;
  getStringDetails(key: string, inCode: string): Details;
  getObjectDetails(key: string, inCode: JsonValue): Details;
}

/** Evaluates a flag with the type of the default in the code. */
async function evaluateWith(client: AnyClient, key: string, inCode: JsonValue) {
  const details = () => {
    if (typeof inCode === 'boolean') return client.getBooleanDetails(key, inCode);
    if (typeof inCode === 'number') return client.getNumberDetails(key, inCode);
    return typeof inCode === 'string' ? client.getStringDetails(key, inCode) : client.getObjectDetails(key, inCode);
  };
  const { value, reason, errorCode, flagMetadata } = await details();
  return { value, reason, errorCode, flagMetadata };
}

/** The server SDK sends the context with each evaluation of one flag. */
function onServer(key: string, { inCode, context = {} }: Scenario) {
  return evaluateWith(OpenFeature.getClient().setContext(context), key, inCode);
}

/** The web SDK sends the context once and evaluates all flags for it. */
async function inBrowser(key: string, { inCode, context = {} }: Scenario) {
  await WebOpenFeature.setContext(context);
  return await evaluateWith(WebOpenFeature.getClient(), key, inCode);
}

/** Returns what an evaluation must contain. */
function expectationOf({ inCode, value, codeDefault, reason, errorCode, metadata }: Scenario) {
  if (errorCode !== undefined) return { value: inCode, reason: 'ERROR', errorCode };
  return {
    ...(codeDefault && { value: inCode, errorCode: undefined }),
    ...(value !== undefined && { value }),
    ...(reason !== undefined && { reason }),
    ...(metadata !== undefined && { flagMetadata: metadata }),
  };
}

const byFlag = Object.entries(scenarios);

describe("flagd's test bed", () => {
  test.each(byFlag)('the web SDK evaluates %s as flagd does', async (key, evaluations) => {
    for (const scenario of evaluations) {
      expect(await inBrowser(key, scenario), JSON.stringify(scenario)).toMatchObject(expectationOf(scenario));
    }
  });

  test.each(byFlag)('the server SDK evaluates %s as flagd does', async (key, evaluations) => {
    for (const scenario of evaluations) {
      // The published server provider, 0.1.3, precedes OFREP 0.3, in which a success may lack a value. It uses the
      // default in the code as well, but reports an error with it.
      const older = { value: scenario.inCode, reason: 'ERROR', errorCode: 'GENERAL' };
      const expected = scenario.codeDefault ? older : expectationOf(scenario);
      expect(await onServer(key, scenario), JSON.stringify(scenario)).toMatchObject(expected);
    }
  });

  test.each(mistakenFlags)(
    'the definition of %s, which has a mistake, is refused with the path',
    async (...mistaken) => {
      const [key, definition, field] = mistaken;
      const answer = await suite.app.request({
        method: 'POST',
        url: '/api/v1/admin/feature-flags',
        headers: admin.auth,
        payload: { key, definition },
      });
      const fields = answer.body.error.details.map((detail: { readonly field: string }) => detail.field);
      expect([answer.status, fields]).toEqual([422, [`definition.targeting.${field}`]]);
    },
  );

  test('every scenario of the test bed is evaluated, refused at write, or listed with the reason', () => {
    const excluded = exclusions.reduce((sum, part) => sum + part.scenarios, 0);
    expect(evaluatedScenarios + mistakenScenarios + excluded).toBe(testbedScenarios);
    const evaluated = byFlag.map(([key]) => key).filter((key) => key !== 'missing-flag');
    expect(evaluated.sort()).toEqual(Object.keys(flags).sort());
    expect(byFlag.flatMap(([, evaluations]) => evaluations)).toHaveLength(127);
  });
});

test('the web SDK gets 304 while nothing changes, and the new value after a change of a flag or of the context', async () => {
  const targeting = { if: [{ '==': [{ var: 'beta' }, true] }, 'on'] };
  const id = await createFlag(suite.app, admin, 'etag', booleanFlag({ targeting }));
  webStatuses.length = 0;
  const valueFor = async (context: Record<string, boolean>) =>
    (await inBrowser('etag', { inCode: false, context })).value;
  expect([await valueFor({ beta: false }), await valueFor({ beta: false }), webStatuses]).toEqual([
    false,
    false,
    [200, 304],
  ]);
  expect([await valueFor({ beta: true }), await valueFor({ beta: true }), webStatuses.slice(2)]).toEqual([
    true,
    true,
    [200, 304],
  ]);
  const url = `/api/v1/admin/feature-flags/${id}`;
  await suite.app.request({ method: 'PUT', url, headers: admin.auth, payload: { definition: booleanFlag() } });
  expect([await valueFor({ beta: true }), webStatuses.slice(4)]).toEqual([false, [200]]);
});
