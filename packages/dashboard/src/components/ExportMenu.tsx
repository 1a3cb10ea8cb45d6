import { Button, type ButtonProps, Menu } from '@mantine/core';
import { useContext, useState } from 'react';
import { Download } from '../icons/icons.gen.ts';
import { saveFile } from '../lib/save-file.ts';
import { SurfaceContext } from '../shell/surface-context.ts';
import { allowsReading } from '../surfaces.ts';
import { showProblem } from './use-action.ts';

/** The format of an exported file. */
export type FileFormat = 'csv' | 'ndjson';

interface ExportMenuProps {
  /** What is exported: `All licenses`. */
  readonly what: string;
  /** The name of the file without its ending. */
  readonly fileName: string;
  readonly size?: ButtonProps['size'];
  readonly run: (format: FileFormat) => Promise<Blob>;
}

/** Returns what an export of a list contains. `what` is in the plural: `licenses`. */
export function allOf(what: string, isFiltered: boolean): string {
  return isFiltered ? `All ${what} that match the filters` : `All ${what}`;
}

/** Saves rows of a list as a file, in a format of the person's choice. Nothing for a role that gets no files. */
export function ExportMenu({ what, fileName, size, run }: ExportMenuProps) {
  const [isRunning, setRunning] = useState(false);
  const surface = useContext(SurfaceContext);
  if (surface !== null && !allowsReading(surface, 'exports')) return null;
  const save = async (format: FileFormat) => {
    setRunning(true);
    try {
      saveFile(await run(format), `${fileName}.${format}`);
    } catch (error) {
      showProblem(error);
    } finally {
      setRunning(false);
    }
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          loading={isRunning}
          leftSection={<Download size={16} aria-hidden="true" />}
          {...(size !== undefined && { size })}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{what}</Menu.Label>
        <Menu.Item onClick={() => void save('csv')}>CSV, for spreadsheets</Menu.Item>
        <Menu.Item onClick={() => void save('ndjson')}>NDJSON, for programs</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
