import { Select, type SelectProps } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { productOptionsQuery } from '../api/tenant-catalog.ts';
import { useSurface } from '../shell/surface-context.ts';

/** A field that limits something to one product; empty means all products. */
export function ProductSelect(props: Omit<SelectProps, 'data'>) {
  const { data: products = [] } = useQuery(productOptionsQuery(useSurface(), '', 'all'));
  return (
    <Select
      label="Product"
      placeholder="All products"
      clearable
      clearButtonProps={{ 'aria-label': 'Clear Product' }}
      data={products.map(({ id, name }) => ({ value: id, label: name }))}
      {...props}
    />
  );
}
