import { randomBytes } from 'node:crypto';
import { createAdminWithPassword } from '../features/admins/service.ts';
import { upsertUser } from '../features/invitations/queries.ts';
import { AppError } from '../lib/error.ts';
import { newId } from '../lib/ids.ts';
import { hashPassword } from '../lib/password.ts';
import type { Services } from '../services.ts';
import { systemActor } from '../tenancy/system-actor.ts';
import type { DemoAccount } from './demo-file.ts';

/** Made anew per installation: known passwords would stay valid if the data is served to a network later. */
function newPassword(): string {
  return randomBytes(12).toString('base64url');
}

/** Makes an admin with every right. */
export async function createDemoAdmin(services: Services): Promise<DemoAccount> {
  const password = newPassword();
  const create = (email: string) =>
    createAdminWithPassword(services, systemActor, { email, name: 'Demo Admin', role: 'super_admin', password });
  try {
    return { email: (await create('admin@demo.example')).email, password };
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'ADMIN.EMAIL_TAKEN')) throw error;
    // Demo data was made before and its passwords are lost.
    const suffix = randomBytes(2).toString('hex');
    return { email: (await create(`admin-${suffix}@demo.example`)).email, password };
  }
}

/** Makes the tenant's owner. One who is there already gets the new password. */
export async function createDemoUser({ clock, platform }: Services): Promise<DemoAccount> {
  const email = 'owner@demo.example';
  const password = newPassword();
  const at = clock.now();
  const row = { id: newId(), email, name: 'Demo Owner', password_hash: await hashPassword(password) };
  const stamps = { email_verified_at: at, disabled_at: null, created_at: at, updated_at: at };
  await platform.transaction((tx) => upsertUser(tx, { ...row, ...stamps }));
  return { email, password };
}
