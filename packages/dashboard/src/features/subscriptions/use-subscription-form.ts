import { useQueryClient } from '@tanstack/react-query';
import { type AdminSubscription, commerceKey } from '../../api/commerce.ts';
import { useResourceForm } from '../../components/use-resource-form.ts';

interface SubscriptionFormOptions<Values extends Record<string, unknown>>
  extends Pick<
    Parameters<typeof useResourceForm<Values, AdminSubscription>>[0],
    'initialValues' | 'validate' | 'submit' | 'fieldsOfCodes'
  > {
  readonly onClose: () => void;
}

/** What each dialog about a subscription gets. */
export interface SubscriptionFormProps {
  readonly subscription: AdminSubscription;
  readonly onClose: () => void;
}

/** Returns the form of an action on a subscription. Afterwards it refreshes the screens of commerce, and closes. */
export function useSubscriptionForm<Values extends Record<string, unknown>>({
  onClose,
  ...options
}: SubscriptionFormOptions<Values>) {
  const client = useQueryClient();
  return useResourceForm<Values, AdminSubscription>({
    ...options,
    onSaved: async () => {
      await client.invalidateQueries({ queryKey: commerceKey });
      onClose();
    },
  });
}
