import { adminsCreate } from './admins-create.ts';
import type { Command } from './command.ts';
import { doctor } from './doctor.ts';
import { jobsList } from './jobs-list.ts';
import { jobsRetry } from './jobs-retry.ts';
import { keysGenerate } from './keys-generate.ts';
import { migrate } from './migrate.ts';
import { serve } from './serve.ts';
import { tenantsCreate } from './tenants-create.ts';
import { tenantsList } from './tenants-list.ts';
import { tenantsRotateSigningKey } from './tenants-rotate-signing-key.ts';
import { tenantsReinstate, tenantsSuspend } from './tenants-status.ts';

/** Everything `licensing` can do. */
export const commands: readonly Command[] = [
  serve,
  migrate,
  doctor,
  adminsCreate,
  tenantsList,
  tenantsCreate,
  tenantsSuspend,
  tenantsReinstate,
  tenantsRotateSigningKey,
  jobsList,
  jobsRetry,
  keysGenerate,
];
