import { finish, onSubmit, post, token } from '/pages/form.js';

onSubmit(async ({ name, password }) => {
  await post('/api/v1/auth/accept-invitation', { token, name: name.trim(), password });
  finish('Welcome. You can log in with your e-mail address and the new password.');
});
