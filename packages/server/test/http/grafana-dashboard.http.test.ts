import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../tools/eventually.ts';
import { repositoryRoot } from '../architecture/source-files.ts';
import { readText } from '../deployment/files.ts';
import { useTenant } from '../support/accounts.ts';
import { freePort } from '../support/free-port.ts';
import { engine } from '../support/harness.ts';
import { newLicense } from '../support/licensing-catalog.ts';

interface Dashboard {
  readonly panels: {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets?: { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

const dashboard = JSON.parse(readText('deploy/grafana/licensing.json')) as Dashboard;
const queries = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));
/** Metrics of PostgreSQL, which the embedded engine does not have. */
const ofPostgres = /postgres_clock_difference_seconds|tenant_connections_/;

// An unreachable Valkey suffices: its metrics are exposed regardless of its availability.
const suite = useTenant({ VALKEY_URL: 'redis://127.0.0.1:1' });

/** Causes something to count in every metric that has no values otherwise. */
async function use(): Promise<void> {
  const { tenant, app } = suite;
  const { key } = await newLicense(tenant);
  expect((await tenant.asApplication(`/licenses/${key}/validate`)).status).toBe(200);
  const withoutKey = { method: 'POST', url: `/api/v1/integration/licenses/${key}/validate` } as const;
  expect((await app.request(withoutKey)).status).toBe(401);
  const { metrics } = app.services;
  metrics.jobs.countRun('deliveries', 'done');
  metrics.jobs.countRun('deliveries', 'failed');
  metrics.webhookAttempts.increment('succeeded');
  metrics.mail.countMail('sent');
  metrics.observeRequest({ method: 'GET', route: '/api/v1/tenant/licenses', status: 503 }, 10);
  // No runner claims it, so it stays due.
  const at = app.services.clock.now();
  const job = { kind: 'deliveries', subject_id: tenant.id, due_at: at, status: 'waiting', updated_at: at } as const;
  await app.services.platform.query
    .insertInto('jobs')
    .values({ ...job, attempts: 0, wake_at: null, lease_owner: null, last_error: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Starts Prometheus, which scrapes the service every second. Returns its address. */
async function startPrometheus(target: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'licensing-prometheus-'));
  const scrape = { job_name: 'licensing', static_configs: [{ targets: [target] }] };
  // JSON is YAML.
  const config = { global: { scrape_interval: '1s' }, scrape_configs: [scrape] };
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const listen = `127.0.0.1:${await freePort()}`;
  const binary = [
    '/usr/bin/prometheus',
    join(repositoryRoot, 'node_modules/.cache/prometheus/usr/bin/prometheus'),
  ].find(existsSync);
  if (binary === undefined) throw new Error('Prometheus is not installed: run "sh scripts/setup-prometheus.sh".');
  const flags = {
    'config.file': join(folder, 'prometheus.yml'),
    'storage.tsdb.path': folder,
    'web.listen-address': listen,
  };
  const child = spawn(
    binary,
    Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    { stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  return `http://${listen}`;
}

interface QueryResult {
  readonly status: string;
  readonly error?: string;
  readonly data?: { readonly result: { readonly metric: Record<string, string>; readonly value: [number, string] }[] };
}

async function run(prometheus: string, expression: string): Promise<QueryResult> {
  const query = expression
    .replaceAll('$__rate_interval', '30s')
    .replaceAll('$job', 'licensing')
    .replaceAll('$instance', '.*');
  const response = await fetch(`${prometheus}/api/v1/query?${new URLSearchParams({ query })}`);
  return (await response.json()) as QueryResult;
}

beforeAll(use);

test('every query of the Grafana dashboard has a result in Prometheus, with the labels of its legend', async () => {
  const { app } = suite;
  const address = await app.http.listen({ host: '127.0.0.1', port: 0 });
  const prometheus = await startPrometheus(new URL(address).host);
  const scrapes = async () => {
    const { data } = await run(prometheus, 'sum(count_over_time(up{job="$job"}[5m]))').catch(() => ({
      data: undefined,
    }));
    return Number(data?.result[0]?.value[1] ?? 0);
  };
  await eventually(async () => expect(await scrapes()).toBeGreaterThan(2));
  expect(queries.length).toBeGreaterThan(40);
  for (const { title, expr, legendFormat } of queries) {
    const { status, error, data } = await run(prometheus, expr);
    expect(status, `${title}: ${error}`).toBe('success');
    const result = data?.result ?? [];
    if (engine === 'sqlite' && ofPostgres.test(expr)) continue;
    expect(result.length, `${title}: ${expr}`).toBeGreaterThan(0);
    for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) {
      expect(Object.keys(result[0]?.metric ?? {}), `${title}: ${expr}`).toContain(label);
    }
  }
});

test('the panels of the Grafana dashboard have different ids and do not overlap', () => {
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = new Set<string>();
  for (const { title, gridPos } of panels) {
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect(cells, title).not.toContain(`${x},${y}`);
        cells.add(`${x},${y}`);
      }
    }
  }
});
