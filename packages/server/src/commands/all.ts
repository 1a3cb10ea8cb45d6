import { adminsCreate } from './admins-create.ts';
import { backup } from './backup.ts';
import type { Command } from './command.ts';
import { demoRemove } from './demo-remove.ts';
import { doctor } from './doctor.ts';
import { importFromKeygen } from './import-keygen.ts';
import { jobsList, jobsRetry } from './jobs.ts';
import { keysGenerate } from './keys-generate.ts';
import { mailsList } from './mails-list.ts';
import { mailsRetry } from './mails-retry.ts';
import { marketingSend } from './marketing-send.ts';
import { migrate } from './migrate.ts';
import { platformMove } from './platform-move.ts';
import { adminsResetTwoFactor, usersResetTwoFactor } from './reset-two-factor.ts';
import { restore } from './restore.ts';
import { serve } from './serve.ts';
import { tenantsExport, tenantsImport } from './tenants-archive.ts';
import { tenantsCreate } from './tenants-create.ts';
import { tenantsList } from './tenants-list.ts';
import { tenantsMove } from './tenants-move.ts';
import { tenantsMoveAll } from './tenants-move-all.ts';
import { tenantsPurge } from './tenants-purge.ts';
import { tenantsRotateSigningKey } from './tenants-rotate-signing-key.ts';
import { tenantsReinstate, tenantsSuspend } from './tenants-status.ts';

/** All commands of `licensing`, in the order of the help text. */
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
  tenantsExport,
  tenantsImport,
  tenantsMove,
  tenantsMoveAll,
  tenantsPurge,
  tenantsRotateSigningKey,
  importFromKeygen,
  backup,
  restore,
  platformMove,
  jobsList,
  jobsRetry,
  mailsList,
  mailsRetry,
  marketingSend,
  keysGenerate,
  demoRemove,
];
