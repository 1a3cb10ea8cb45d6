import { Button, Group, Menu, Paper, Text } from '@mantine/core';
import { useState } from 'react';
import type { BulkAction, BulkRequest } from '../../api/bulk.ts';
import { exportLicenses, exportLicensesById } from '../../api/licenses.ts';
import { ExportMenu } from '../../components/ExportMenu.tsx';
import { danger } from '../../components/MoreActions.tsx';
import { ChevronDown } from '../../icons/icons.gen.ts';
import { count, formatNumber } from '../../lib/text.ts';
import { useSurface } from '../../shell/surface-context.ts';
import classes from './BulkBar.module.css';
import { BulkDialog } from './BulkDialog.tsx';
import { actionNames } from './words.tsx';

interface BulkBarProps {
  /** The ids of the chosen licenses. */
  readonly selected: ReadonlySet<string>;
  /** Whether every license that matches the filters is chosen. */
  readonly isEverything: boolean;
  readonly onEverything: (isEverything: boolean) => void;
  readonly onClear: () => void;
  readonly filter: NonNullable<BulkRequest['filter']>;
  readonly isFiltered: boolean;
  /** The number of licenses that match, if the service knows it. */
  readonly total: number | null;
}

/** The service takes at most this many ids; more licenses are chosen by the filters. */
const idsMax = 1000;
const dangerous: readonly BulkAction['type'][] = ['suspend', 'revoke'];

/** What can be done with the chosen licenses, of which there is at least one. */
export default function BulkBar(props: BulkBarProps) {
  const surface = useSurface();
  const { selected, isEverything, onEverything, onClear, filter, isFiltered, total } = props;
  const [type, setType] = useState<BulkAction['type'] | null>(null);
  const everything = `all ${total === null ? '' : `${formatNumber(total)} `}licenses${isFiltered ? ' that match' : ''}`;
  const what = isEverything ? everything : count(selected.size, 'license');
  const capitalised = what.charAt(0).toUpperCase() + what.slice(1);
  const target = isEverything ? { filter } : { ids: [...selected] };
  const isTooMany = !isEverything && selected.size > idsMax;
  return (
    <Paper p="xs" px="md" shadow="md" role="region" aria-label="Selected licenses" className={classes['bar']}>
      <Group gap="sm" justify="space-between">
        <Group gap="sm">
          <Text role="status">
            {isEverything ? `${capitalised} are selected.` : `${what} selected.`}
            {isTooMany && ` You can change ${formatNumber(idsMax)} at once, or all that match the filters.`}
          </Text>
          {!isEverything && (
            <Button size="xs" variant="subtle" onClick={() => onEverything(true)}>
              {`Select ${everything}`}
            </Button>
          )}
          <Button size="xs" variant="subtle" color="gray" onClick={onClear}>
            Clear selection
          </Button>
        </Group>
        <Group gap="xs">
          <ExportMenu
            what={capitalised}
            fileName="licenses"
            size="xs"
            run={(format) =>
              isEverything
                ? exportLicenses(surface, { ...filter, format })
                : exportLicensesById(surface, [...selected], format)
            }
          />
          <Menu position="bottom-end">
            <Menu.Target>
              <Button size="xs" disabled={isTooMany} rightSection={<ChevronDown size={14} aria-hidden="true" />}>
                Change
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {Object.entries(actionNames).map(([name, label]) => (
                <Menu.Item
                  key={name}
                  {...(dangerous.includes(name as BulkAction['type']) && { color: danger })}
                  // `actionNames` has exactly the types as its keys.
                  onClick={() => setType(name as BulkAction['type'])}
                >
                  {label}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        </Group>
      </Group>
      <BulkDialog type={type} target={target} what={what} productId={filter.product_id} onClose={() => setType(null)} />
    </Paper>
  );
}
