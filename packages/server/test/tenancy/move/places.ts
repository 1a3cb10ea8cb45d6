import { inject } from 'vitest';
import { moveTenant, removeFormer } from '../../../src/features/accounts/tenants/move-service.ts';
import { type ArchiveProgress, silentProgress } from '../../../src/tenancy/archive/progress.ts';
import { systemActor } from '../../../src/tenancy/system-actor.ts';
import { findTenantRecord } from '../../../src/tenancy/tenant-record.ts';
import type { TestApp } from '../../support/harness.ts';

/** The private server of the run under two names: two servers, as far as placements know. */
function serverUrls(): string[] {
  const url = inject('postgresUrl');
  return [url, url.replace('127.0.0.1', 'localhost')];
}

/** Lets a service keep tenants on both servers. */
export const onServers: NodeJS.ProcessEnv = { TENANT_DATABASE_URLS: serverUrls().join(',') };

/** `host:port` of the two servers. */
export const [firstServer = '', secondServer = ''] = serverUrls().map((url) => new URL(url).host);

/** Tells of the beginning of each step of a move. */
export function onStage(begin: (stage: string) => void): ArchiveProgress {
  return { ...silentProgress, begin };
}

/** Moves a tenant beside the service that serves it, as the command line does, and removes what it leaves. */
export async function moveAndRemove({ services }: TestApp, tenantId: string, place: string, progress = silentProgress) {
  const moved = await moveTenant(services, systemActor, tenantId, place, { progress });
  if (moved !== undefined) await removeFormer(services, moved.former, 0);
  return moved;
}

/** Where a tenant is. */
export async function placeOf({ services }: TestApp, tenantId: string): Promise<string | undefined> {
  return (await findTenantRecord(services.platform, tenantId))?.placement;
}
