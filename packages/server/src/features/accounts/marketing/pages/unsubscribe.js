import { finish, onSubmit, post, token } from '/pages/form.js';

onSubmit(async () => {
  await post('/api/v1/marketing/unsubscribe', { token });
  finish('You are unsubscribed. You will get no more news from us.');
});
