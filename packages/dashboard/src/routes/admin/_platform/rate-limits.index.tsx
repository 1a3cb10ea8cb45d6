import { createFileRoute } from '@tanstack/react-router';
import { RateLimitsScreen } from '../../../features/rate-limits/RateLimitsScreen.tsx';
import { rateLimitSearch } from '../../../features/rate-limits/search.ts';

export const Route = createFileRoute('/admin/_platform/rate-limits/')({
  validateSearch: rateLimitSearch,
  component: RateLimitsScreen,
});
