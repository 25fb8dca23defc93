import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { type ScheduledImport, scheduledImportsQuery } from '../../api/scheduled-import-queries.js';
import { usePersistedChoice } from '../../app/persisted-state.js';
import { Button, LinkButton, RowButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { EmptyState } from '../../components/States.js';
import { Badge } from '../../components/StatusBadge.js';
import { describeSchedule, describeSource, describeState, subjectNames } from '../../features/imports/scheduled.js';
import { formatInstant } from '../../shared/format/dates.js';
import { ScheduledImportCard } from './ScheduledImportCard.js';

const ScheduledImportDialog = lazy(() =>
  import('./ScheduledImportDialog.js').then((module) => ({ default: module.ScheduledImportDialog })),
);

const route = getRouteApi('/_shell/imports/scheduled');

/** Sources whose files are imported by a schedule, and what was done with the files of each. */
export function ScheduledImportsPage() {
  const { schedule: opened } = route.useSearch();
  const navigate = useNavigate({ from: '/imports/scheduled' });
  const scheduled = useQuery(scheduledImportsQuery);
  const [edited, setEdited] = usePersistedChoice<string>('scheduled-import');
  const open = (id: string) => navigate({ search: { schedule: id === '' ? undefined : id } });
  const all = scheduled.data?.scheduledImports ?? [];
  const current = all.find(({ id }) => id === opened);
  return (
    <Page
      title="Scheduled imports"
      crumbs={[{ label: 'Imports', to: '/imports' }, { label: 'Scheduled imports' }]}
      facts={['Files of another system, read every hour or every day', 'You confirm the first file']}
      actions={
        <Button kind="primary" onClick={() => setEdited('new')}>
          New scheduled import
        </Button>
      }
    >
      <Loaded query={scheduled} height={200}>
        {({ scheduledImports }) =>
          scheduledImports.length === 0 ? (
            <EmptyState title="No files are imported by a schedule">
              Name a web address, a folder of an S3-compatible store or a folder on an SFTP server. You see what the
              first file would do before anything is written.
            </EmptyState>
          ) : (
            <DataTable
              caption="Scheduled imports"
              columns={buildColumns(open, setEdited)}
              rows={scheduledImports}
              rowKey={({ id }) => id}
              markedKey={opened ?? null}
              rowHeight={50}
            />
          )
        }
      </Loaded>
      {current === undefined ? null : <ScheduledImportCard key={current.id} scheduled={current} />}
      {edited === null || scheduled.data === undefined ? null : (
        <Suspense fallback={null}>
          <ScheduledImportDialog
            key={edited}
            scheduled={all.find(({ id }) => id === edited) ?? null}
            onClose={() => setEdited(null)}
            onSaved={(id) => {
              setEdited(null);
              void open(id);
            }}
          />
        </Suspense>
      )}
    </Page>
  );
}

function buildColumns(onOpen: (id: string) => void, onEdit: (id: string) => void): readonly Column<ScheduledImport>[] {
  return [
    {
      key: 'name',
      header: 'Name',
      phone: 'title',
      cell: (scheduled) => (
        <>
          <RowButton onClick={() => onOpen(scheduled.id)} {...rowAction}>
            {scheduled.name}
          </RowButton>
          <span className="second">{describeSource(scheduled)}</span>
        </>
      ),
    },
    { key: 'subject', header: 'Files of', phone: 'detail', cell: ({ subject }) => subjectNames[subject] },
    { key: 'schedule', header: 'Schedule', phone: 'detail', cell: describeSchedule },
    {
      key: 'last',
      header: 'Last read',
      phone: 'detail',
      cell: ({ lastRunAt }) => <span className="dim">{lastRunAt === null ? 'never' : formatInstant(lastRunAt)}</span>,
    },
    {
      key: 'state',
      header: 'State',
      phone: 'note',
      cell: (scheduled) => {
        const [tone, words] = describeState(scheduled);
        return <Badge tone={tone}>{words}</Badge>;
      },
    },
    {
      key: 'edit',
      header: <span className="unseen">Change</span>,
      align: 'right',
      phone: 'amount',
      cell: ({ id, name }) => (
        <LinkButton className="strong" onClick={() => onEdit(id)}>
          Change<span className="unseen"> {name}</span>
        </LinkButton>
      ),
    },
  ];
}
