import { randomBytes } from 'node:crypto';
import { createAdminWithPassword } from '../../features/accounts/admins/service.ts';
import { admitProvenUser } from '../../features/accounts/identity/account-service.ts';
import { AppError } from '../../lib/error.ts';
import { hashPassword } from '../../lib/password.ts';
import type { Services } from '../../services.ts';
import { systemActor } from '../../tenancy/tenant.ts';
import type { DemoAccount } from './demo-file.ts';

/** Random per installation: a well-known password would stay valid if the data is later served to a network. */
function newPassword(): string {
  return randomBytes(12).toString('base64url');
}

/** Creates a `super_admin` with a random password. */
export async function createDemoAdmin(services: Services): Promise<DemoAccount> {
  const password = newPassword();
  const create = (email: string) =>
    createAdminWithPassword(services, systemActor, { email, name: 'Demo Admin', role: 'super_admin', password });
  try {
    return { email: (await create('admin@demo.example')).email, password };
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'ADMIN.EMAIL_TAKEN')) throw error;
    // An earlier demo created this admin, and its password is lost.
    const suffix = randomBytes(2).toString('hex');
    return { email: (await create(`admin-${suffix}@demo.example`)).email, password };
  }
}

/** Creates the tenant's owner. An existing user with that address gets the new password. */
export async function createDemoUser({ clock, platform }: Services): Promise<DemoAccount> {
  const email = 'owner@demo.example';
  const password = newPassword();
  const person = { email, name: 'Demo Owner', passwordHash: await hashPassword(password), at: clock.now() };
  await platform.transaction((tx) => admitProvenUser(tx, person));
  return { email, password };
}
