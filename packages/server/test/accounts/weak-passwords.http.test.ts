import { describe, expect, test } from 'vitest';
import { hashPassword } from '../../src/lib/password.ts';
import { addUser, createAdmin, createUser, freshAddress, testPassword } from '../support/accounts.ts';
import { type Answer, useApp } from '../support/harness.ts';
import { mailedToken } from '../support/mails.ts';
import { asUser } from './account-data.ts';
import { accept, addTenantRow, inviteMember, login, post, register } from './people.ts';

const suite = useApp();
let people = 0;
const freshEmail = () => `Chooser-${++people}@Example.com`;

/** A place where a person chooses a password: prepares it, and returns how to choose one. */
type Place = () => Promise<{
  readonly email: string;
  readonly choose: (password: string) => Promise<Pick<Answer, 'status' | 'body'>>;
}>;

const places: Readonly<Record<string, Place>> = {
  async registration() {
    const email = freshEmail();
    return { email, choose: (password) => register(suite.app, email, { password }) };
  },
  async 'a link to choose a password'() {
    const { email } = await addUser(suite.app);
    await post(suite.app, '/forgot-password', { email });
    const token = await mailedToken(suite.app, email);
    return { email, choose: (password) => post(suite.app, '/reset-password', { token, password }) };
  },
  async 'an invitation'() {
    const email = freshEmail().toLowerCase();
    const token = await inviteMember(suite.app, await addTenantRow(suite.app, 'Acme'), email, 'viewer');
    return { email, choose: (password) => accept(suite.app, { token, password }) };
  },
  async 'the account of a user'() {
    const user = await createUser(suite.app);
    const change = (password: string) => ({ current_password: testPassword, password });
    return { email: user.email, choose: (password) => asUser(suite.app, user, 'PUT', '', change(password)) };
  },
  async 'the account of an admin'() {
    const { app } = suite;
    const admin = await createAdmin(app);
    const url = '/api/v1/admin/account';
    return {
      email: admin.email,
      choose: (password) =>
        app.request({
          method: 'PUT',
          url,
          headers: admin.auth,
          payload: { current_password: testPassword, password },
          remoteAddress: freshAddress(),
        }),
    };
  },
};

describe('a weak password is refused', () => {
  test.each(Object.keys(places))('%s refuses weak passwords with a sentence and accepts another one', async (name) => {
    const { email, choose } = (await places[name]?.()) ?? expect.fail();
    for (const [password, message] of [
      ['1qaz2wsx3edc', 'This is one of the most common passwords. Choose another one.'],
      ['QwertyQwerty', 'This is one of the most common passwords. Choose another one.'],
      ['ｑｗｅｒｔｙｑｗｅｒｔｙ', 'This is one of the most common passwords. Choose another one.'],
      ['aaaaAAAAaaaaAAAA', 'Choose a password of more than one repeated character.'],
      [email.toUpperCase(), 'Choose a password that is not your email address.'],
    ] as const) {
      const { status, body } = await choose(password);
      expect({ password, status, code: body.error?.code, details: body.error?.details }).toEqual({
        password,
        status: 422,
        code: 'VALIDATION.FAILED',
        details: [{ field: 'password', message }],
      });
    }
    const accepted = await choose('a long enough sentence');
    expect(accepted.status).toBeLessThan(300);
  });

  test('a weak password that was chosen before still logs in', async () => {
    const { app } = suite;
    const user = await addUser(app);
    const password_hash = await hashPassword('1qaz2wsx3edc');
    await app.services.platform.query.updateTable('users').set({ password_hash }).where('id', '=', user.id).execute();
    expect((await login(app, { email: user.email, password: '1qaz2wsx3edc' })).status).toBe(200);
  });
});
