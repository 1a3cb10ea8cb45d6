import { Button } from '@mantine/core';
import { CreatorText, type CreatorTextProps } from './CreatorText.tsx';
import type { Column } from './DataTable.tsx';
import { TimeText } from './TimeText.tsx';

/** What API keys and access tokens have in common. Times are ISO 8601. */
interface Credential {
  readonly name: string;
  readonly status: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly created_by: CreatorTextProps['creator'];
}

/** Returns the columns that say when a credential was used, ends and was created. */
export function credentialTimes<Row extends Credential>(): readonly Column<Row>[] {
  return [
    {
      header: 'Last used',
      isSecondary: true,
      cell: ({ last_used_at: at }) => <TimeText value={at} format="relative" fallback="Never" />,
    },
    {
      header: 'Expires',
      isSecondary: true,
      cell: ({ expires_at: at }) => <TimeText value={at} format="date" fallback="Never" />,
    },
    {
      header: 'Created',
      isSecondary: true,
      cell: ({ created_at: at, created_by: creator }) => <CreatorText at={at} creator={creator} />,
    },
  ];
}

/** Returns the column with the button that revokes a credential; a revoked one has no button. */
export function revokeColumn<Row extends Credential>(onRevoke: (credential: Row) => void): Column<Row> {
  return {
    header: 'Actions',
    isHeaderHidden: true,
    align: 'right',
    cell: (credential) =>
      credential.status === 'revoked' ? null : (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={`Revoke ${credential.name}`}
          onClick={() => onRevoke(credential)}
        >
          Revoke
        </Button>
      ),
  };
}
