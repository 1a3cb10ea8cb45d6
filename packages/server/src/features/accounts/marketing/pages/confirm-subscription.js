import { finish, onSubmit, post, token } from '/pages/form.js';

onSubmit(async () => {
  await post('/api/v1/marketing/confirm', { token });
  finish('Thank you. You will get our news by mail.');
});
