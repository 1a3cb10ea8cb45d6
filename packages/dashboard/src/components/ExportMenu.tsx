import { Button, Menu } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { saveFile } from '../lib/save-file.ts';
import { showProblem } from './use-action.ts';

/** The format of an exported file. */
export type FileFormat = 'csv' | 'ndjson';

interface ExportMenuProps {
  /** What is exported, in the plural: `licenses`. */
  readonly what: string;
  /** The name of the file without its ending. */
  readonly fileName: string;
  readonly isFiltered: boolean;
  readonly run: (format: FileFormat) => Promise<Blob>;
}

/** Saves everything that the filters of a list match, in a format of the person's choice. */
export function ExportMenu({ what, fileName, isFiltered, run }: ExportMenuProps) {
  const [isRunning, setRunning] = useState(false);
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
        <Button variant="default" loading={isRunning} leftSection={<Download size={16} aria-hidden="true" />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{isFiltered ? `All ${what} that match the filters` : `All ${what}`}</Menu.Label>
        <Menu.Item onClick={() => void save('csv')}>CSV, for spreadsheets</Menu.Item>
        <Menu.Item onClick={() => void save('ndjson')}>NDJSON, for programs</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
