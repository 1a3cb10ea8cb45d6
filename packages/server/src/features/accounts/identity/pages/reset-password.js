import { finish, onSubmit, post, token } from '/pages/form.js';

onSubmit(async ({ password }) => {
  await post('/api/v1/auth/reset-password', { token, password });
  finish('Your new password is set. You can log in with it.');
});
