import { Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { downloadTeamFile, useDownload } from '../api/download.js';
import { formatPercent } from '../shared/format/numbers.js';
import { Button } from './Button.js';

interface ExportMenuProps<Kind extends string> {
  readonly files: readonly (readonly [kind: Kind, label: string])[];
  readonly download: Parameters<typeof useDownload<Kind>>[0];
  readonly label?: string;
}

/** A choice of files. A worker makes the chosen one, and the button shows its progress. */
export function ExportMenu<Kind extends string>({ files, download, label = 'Export' }: ExportMenuProps<Kind>) {
  const { start, ratio } = useDownload(download);
  return (
    <Menu position="bottom-end" width={224}>
      <Menu.Target>
        <Button icon={IconDownload} isBusy={ratio !== null}>
          {ratio === null ? label : `${label} ${formatPercent(ratio, 0)}`}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {files.map(([kind, label]) => (
          <Menu.Item key={kind} onClick={() => start(kind)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const teamFiles = [
  ['csv', 'Table, CSV'],
  ['xlsx', 'Workbook, Excel'],
  ['pdf', 'Overview, PDF'],
  ['zip', 'All statements, ZIP of PDF'],
] as const;

interface TeamExportProps {
  readonly period: string;
  /** Whether the page lists some people only, which the files do not. */
  readonly isOfSome: boolean;
}

/** Files of the whole team. */
export function TeamExport({ period, isOfSome }: TeamExportProps) {
  return (
    <ExportMenu
      files={teamFiles}
      label={isOfSome ? 'Export everyone' : 'Export'}
      download={(kind, onProgress) => downloadTeamFile(kind, period, onProgress)}
    />
  );
}
