import { createFileRoute } from '@tanstack/react-router';
import { RateLimitScreen } from '../../../features/rate-limits/RateLimitScreen.tsx';
import { rateLimitPageSearch } from '../../../features/rate-limits/search.ts';

export const Route = createFileRoute('/admin/_platform/rate-limits/$tenantId')({
  validateSearch: rateLimitPageSearch,
  component: () => <RateLimitScreen id={Route.useParams().tenantId} />,
});
