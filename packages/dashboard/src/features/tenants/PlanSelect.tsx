import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { platformPlansQuery } from '../../api/tenants.ts';

/** A field for a plan of the platform. */
export function PlanSelect(props: Omit<SelectProps, 'data'>) {
  const { data: plans = [] } = useQuery(platformPlansQuery());
  // The present plan of a tenant may be archived or not loaded yet.
  const current = typeof props.value === 'string' ? [props.value] : [];
  const known = plans.filter(({ archived, code }) => !archived || current.includes(code));
  const missing = current.filter((code) => known.every((plan) => plan.code !== code));
  const data = [
    ...known.map(({ code, name }) => ({ value: code, label: name })),
    ...missing.map((code) => ({ value: code, label: code })),
  ];
  return <Select label="Plan" allowDeselect={false} data={data} {...props} />;
}
