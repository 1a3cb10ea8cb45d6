import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { FormDrawer } from '../../components/FormDrawer.tsx';

// The list is read more often than a license is created, and the code of forms is large.
const NewLicenses = lazy(() => import('./NewLicenses.tsx'));

interface NewLicenseProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A panel beside the list, in which a person issues licenses. */
export function NewLicense({ isOpen, onClose }: NewLicenseProps) {
  return (
    <FormDrawer title="New license" isOpen={isOpen} onClose={onClose} size="xl">
      <Suspense fallback={<Skeleton h={320} />}>
        <NewLicenses />
      </Suspense>
    </FormDrawer>
  );
}
