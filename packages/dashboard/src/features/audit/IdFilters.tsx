import { Button, Group } from '@mantine/core';
import { X } from 'lucide-react';
import { truncateMiddle } from '../../lib/text.ts';
import type { AuditSearch } from './search.ts';

const labels = { actor_id: 'Actor', resource_id: 'Object', request_id: 'Request' } as const;
const names = ['actor_id', 'resource_id', 'request_id'] as const;

interface IdFiltersProps {
  readonly search: AuditSearch;
  readonly onRemove: (name: keyof typeof labels) => void;
}

/** The filters that a link set: one person, one object, one request. */
export function IdFilters({ search, onRemove }: IdFiltersProps) {
  const present = names.filter((name) => search[name] !== undefined);
  if (present.length === 0) return null;
  return (
    <Group gap={8}>
      {present.map((name) => (
        <Button
          key={name}
          size="compact-sm"
          variant="default"
          rightSection={<X size={13} aria-hidden="true" />}
          onClick={() => onRemove(name)}
        >
          <span className="visually-hidden">Remove the filter </span>
          {labels[name]}: {truncateMiddle(search[name] ?? '', 18)}
        </Button>
      ))}
    </Group>
  );
}
