import { IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type Job, jobsQuery } from '../../api/job-queries.js';
import { usePersistedChoice, usePersistedDialog } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button, RowButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { JobBadge, JobProgress, jobRatio, jobWords, resultWords } from '../../components/JobProgress.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { EmptyState } from '../../components/States.js';
import { formatInstant } from '../../shared/format/dates.js';
import { HousekeepingDialog, type Task } from './HousekeepingDialog.js';
import { RecalculateDialog } from './RecalculateDialog.js';

const route = getRouteApi('/_shell/recalculations');

/** Calculations in the background: start one, its progress, and those of the last hours. */
export function RecalculationsPage() {
  const { job } = route.useSearch();
  const navigate = useNavigate({ from: '/recalculations' });
  const [isOpen, setOpen] = usePersistedDialog('recalculate');
  const jobs = useQuery(jobsQuery);
  const show = (jobId: string) => void navigate({ search: { job: jobId } });
  return (
    <Page
      title="Recalculations"
      crumbs={[{ label: 'Recalculations' }]}
      facts={['Changes are calculated automatically', 'They continue when you close this page']}
      actions={
        <Button icon={IconRefresh} kind="primary" onClick={() => setOpen(true)}>
          Recalculate
        </Button>
      }
    >
      {job === undefined ? null : (
        <Card>
          <JobProgress jobId={job} />
        </Card>
      )}
      <Loaded query={jobs} height={320}>
        {({ jobs: all }) =>
          all.length === 0 ? (
            <EmptyState title="Nothing was recalculated in the last six hours">
              Imports, syncs and changes of the field mapping appear here too.
            </EmptyState>
          ) : (
            <DataTable
              caption="Recalculations of the last six hours"
              columns={buildColumns(show)}
              rows={all}
              rowKey={({ jobId }) => jobId}
              markedKey={job ?? null}
            />
          )
        }
      </Loaded>
      {jobs.data === undefined ? null : <Housekeeping />}
      {isOpen ? <RecalculateDialog onClose={() => setOpen(false)} onStarted={show} /> : null}
    </Page>
  );
}

function buildColumns(show: (jobId: string) => void): readonly Column<Job>[] {
  return [
    {
      key: 'what',
      header: 'What',
      phone: 'title',
      cell: (job) => (
        <RowButton onClick={() => show(job.jobId)} {...rowAction}>
          {jobWords(job)}
        </RowButton>
      ),
    },
    {
      key: 'started',
      header: 'Started',
      phone: 'detail',
      sortBy: ({ startedAt }) => startedAt,
      cell: ({ startedAt }) => <span className="dim">{formatInstant(startedAt)}</span>,
    },
    {
      key: 'result',
      header: 'Result',
      phone: 'note',
      cell: (job) => (
        <span className="dim">
          {job.error ?? resultWords(job) ?? (job.status === 'running' ? `${Math.floor(jobRatio(job) * 100)} %` : '–')}
        </span>
      ),
    },
    { key: 'state', header: 'State', phone: 'amount', cell: (job) => <JobBadge status={job.status} /> },
  ];
}

/** Rare tasks that delete commission. */
function Housekeeping() {
  const [task, setTask] = usePersistedChoice<Task>('housekeeping');
  return (
    <Card title="Housekeeping" note="rarely needed">
      <div className={blocks.lines}>
        <div>
          <span>
            Remove commission lines of rules that were deleted from their plans.{' '}
            <span className="dim">Approved periods stay.</span>
          </span>
          <Button onClick={() => setTask('cleanup')}>Clean up</Button>
        </div>
        <div>
          <span>
            Delete commission, and on request deals, assignments and quotas.{' '}
            <span className="dim">For test workspaces.</span>
          </span>
          <Button kind="danger" onClick={() => setTask('reset')}>
            Reset
          </Button>
        </div>
      </div>
      {task === null ? null : <HousekeepingDialog task={task} onClose={() => setTask(null)} />}
    </Card>
  );
}
