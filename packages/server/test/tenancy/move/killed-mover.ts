/**
 * A program that moves a tenant and kills itself with SIGKILL at the start of a step. Arguments: the tenant's id, the
 * place, the step, and the current time in milliseconds since the Unix epoch.
 */
import { pino } from 'pino';
import { openServices } from '../../../src/app.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { moveTenant } from '../../../src/features/accounts/tenants/move-service.ts';
import { systemActor } from '../../../src/tenancy/tenant.ts';
import { killThisProcess } from '../../support/compile-cache.ts';

const [tenantId = '', place = '', fatal = '', nowText = ''] = process.argv.slice(2);
const startedAtMs = performance.now();
Date.now = () => Number(nowText) + (performance.now() - startedAtMs);

const services = await openServices(loadConfig(process.env), { logger: pino({ level: 'silent' }) });
const progress = {
  begin(stage: string) {
    if (stage === fatal) killThisProcess();
  },
  advance: () => undefined,
};
await moveTenant(services, systemActor, tenantId, place, { progress });
await services.close();
