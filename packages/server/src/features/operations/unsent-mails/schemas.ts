import { type Static, Type } from 'typebox';
import { described, Nullable, PageQuery, TimestampIn, TimestampOut, Uuid } from '../../../http/schema.ts';

/** A mail that the service gave up on. Its text is never shown, because it contains links that work like passwords. */
export const MailView = Type.Object(
  {
    id: Uuid,
    to: Nullable(Type.String(), { description: 'The recipient; null if the application key of the mail is unknown.' }),
    subject: Nullable(Type.String(), { description: 'The subject; null if `to` is null.' }),
    status: Type.Union([Type.Literal('dead'), Type.Literal('waiting')], {
      title: 'MailStatus',
      description: '`dead`: the service gave up. After a retry: `waiting`, until it is sent and removed.',
    }),
    attempts: Type.Integer({ description: 'Failed attempts.' }),
    last_error: Nullable(Type.String(), {
      description: 'Why the last attempt failed, in the words of the mail server.',
    }),
    created_at: TimestampOut,
    died_at: Nullable(TimestampOut, { description: 'When the service gave up; null while it waits.' }),
    expires_at: Nullable(TimestampOut, {
      description: 'After this time the mail is useless, because its link has expired; null: never.',
    }),
  },
  {
    title: 'UnsentMail',
    description: 'A mail that could not be sent, without its text.',
    examples: [
      {
        id: '019a9b1c-8e22-7f60-b1d7-93a4c5e6f728',
        to: 'ada@example.com',
        subject: 'Invitation to Acme',
        status: 'dead',
        attempts: 1,
        last_error: '550 No such mailbox',
        created_at: '2026-11-20T17:42:00.123456Z',
        died_at: '2026-11-20T17:42:03.000000Z',
        expires_at: '2026-11-27T17:42:00.123456Z',
      },
    ],
  },
);
export type MailView = Static<typeof MailView>;

/** The query of the list of dead mails. */
export const MailsQuery = PageQuery({
  from: Type.Optional(described(TimestampIn, 'Return only mails that died at this time or later.')),
  to: Type.Optional(described(TimestampIn, 'Return only mails that died before this time.')),
});
export type MailsQuery = Static<typeof MailsQuery>;
