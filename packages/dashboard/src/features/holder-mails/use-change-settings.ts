import { useQueryClient } from '@tanstack/react-query';
import { mailSettingsQuery, updateMailSettings } from '../../api/holder-mails.ts';
import { showProblem, useAction } from '../../components/use-action.ts';
import { useSurface } from '../../shell/surface-context.ts';

type Changes = Parameters<typeof updateMailSettings>[1];

/** Returns an action that changes the settings and shows the new ones. */
export function useChangeSettings() {
  const surface = useSurface();
  const client = useQueryClient();
  const change = useAction({
    run: (body: Changes) => updateMailSettings(surface, body),
    invalidates: [],
  });
  return {
    isPending: change.isPending,
    change: (body: Changes) =>
      change.mutate(body, {
        onSuccess: (saved) => client.setQueryData(mailSettingsQuery(surface).queryKey, saved),
        onError: showProblem,
      }),
  };
}
