import { type Static, Type } from 'typebox';
import { described, FilterText, Nullable, PageQuery, TimestampOut, Uuid } from '../../../http/schema.ts';

/** The path parameters of one job. */
export const JobParams = Type.Object({
  id: Type.String({ pattern: '^[\\w.-]{1,400}$', description: 'The `id` of the job.' }),
});

/** A background job that the service gave up on. */
export const JobView = Type.Object(
  {
    id: Type.String({ description: 'The subject and the kind: `<subject_id>.<kind>`.' }),
    kind: Type.String({ description: 'What the job does, such as `deliveries`.' }),
    subject_id: Type.String({
      description: 'The tenant or the other object that the job is about; `platform` for the whole platform.',
    }),
    tenant: Nullable(Type.Object({ id: Uuid, name: Type.String() }), { description: 'Null if it is about no tenant.' }),
    status: Type.Union(
      [Type.Literal('dead'), Type.Literal('waiting'), Type.Literal('running'), Type.Literal('parked')],
      {
        title: 'JobStatus',
        description:
          '`dead`: the service gave up after repeated failures. After a retry: `waiting`, then `running`; `parked` while ' +
          'the tenant is not active.',
      },
    ),
    attempts: Type.Integer({ description: 'Consecutive failed runs.' }),
    last_error: Nullable(Type.String(), { description: 'Why the last run failed.' }),
    updated_at: described(TimestampOut, 'When the status last changed: for a `dead` job, when the service gave up.'),
  },
  {
    title: 'Job',
    description: 'A background job.',
    examples: [
      {
        id: '019a9b00-1a2b-7c3d-8e4f-5a6b7c8d9e0f.deliveries',
        kind: 'deliveries',
        subject_id: '019a9b00-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
        tenant: { id: '019a9b00-1a2b-7c3d-8e4f-5a6b7c8d9e0f', name: 'Acme' },
        status: 'dead',
        attempts: 8,
        last_error: 'The disk is full.',
        updated_at: '2026-11-20T17:42:00.123456Z',
      },
    ],
  },
);
export type JobView = Static<typeof JobView>;

/** The query of the list of dead jobs. */
export const JobsQuery = PageQuery({
  kind: Type.Optional(FilterText(100, 'The kind of the jobs.')),
  tenant_id: Type.Optional(described(Uuid, 'Return only the jobs of this tenant.')),
});
export type JobsQuery = Static<typeof JobsQuery>;
