import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type BulkPreview, previewQuery } from '../../api/bulk.ts';
import { TimeText } from '../../components/TimeText.tsx';
import { useSurface } from '../../shell/surface-context.ts';

/** Says until when devices without a network still work after their license was suspended or revoked. */
export function OfflineNotice({ preview }: { readonly preview: Pick<BulkPreview, 'offline_until'> | undefined }) {
  const until = preview?.offline_until ?? null;
  if (until === null) return null;
  return (
    <Text span inherit>
      A device with an offline certificate can go on working without a network until <TimeText value={until} />.
    </Text>
  );
}

interface OfflineNoticeOfProps {
  readonly licenseId: string;
  readonly type: 'suspend' | 'revoke';
}

/** The same for one license. */
export function OfflineNoticeOf({ licenseId, type }: OfflineNoticeOfProps) {
  const { data } = useQuery(previewQuery(useSurface(), { ids: [licenseId], action: { type } }));
  return <OfflineNotice preview={data} />;
}
