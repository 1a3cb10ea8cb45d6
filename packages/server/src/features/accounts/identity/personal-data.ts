import { allPersonalRows, type PersonalData } from '../../tenant-core/personal-data/personal-data.ts';

/** The user's row. */
export const accountPersonalData: PersonalData = {
  section: 'account',
  tables: ['users'],
  async read({ platform }, { id }) {
    const user = platform.query
      .selectFrom('users')
      .select(['id', 'email', 'name', 'email_verified_at', 'created_at', 'updated_at'])
      .where('id', '=', id);
    return allPersonalRows(await user.execute());
  },
  async erase(tx, { id }) {
    await tx.deleteFrom('users').where('id', '=', id).execute();
  },
};

/** The user's sessions. */
export const tokensPersonalData: PersonalData = {
  section: 'tokens',
  tables: ['access_tokens'],
  async read({ platform }, { id }) {
    const tokens = platform.query
      .selectFrom('access_tokens')
      .select(['id', 'device_name', 'ip', 'created_at', 'expires_at', 'last_used_at'])
      .where('ability', '=', 'tenant')
      .where('subject_id', '=', id)
      .orderBy('created_at');
    return allPersonalRows(await tokens.execute());
  },
  async erase(tx, { id }) {
    await tx.deleteFrom('access_tokens').where('ability', '=', 'tenant').where('subject_id', '=', id).execute();
  },
};

/** The user's mailed links and second factor, without any secret, hash or code. */
export const authenticationPersonalData: PersonalData = {
  section: 'authentication',
  tables: ['mail_links', 'earlier_mail_links', 'two_factor', 'recovery_codes'],
  async read({ platform }, { id }) {
    const linksIn = (table: 'mail_links' | 'earlier_mail_links') =>
      platform.query.selectFrom(table).select(['purpose', 'created_at', 'expires_at']).where('user_id', '=', id);
    const secondFactor = platform.query
      .selectFrom('two_factor')
      .select(['created_at', 'confirmed_at'])
      .where('ability', '=', 'tenant')
      .where('subject_id', '=', id);
    const factors = await secondFactor.execute();
    return allPersonalRows([
      ...(await linksIn('mail_links').execute()),
      ...(await linksIn('earlier_mail_links').execute()),
      ...factors.map((factor) => ({ purpose: 'two_factor', ...factor })),
    ]);
  },
  async erase(tx, { id }) {
    for (const table of ['mail_links', 'earlier_mail_links'] as const) {
      await tx.deleteFrom(table).where('user_id', '=', id).execute();
    }
    for (const table of ['recovery_codes', 'two_factor'] as const) {
      await tx.deleteFrom(table).where('ability', '=', 'tenant').where('subject_id', '=', id).execute();
    }
  },
};

/** The user's present and former addresses, with the changes that are not confirmed, without any hash. */
export const emailChangesPersonalData: PersonalData = {
  section: 'email_changes',
  tables: ['email_changes'],
  async read({ platform }, { id }) {
    const changes = platform.query
      .selectFrom('email_changes')
      .select(['id', 'old_email', 'new_email', 'created_at', 'confirmed_at'])
      .where('user_id', '=', id)
      .orderBy('created_at')
      .orderBy('id');
    return allPersonalRows(await changes.execute());
  },
  async erase(tx, { id }) {
    await tx.deleteFrom('email_changes').where('user_id', '=', id).execute();
  },
};
