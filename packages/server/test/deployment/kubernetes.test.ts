import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/commands/all.ts';
import { stopWithinMs } from '../../src/commands/serve.ts';
import { drainSecondsByDefault } from '../../src/config/config.ts';
import { repositoryRoot } from '../architecture/source-files.ts';
import { configurationVariables, fileExists, hasGetRoute, image, listFiles, readYaml } from './files.ts';

interface Probe {
  readonly httpGet: { path: string; port: string };
}

interface Container {
  readonly args?: string[];
  readonly command?: string[];
  readonly env?: { name: string; value: string }[];
  readonly envFrom?: { configMapRef: { name: string } }[];
  readonly ports?: { name: string; containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly volumeMounts: { name: string; mountPath: string }[];
}

interface Pod {
  readonly metadata: { labels: Record<string, string> };
  readonly spec: {
    readonly terminationGracePeriodSeconds?: number;
    readonly securityContext: object;
    readonly containers: Container[];
    readonly volumes: { name: string; secret?: { secretName: string } }[];
  };
}

interface Resource {
  readonly kind: string;
  readonly metadata: { name: string; namespace?: string };
  readonly data?: Record<string, string>;
  readonly stringData?: Record<string, string>;
  readonly spec?: {
    readonly selector?: { matchLabels?: Record<string, string> } & Record<string, unknown>;
    readonly template?: Pod;
    readonly jobTemplate?: { spec: { template: Pod } };
    readonly podSelector?: { matchLabels: Record<string, string> };
    readonly ports?: { targetPort: string }[];
    readonly volumeClaimTemplates?: { metadata: { name: string } }[];
  };
}

const folder = 'deploy/kubernetes';
const manifests = listFiles(`${folder}/**/*.yaml`).filter((path) => !path.endsWith('kustomization.yaml'));
const resources = manifests.flatMap((path) => readYaml<Resource>(path).map((resource) => ({ path, ...resource })));
const podOf = ({ spec }: Resource) => spec?.template ?? spec?.jobTemplate?.spec.template;
const workloads = resources.flatMap((resource) => {
  const pod = podOf(resource);
  return pod === undefined ? [] : [{ ...resource, name: `${resource.kind} ${resource.metadata.name}`, pod }];
});
const servers = workloads.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
const only = (kind: string) => resources.filter((resource) => resource.kind === kind);

describe.each(workloads)('$name', ({ name: workload, path, spec, pod }) => {
  const [container] = pod.spec.containers;
  if (container === undefined) throw new Error(`${path} has no container`);

  test(`the ${workload} runs as the user of the image, with a read-only root and without capabilities`, () => {
    expect(pod.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: image().user,
      fsGroup: image().user,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod.spec).toMatchObject({ automountServiceAccountToken: false });
    expect(container).toMatchObject({
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      resources: {
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      },
    });
    const writable = container.volumeMounts.map(({ mountPath }) => mountPath);
    expect(writable).toEqual(expect.arrayContaining(['/data', '/tmp']));
    const claims = (spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name);
    const volumes = [...pod.spec.volumes.map(({ name }) => name), ...claims];
    expect(container.volumeMounts.map(({ name }) => name).sort()).toEqual(volumes.sort());
  });

  test(`the ${workload} starts an existing command, with variables that the service reads and mounted secrets`, () => {
    const names = commands.map(({ name }) => name);
    if (container.command === undefined) expect(names).toContain(container.args?.[0]);
    else expect(fileExists(container.command[0]?.replace('/app/', '') ?? '')).toBe(true);

    const known = [...configurationVariables(), ...(container.command === undefined ? [] : ['BACKUPS', 'KEEP_DAYS'])];
    const example = only('Secret')[0]?.stringData ?? {};
    for (const { name, value } of container.env ?? []) {
      expect(known).toContain(name);
      if (!name.endsWith('_FILE')) continue;
      expect(Object.keys(example)).toContain(value.replace('/run/secrets/licensing/', ''));
    }
    expect(pod.spec.volumes).toContainEqual(
      expect.objectContaining({ secret: expect.objectContaining({ secretName: only('Secret')[0]?.metadata.name }) }),
    );
    for (const { configMapRef } of container.envFrom ?? []) {
      expect(only('ConfigMap').map(({ metadata }) => metadata.name)).toContain(configMapRef.name);
    }
  });
});

describe.each(servers)('$name', ({ name: server, spec, pod }) => {
  const [container] = pod.spec.containers;

  test(`the ${server} has probes on existing routes, on the port of the image`, () => {
    const metricsPort = Number(only('ConfigMap')[0]?.data?.['METRICS_PORT']);
    expect(container?.ports).toEqual([
      { name: 'http', containerPort: image().port },
      { name: 'metrics', containerPort: metricsPort },
    ]);
    for (const probe of [container?.startupProbe, container?.livenessProbe, container?.readinessProbe]) {
      expect(hasGetRoute(probe?.httpGet.path ?? ''), probe?.httpGet.path).toBe(true);
      expect(probe?.httpGet.port).toBe('http');
    }
    // An unavailable database must remove the node from the load balancer, but not restart it.
    expect(container?.livenessProbe?.httpGet.path).toBe('/health');
    expect(container?.readinessProbe?.httpGet.path).toBe('/health/ready');
  });

  test(`the ${server} has time to leave the load balancer and to finish its requests before it is killed`, () => {
    const graceMs = (pod.spec.terminationGracePeriodSeconds ?? 0) * 1000;
    expect(graceMs).toBeGreaterThan(drainSecondsByDefault * 1000 + stopWithinMs);
  });

  test(`the service, the disruption budget and the network policy select the pods of the ${server}`, () => {
    expect(pod.metadata.labels).toMatchObject(spec?.selector?.matchLabels ?? { missing: 'selector' });
    const component = (resource: Resource) => dirname((resource as { path: string } & Resource).path);
    const [own] = servers.filter((one) => one.pod === pod);
    const beside = (kind: string) => only(kind).filter((resource) => component(resource) === dirname(own?.path ?? ''));
    const [service] = beside('Service');
    expect(pod.metadata.labels).toMatchObject(service?.spec?.selector ?? { missing: 'service' });
    expect(service?.spec?.ports?.map(({ targetPort }) => targetPort)).toEqual(['http']);
    for (const budget of beside('PodDisruptionBudget')) {
      expect(pod.metadata.labels).toMatchObject(budget.spec?.selector?.matchLabels ?? { missing: 'selector' });
    }
    const [policy] = only('NetworkPolicy');
    expect(pod.metadata.labels).toMatchObject(policy?.spec?.podSelector?.matchLabels ?? { missing: 'selector' });
  });
});

test('the network policy allows PostgreSQL and Valkey, and the guide names the ports that an operator adds to it', () => {
  const file = readFileSync(join(repositoryRoot, 'deploy/kubernetes/common/network-policy.yaml'), 'utf8');
  const guide = readFileSync(join(repositoryRoot, 'docs/operating/installing.md'), 'utf8');
  for (const port of [5432, 6379]) expect(file).toContain(`port: ${port}, protocol: TCP`);
  for (const port of [587, 443, 4318])
    expect([file.includes(`${port}`), guide.includes(`${port}`)]).toEqual([true, true]);
});

test('each Kubernetes deployment of several nodes has a disruption budget', () => {
  expect(only('PodDisruptionBudget').map(({ path }) => dirname(path))).toEqual(
    servers.filter(({ kind }) => kind === 'Deployment').map(({ path }) => dirname(path)),
  );
});

test('the service reads every variable of the Kubernetes configuration map', () => {
  for (const { data } of only('ConfigMap')) {
    for (const name of Object.keys(data ?? {})) expect([...configurationVariables()]).toContain(name);
  }
});

test('every Kubernetes manifest except the example secret is in a kustomization, and all are in one namespace', () => {
  const listed = listFiles(`${folder}/**/kustomization.yaml`).flatMap((path) =>
    readYaml<{ resources: string[] }>(path).flatMap((kustomization) =>
      kustomization.resources.map((resource) => join(dirname(path), resource)),
    ),
  );
  for (const path of listed) expect(fileExists(path), path).toBe(true);
  expect(manifests.filter((path) => !listed.includes(path))).toEqual([`${folder}/secret.example.yaml`]);
  const namespaces = resources.map(({ kind, metadata }) => (kind === 'Namespace' ? metadata.name : metadata.namespace));
  expect(new Set(namespaces)).toEqual(new Set(['licensing']));
});
