import { useLocation } from '@tanstack/react-router';

/**
 * Returns the token of a mailed link, or null. It is in the fragment of the URL, which browsers do not send to servers,
 * so that no log contains it.
 */
export function useLinkToken(): string | null {
  return useLocation({ select: ({ hash }) => new URLSearchParams(hash).get('token') });
}
