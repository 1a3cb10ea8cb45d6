import { backup, backupVerify, restore } from './backup.ts';
import type { Command } from './command.ts';
import { demoRemove } from './demo-remove.ts';
import { doctor } from './doctor.ts';
import { jobsList, jobsRetry } from './jobs.ts';
import { keysGenerate } from './keys/generate.ts';
import { keysReseal } from './keys/reseal.ts';
import { keysStatus } from './keys/status.ts';
import { mailsList, mailsRetry } from './mails.ts';
import { marketingSend } from './marketing-send.ts';
import { migrate } from './migrate.ts';
import { adminsCreate, adminsResetTwoFactor, usersResetTwoFactor } from './people.ts';
import { platformMove } from './platform-move.ts';
import { serve } from './serve.ts';
import {
  tenantsCreate,
  tenantsExport,
  tenantsImport,
  tenantsList,
  tenantsPurge,
  tenantsReinstate,
  tenantsRotateSigningKey,
  tenantsSuspend,
} from './tenants.ts';
import { tenantsMove, tenantsMoveAll } from './tenants-move.ts';

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
  backup,
  backupVerify,
  restore,
  platformMove,
  jobsList,
  jobsRetry,
  mailsList,
  mailsRetry,
  marketingSend,
  keysGenerate,
  keysReseal,
  keysStatus,
  demoRemove,
];
