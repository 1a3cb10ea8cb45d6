import { adminsCreate } from './admins-create.ts';
import type { Command } from './command.ts';
import { doctor } from './doctor.ts';
import { jobsList } from './jobs-list.ts';
import { jobsRetry } from './jobs-retry.ts';
import { keysGenerate } from './keys-generate.ts';
import { mailsList } from './mails-list.ts';
import { mailsRetry } from './mails-retry.ts';
import { marketingSend } from './marketing-send.ts';
import { migrate } from './migrate.ts';
import { adminsResetTwoFactor, usersResetTwoFactor } from './reset-two-factor.ts';
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
  adminsResetTwoFactor,
  usersResetTwoFactor,
  tenantsList,
  tenantsCreate,
  tenantsSuspend,
  tenantsReinstate,
  tenantsRotateSigningKey,
  jobsList,
  jobsRetry,
  mailsList,
  mailsRetry,
  marketingSend,
  keysGenerate,
];
