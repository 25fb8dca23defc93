import { Menu } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { exportTeamCsv, exportTeamFile, type TeamFile } from '../api/download.js';
import { showMessage } from '../app/messages.js';
import { formatPercent } from '../format/numbers.js';
import { Button } from './Button.js';

const files: readonly (readonly [kind: TeamFile | 'csv', label: string])[] = [
  ['csv', 'Table, CSV'],
  ['xlsx', 'Workbook, Excel'],
  ['pdf', 'Overview, PDF'],
  ['zip', 'All statements, ZIP of PDF'],
];

/** Files of the whole team. A worker makes them, and the button shows its progress. */
export function ExportMenu({ period }: { readonly period: string }) {
  const [ratio, setRatio] = useState<number | null>(null);
  const { mutate } = useMutation({
    mutationFn: async (kind: TeamFile | 'csv') => {
      setRatio(0);
      if (kind === 'csv') await exportTeamCsv(period);
      else await exportTeamFile(kind, period, setRatio);
      showMessage('The file was saved.');
    },
    onSettled: () => setRatio(null),
  });
  return (
    <Menu position="bottom-end" width={224}>
      <Menu.Target>
        <Button icon={IconDownload} isBusy={ratio !== null}>
          {ratio === null ? 'Export' : `Export ${formatPercent(ratio, 0)}`}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {files.map(([kind, label]) => (
          <Menu.Item key={kind} onClick={() => mutate(kind)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
