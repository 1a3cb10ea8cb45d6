import { expect, test } from 'vitest';
import { readText, readYaml } from '../deployment/files.ts';
import { engine, useApp } from '../support/harness.ts';

interface Rules {
  readonly groups: {
    readonly rules: { readonly alert: string; readonly expr: string; readonly annotations: object }[];
  }[];
}

// An unreachable Valkey suffices: its metrics are exposed regardless of its availability.
const suite = useApp({ VALKEY_URL: 'redis://127.0.0.1:1' });
const rules = readYaml<Rules>('deploy/prometheus/alerts.yaml').flatMap(({ groups }) =>
  groups.flatMap(({ rules }) => rules),
);
/** The metric that Prometheus generates itself, and the one that only PostgreSQL has. */
const ofOthers = ['up', ...(engine === 'sqlite' ? ['postgres_clock_difference_seconds'] : [])];

function metricsIn(expression: string): string[] {
  const withoutGroupings = expression.replaceAll(/\b(?:by|without) \([^)]*\)/g, '').replaceAll(/\{[^}]*\}/g, '{}');
  return [...withoutGroupings.matchAll(/\b([a-z_\d]+)\{\}/g)].map(([, name = '']) =>
    name.replace(/_(?:bucket|count)$/, ''),
  );
}

test('every alert uses metrics that the service exposes and is documented for operators', async () => {
  const { text } = await suite.app.request({ method: 'GET', url: '/metrics' });
  const exposed = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);
  const incidents = readText('docs/operating/incidents.md');
  expect(rules.length).toBeGreaterThan(5);
  for (const { alert, expr, annotations } of rules) {
    const names = metricsIn(expr);
    expect(names.length, alert).toBeGreaterThan(0);
    for (const name of names) expect([...ofOthers, ...exposed], alert).toContain(name);
    expect(annotations).toMatchObject({ summary: expect.any(String) });
    expect(incidents).toContain(`\`${alert}\``);
  }
});
