import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, startService } from '../../packages/guides/test/support/service.ts';
import { FakeService } from '../../packages/sdk/conformance/guard/fake-service.ts';
import { startHttpService } from '../../packages/sdk/conformance/guard/http-service.ts';
import { attempt, ended } from './programs.ts';
import { ofService, publicUrl, sdks, snippetsOf, surroundings } from './readme.ts';

const folder = mkdtempSync(join(tmpdir(), 'licensing-native-readmes-'));
let service: Service;
let given: Record<string, string>;

beforeAll(async () => {
  service = await startService({ PUBLIC_URL: publicUrl });
  given = await surroundings(service);
});

afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function folderOf(name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
}

/** Runs a program, and returns what it printed. Throws with its errors if it fails. */
function run(command: string, parameters: readonly string[], cwd: string, env: Record<string, string> = {}): string {
  return execFileSync(command, parameters, { cwd, env: { ...process.env, ...given, ...env }, encoding: 'utf8' });
}

describe('Go', () => {
  const goEnv = { GOPATH: join(folder, 'gopath'), GOFLAGS: '-modcacherw', GOTOOLCHAIN: 'local' };
  const app = folderOf('go-app');

  /** Builds a program from snippets, with what they take from their surroundings, and runs it. */
  function runSnippets(snippets: readonly string[]): string[] {
    const functions = snippets.filter((code) => code.startsWith('func '));
    const statements = snippets.filter((code) => !code.startsWith('func '));
    const body = [goSurroundings, ...statements].join('').replaceAll(/^(?=.)/gm, '\t');
    writeFileSync(join(app, 'main.go'), [goImports, `func main() {\n${body}}\n`, ...functions].join('\n'));
    expect(run('gofmt', ['-d', 'main.go'], app)).toBe('');
    return run('go', ['run', '.'], app, goEnv).trim().split('\n');
  }

  const goImports = `package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	licensing "licensing.example.com/sdk"
	"licensing.example.com/sdk/api"
)

var _ = []any{errors.As, http.StatusOK, httptest.NewRecorder, strings.NewReader, time.Now, api.Value[int]}
`;
  const goSurroundings = `ctx := context.Background()
licenseKey, tenantID, nonce := os.Getenv("LICENSE_KEY"), os.Getenv("TENANT_ID"), "nonce-nonce-nonce"
fingerprint, certificate, policyID := os.Getenv("FINGERPRINT"), os.Getenv("CERTIFICATE"), os.Getenv("POLICY_ID")
jwks := &licensing.JWKS{}
if err := json.Unmarshal([]byte(os.Getenv("JWKS")), jwks); err != nil {
	log.Fatal(err)
}
_, _, _, _, _ = tenantID, nonce, fingerprint, certificate, policyID
`;

  const secret = `whsec_${Buffer.from('the secret of the webhook').toString('base64')}`;
  const event = '{"id":"event-1","type":"license.created","data":{}}';
  const sentAt = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', 'the secret of the webhook')
    .update(`event-1.${sentAt}.${event}`)
    .digest('base64');
  /** Delivers a signed event and a changed one to the handler of the README. */
  const goDelivery = `deliver := func(body string) int {
	request := httptest.NewRequest("POST", "/webhooks/licensing", strings.NewReader(body))
	request.Header.Set("webhook-id", "event-1")
	request.Header.Set("webhook-timestamp", "${sentAt}")
	request.Header.Set("webhook-signature", "v1,${signature}")
	recorder := httptest.NewRecorder()
	http.DefaultServeMux.ServeHTTP(recorder, request)
	return recorder.Code
}
fmt.Println(deliver(\`${event}\`), deliver("{}"))
`;

  test('go get installs the module from the service alone, as the README says', () => {
    run('go', ['mod', 'init', 'app'], app, goEnv);
    const [install = ''] = snippetsOf('go', 'sh');
    const offline = ofService(install, service, app).replace(',https://proxy.golang.org,direct', '');
    run('bash', ['--norc', '-euc', offline], app, goEnv);
    expect(run('go', ['mod', 'verify'], app, goEnv)).toContain('all modules verified');
    expect(readFileSync(join(app, 'go.mod'), 'utf8')).toContain('licensing.example.com/sdk v1.4.0');
  });

  test('the first snippet has five lines and prints a verdict', () => {
    const [first = ''] = snippetsOf('go', 'go');
    expect(first.trim().split('\n')).toHaveLength(5);
    expect(runSnippets([ofService(first, service, app)])).toEqual(['LICENSE.VALID: The license is valid. <nil>']);
  });

  test('every snippet of the README runs and prints what it says', () => {
    const secrets = (code: string) => code.replace('whsec_…', secret).replace('service_…', given['ACCESS_TOKEN'] ?? '');
    const snippets = snippetsOf('go', 'go').map((code) => secrets(ofService(code, service, app)));
    const lines = runSnippets([...snippets, goDelivery]);
    expect(lines).toEqual([
      'LICENSE.VALID: The license is valid. <nil>',
      'true LICENSE.VALID active',
      'change licensed LICENSE.VALID',
      'Export is available.',
      expect.stringMatching(/^true LICENSE\.VALID \S/),
      'true LICENSE.VALID',
      'refused ENTITLEMENT.NOT_GRANTED',
      '0 counted',
      'LICENSE.NOT_FOUND 404 true',
      'true active',
      'event license.created',
      '204 400',
    ]);
  });

  test('the management client does what its tests say with a real service', () => {
    const env = { LICENSING_TEST_URL: service.url, LICENSING_TEST_TOKEN: given['ACCESS_TOKEN'] ?? '', GOFLAGS: '' };
    const printed = run('go', ['test', '-count=1', '-v', '-run', 'TestLive', '.'], join(sdks, 'go'), {
      ...goEnv,
      ...env,
    });
    expect(printed.match(/^--- PASS/gm)).toHaveLength(5);
  });

  test('the backend of the examples creates one license per order, and answers webhooks', async () => {
    const bin = folderOf('go-bin');
    run('go', ['build', '-o', bin, 'licensing.example.com/sdk/examples/backend'], app, goEnv);
    const { ACCESS_TOKEN = '', POLICY_ID = '' } = given;
    const child = spawn(join(bin, 'backend'), {
      env: {
        ...{ LICENSING_URL: service.url, LICENSING_TOKEN: ACCESS_TOKEN, LICENSING_POLICY_ID: POLICY_ID },
        ...{ LICENSING_WEBHOOK_SECRET: secret, ADDRESS: '127.0.0.1:0' },
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      const [printed] = await once(child.stderr, 'data');
      const [url = ''] = /http:\S+/.exec(String(printed)) ?? [];
      const post = (path: string, body: string, headers = {}) => fetch(url + path, { method: 'POST', body, headers });
      const order = JSON.stringify({ number: 'A-1', email: 'grace@example.com' });
      const first = await (await post('/orders', order)).text();
      expect(JSON.parse(first)).toEqual({ license_key: expect.stringMatching(/./) });
      expect(await (await post('/orders', order)).text()).toBe(first);
      expect((await post('/orders', '{}')).status).toBe(400);
      const signed = {
        'webhook-id': 'event-1',
        'webhook-timestamp': `${sentAt}`,
        'webhook-signature': `v1,${signature}`,
      };
      expect((await post('/webhooks/licensing', event, signed)).status).toBe(204);
      expect((await post('/webhooks/licensing', '{}', signed)).status).toBe(400);
    } finally {
      child.kill();
    }
  });

  test('the example says yes to the license of the demo, and why not to another key', () => {
    const bin = folderOf('go-bin');
    run('go', ['build', '-o', bin, 'licensing.example.com/sdk/examples/licensed-cli'], app, goEnv);
    const cli = (LICENSE_KEY: string) => {
      const { JWKS = '', TENANT_ID = '' } = given;
      const { status, stdout, stderr } = attempt(join(bin, 'licensed-cli'), [], folder, {
        ...{ LICENSING_URL: service.url, LICENSING_API_KEY: service.demo.apiKey, LICENSE_KEY, XDG_CONFIG_HOME: bin },
        ...{ LICENSING_JWKS: JWKS, LICENSING_ISSUER: publicUrl, LICENSING_TENANT: TENANT_ID },
      });
      return [status, stdout + stderr];
    };
    expect(cli(service.demo.tenant.licenseKey)).toEqual([0, 'Licensed (LICENSE.VALID).\n']);
    expect(cli('NO-SUCH-KEY')).toEqual([1, expect.stringMatching(/^LICENSE\.NOT_FOUND: \S.*\n$/)]);
    expectSize('go', /program that uses its guard has (\d+) MB/, statSync(join(bin, 'licensed-cli')).size / 1024 ** 2);
  });

  test('the README says how much source the module has', () => {
    const sources = globSync('{,api/}*.go', { cwd: join(sdks, 'go') }).filter((name) => !name.endsWith('_test.go'));
    const bytes = sources.reduce((sum, name) => sum + statSync(join(sdks, 'go', name)).size, 0);
    expectSize('go', /has (\d+) KB of source/, bytes / 1024);
  });
});

/** Expects a size that a README states to be right within 15 %. */
function expectSize(name: string, pattern: RegExp, actual: number): void {
  const stated = Number(pattern.exec(readFileSync(join(sdks, name, 'README.md'), 'utf8'))?.[1]);
  expect(Math.abs(actual / stated - 1), `${name}: the README says ${stated}, it is ${actual.toFixed(1)}`).toBeLessThan(
    0.15,
  );
}

describe('C', () => {
  const app = folderOf('c-app');
  const prefix = join(app, 'installed');
  const environment = { CMAKE_COLOR_MAKEFILE: 'OFF' };
  const strict = ['-Wall', '-Wextra', '-Werror'];
  let flags: string[] = [];

  function compile(compiler: string, source: string, output: string): string {
    run(compiler, [...strict, source, ...flags, `-Wl,-rpath,${prefix}/lib`, '-o', output], app);
    return join(app, output);
  }

  const cHead = `#include <licensing/licensing.h>
#include <stdio.h>
#include <stdlib.h>

static void on_change(void *context, licensing_status status, const char *reason) {
  (void)context;
  printf("change %d %s\\n", status, reason);
}

int main(void) {
const char *license_key = getenv("LICENSE_KEY"), *tenant_id = getenv("TENANT_ID"), *jwks = getenv("JWKS");
const char *fingerprint = getenv("FINGERPRINT"), *certificate = getenv("CERTIFICATE");
(void)tenant_id, (void)jwks, (void)fingerprint, (void)certificate, (void)on_change;
`;

  function runSnippets(snippets: readonly string[]): string[] {
    const code = snippets.map((one) => ofService(one, service, app)).join('');
    writeFileSync(join(app, 'app.c'), `${cHead}${code}licensing_client_free(client);\n}\n`);
    return run(compile('gcc', 'app.c', 'app'), [], app)
      .trim()
      .split('\n');
  }

  test('the archive builds with CMake as the README says, and pkg-config finds it', () => {
    const [install = ''] = snippetsOf('c', 'sh');
    const commands = ofService(install, service, app)
      .replace('-B build', `-B build -DCMAKE_INSTALL_PREFIX='${prefix}' -DCMAKE_INSTALL_LIBDIR=lib`)
      .replace(/^cc .*\n/m, '');
    run('bash', ['--norc', '-euo', 'pipefail', '-c', commands], app, environment);
    const printed = run('pkg-config', ['--cflags', '--libs', 'licensing'], app, {
      PKG_CONFIG_PATH: join(prefix, 'lib', 'pkgconfig'),
    });
    flags = printed.trim().split(/\s+/);
    expect(flags).toContain('-llicensing');
    expectSize('c', /shared library has (\d+) KB/, statSync(join(prefix, 'lib', 'liblicensing.so')).size / 1024);
  });

  test('the first snippet has five lines and prints a verdict', () => {
    const [first = ''] = snippetsOf('c', 'c');
    expect(first.trim().split('\n')).toHaveLength(5);
    expect(runSnippets([first, 'licensing_answer_free(verdict);\n'])).toEqual(['LICENSE.VALID']);
  });

  test('the first snippet says that the address cannot work', () => {
    const [first = ''] = snippetsOf('c', 'c');
    const wrong = first.replace(publicUrl, 'ftp://licensing.example.com');
    expect(runSnippets([wrong, 'licensing_answer_free(verdict);\n'])).toEqual(['CONFIGURATION.INVALID']);
  });

  test('every snippet of the README runs and prints what it says', () => {
    expect(runSnippets(snippetsOf('c', 'c'))).toEqual([
      'LICENSE.VALID',
      expect.stringMatching(/^1 The license is valid\. \S/),
      'change 1 LICENSE.VALID',
      'Export is available.',
      '1 LICENSE.VALID',
      'LICENSE.NOT_FOUND 404',
    ]);
  });

  test('the snippet in C++ prints a verdict', () => {
    const [snippet = ''] = snippetsOf('c', 'cpp');
    const head = '#include <cstdlib>\n#include <iostream>\n#include <licensing/licensing.hpp>\n';
    const body = `const char *license_key = std::getenv("LICENSE_KEY");\n${ofService(snippet, service, app)}`;
    writeFileSync(join(app, 'app.cpp'), `${head}int main() {\n${body}}\n`);
    expect(run(compile('g++', 'app.cpp', 'app-cpp'), [], app)).toBe('LICENSE.VALID\n');
  });

  /** The snippets in other languages are on the page of the guides. */
  function snippetOfPage(language: string): string {
    const page = readFileSync(join(sdks, '..', 'packages/guides/pages/sdks/c.md'), 'utf8');
    return new RegExp(`^\`\`\`${language} shown\\n(.*?)^\`\`\``, 'ms').exec(page)?.[1] ?? '';
  }

  function verdictOf(command: string, parameters: readonly string[]): string {
    const given = [service.url, service.demo.apiKey, service.demo.tenant.licenseKey];
    return run(command, [...parameters, ...given], app, { LD_LIBRARY_PATH: join(prefix, 'lib') });
  }

  test('the program in C# prints a verdict with Mono', () => {
    const [declarations, statements] = snippetOfPage('cs').split(/(?=^var options)/m);
    const main = 'static class App { static void Main(string[] given) {\nvar (url, apiKey, licenseKey) =';
    const program = `${declarations}${main} (given[0], given[1], given[2]);\n${statements}}}\n`;
    writeFileSync(join(app, 'app.cs'), `using System;\nusing System.Runtime.InteropServices;\n${program}`);
    run('mcs', ['-out:app.exe', 'app.cs'], app);
    expect(verdictOf('mono', ['app.exe'])).toBe('LICENSE.VALID\n');
  });

  test('the program in Delphi prints a verdict with Free Pascal', () => {
    const texts = 'Url := ParamStr(1); ApiKey := ParamStr(2); LicenseKey := ParamStr(3);';
    const program = snippetOfPage('delphi')
      .replace(/^var$/m, 'var\n  Url, ApiKey, LicenseKey: UTF8String;')
      .replace(/^begin$/m, `begin\n  ${texts}`);
    writeFileSync(join(app, 'app.pas'), `{$mode delphi}\nprogram app;\n${program}`);
    run('fpc', [`-Fl${prefix}/lib`, '-oapp-pascal', 'app.pas'], app);
    expect(verdictOf('./app-pascal', [])).toBe('LICENSE.VALID\n');
  });

  test('the C++ header has a counterpart of every function of the C header', () => {
    const header = (name: string) => readFileSync(join(sdks, 'c/include/licensing', name), 'utf8');
    const functions = [...header('licensing.h').matchAll(/^LICENSING_API [^(]*?(licensing_\w+)\(/gm)].map(
      ([, name]) => name,
    );
    expect(functions.length).toBeGreaterThan(40);
    const called = new Set(
      [...header('licensing.hpp').matchAll(/\b(licensing_\w+)\b(?=[(),])/g)].map(([, name]) => name),
    );
    expect(functions.filter((name) => !called.has(name))).toEqual([]);
  });

  /** Starts an application with a floating seat, which ends with its standard input. */
  function startSeatHolder(language: 'C' | 'TypeScript', baseUrl: string, path: string): ChildProcess {
    const script = join(sdks, '../packages/sdk/test/support/seat-holder.ts');
    const [program, ...parameters] =
      language === 'C'
        ? ([compile('gcc', join(sdks, 'c/tests/seat_holder.c'), 'seat-holder'), baseUrl, path] as const)
        : ([process.execPath, script, JSON.stringify({ baseUrl, path })] as const);
    return spawn(program, parameters, { stdio: ['pipe', 'pipe', 'inherit'] });
  }

  test.for([
    ['C', 'C', false],
    ['C', 'C', true],
    ['C', 'TypeScript', false],
    ['TypeScript', 'C', true],
  ] as const)('processes in %s and %s share a floating seat, also if the first one is killed: %s', async (row) => {
    const [firstLanguage, secondLanguage, isKilled] = row;
    const http = await startHttpService();
    const fake = new FakeService(Date.now);
    fake.leaseMs = 600_000;
    http.service = fake;
    const state = mkdtempSync(join(app, 'seat-'));
    const started: ChildProcess[] = [];
    try {
      for (const language of [firstLanguage, secondLanguage]) {
        const child = startSeatHolder(language, http.origin, join(state, 'license.json'));
        started.push(child);
        expect(String((await once(child.stdout as Readable, 'data'))[0])).toBe('licensed');
      }
      const [first, second] = started as [ChildProcess, ChildProcess];
      await ended(first, (child) => (isKilled ? child.kill('SIGKILL') : child.stdin?.end()));
      expect(fake.holders).toEqual(['machine-1']);
      await ended(second, (child) => child.stdin?.end());
      expect(fake.holders).toEqual([]);
      expect(readdirSync(state)).toEqual(['license.json']);
    } finally {
      for (const child of started) child.kill('SIGKILL');
      await http.stop();
    }
  });

  test.for([
    ['verdict.c', 'gcc', []],
    ['licensed.cpp', 'g++', ['ISSUER', 'TENANT_ID', 'JWKS']],
  ] as const)(
    'the example %s says yes to the license of the demo, and why not to another key',
    ([name, compiler, keys]) => {
      const program = compile(compiler, join(app, 'licensing-c-1.4.0', 'examples', name), name.replace('.', '-'));
      const { demo, url } = service;
      const outcome = (key: string) => {
        const values: Record<string, string> = { ...given, ISSUER: publicUrl };
        const trusted = keys.map((name) => values[name] ?? '');
        const { status, stdout, stderr } = attempt(program, [url, demo.apiKey, key, ...trusted], folder, {
          XDG_STATE_HOME: app,
        });
        return [status, stdout + stderr];
      };
      expect(outcome(demo.tenant.licenseKey)).toEqual([0, 'LICENSE.VALID\n']);
      expect(outcome('NO-SUCH-KEY')).toEqual([1, 'LICENSE.NOT_FOUND\n']);
    },
  );
});
