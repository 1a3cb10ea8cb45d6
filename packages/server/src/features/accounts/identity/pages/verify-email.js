import { finish, onSubmit, post, Refusal, token } from '/pages/form.js';

const codeField = document.getElementById('code-field');

/** Logs in. If the account has an authenticator app, shows the field for its code. */
async function logIn({ email, password, code }) {
  try {
    return await post('/api/auth/login', { email, password, ...(code && { code: code.trim() }) });
  } catch (error) {
    if (error instanceof Refusal && error.code === 'AUTH.TWO_FACTOR_REQUIRED') codeField.hidden = false;
    throw error;
  }
}

onSubmit(async (fields) => {
  const { access_token } = await logIn(fields);
  try {
    await post('/api/v1/auth/email/verify', { token }, access_token);
    finish('Thank you. Your e-mail address is verified. You can close this page.');
  } finally {
    // The session is only needed for this page.
    await post('/api/auth/logout', undefined, access_token);
  }
});
