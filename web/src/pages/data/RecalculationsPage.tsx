import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { allPlansQuery } from '../../api/import-queries.js';
import { type Job, jobsQuery } from '../../api/job-queries.js';
import { peopleQuery } from '../../api/payroll-queries.js';
import { Button } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Dialog } from '../../components/Dialog.js';
import { Choice, TextField } from '../../components/Field.js';
import { JobBadge, JobProgress, jobRatio, jobWords, resultWords } from '../../components/JobProgress.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { describeError, EmptyState } from '../../components/States.js';
import { formatInstant } from '../../format/dates.js';
import styles from './Data.module.css';

const route = getRouteApi('/_shell/recalculations');

/** Calculations in the background: start one, its progress, and those of the last hours. */
export function RecalculationsPage() {
  const { job } = route.useSearch();
  const navigate = useNavigate({ from: '/recalculations' });
  const [isOpen, setOpen] = useState(false);
  const jobs = useQuery(jobsQuery);
  const show = (jobId: string) => void navigate({ search: { job: jobId } });
  return (
    <Page
      title="Recalculations"
      crumbs={[{ label: 'Recalculations' }]}
      facts={['Changes calculate themselves', 'They continue when you close this page']}
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
              columns={columnsOf(show)}
              rows={all}
              rowKey={({ jobId }) => jobId}
              markedKey={job ?? null}
            />
          )
        }
      </Loaded>
      <Housekeeping />
      {isOpen ? <StartDialog onClose={() => setOpen(false)} onStarted={show} /> : null}
    </Page>
  );
}

function columnsOf(show: (jobId: string) => void): readonly Column<Job>[] {
  return [
    {
      key: 'what',
      header: 'What',
      phone: 'title',
      cell: (job) => (
        <button type="button" className={styles.rowButton} onClick={() => show(job.jobId)} {...rowAction}>
          {jobWords(job)}
        </button>
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

type Scope = 'workspace' | 'plan' | 'rep' | 'deal';

interface StartDialogProps {
  readonly onClose: () => void;
  readonly onStarted: (jobId: string) => void;
}

function StartDialog({ onClose, onStarted }: StartDialogProps) {
  const queryClient = useQueryClient();
  const { data: people } = useQuery(peopleQuery);
  const { data: plans = [] } = useQuery(allPlansQuery);
  const [scope, setScope] = useState<Scope>('workspace');
  const [of, setOf] = useState('');
  const choices = {
    plan: plans.map(({ planId, name }) => [planId, name] as const),
    rep: (people?.reps ?? []).map(({ id, name }) => [id, name] as const),
  };
  const start = useMutation({
    mutationFn: () =>
      api.recalculateCommissions({
        body: {
          async: true,
          ...(scope === 'plan' ? { planId: of || choices.plan[0]?.[0] } : {}),
          ...(scope === 'rep' ? { repId: of || choices.rep[0]?.[0] } : {}),
          ...(scope === 'deal' ? { dealId: of.trim() } : {}),
        },
      }),
    onSuccess: async ({ jobId }) => {
      await queryClient.invalidateQueries({ queryKey: ['jobs'] });
      if (jobId !== undefined) onStarted(jobId);
      onClose();
    },
  });
  return (
    <Dialog
      title="Recalculate"
      onClose={onClose}
      onSubmit={() => start.mutate()}
      action={{ isBusy: start.isPending, disabled: scope === 'deal' && of.trim() === '', children: 'Start' }}
      problem={start.error === null ? null : describeError(start.error).message}
    >
      <p className="dim">
        Commission is computed again from deals, plans and quotas. Incorrect amounts are corrected; approved statements
        stay as they are.
      </p>
      <Choice
        label="Of"
        value={scope}
        choices={[
          ['workspace', 'everyone'],
          ['plan', 'the people of a plan'],
          ['rep', 'one person'],
          ['deal', 'one deal'],
        ]}
        onChange={({ currentTarget }) => {
          setScope(currentTarget.value as Scope);
          setOf('');
        }}
      />
      {scope === 'plan' || scope === 'rep' ? (
        <Choice
          label={scope === 'plan' ? 'Plan' : 'Person'}
          value={of}
          choices={choices[scope]}
          onChange={({ currentTarget }) => setOf(currentTarget.value)}
        />
      ) : null}
      {scope === 'deal' ? (
        <TextField label="Deal ID" value={of} onChange={({ currentTarget }) => setOf(currentTarget.value)} />
      ) : null}
    </Dialog>
  );
}

type Task = 'cleanup' | 'reset';

/** Rare tasks that delete commission. */
function Housekeeping() {
  const [task, setTask] = useState<Task | null>(null);
  return (
    <Card title="Housekeeping" note="rarely needed">
      <div className={styles.lines}>
        <div>
          <span>
            Remove lines of rules that no plan has any more. <span className="dim">Approved periods stay.</span>
          </span>
          <Button onClick={() => setTask('cleanup')}>Clean up</Button>
        </div>
        <div>
          <span>
            Delete commission, and on request deals, assignments and quotas. <span className="dim">For trials.</span>
          </span>
          <Button kind="danger" onClick={() => setTask('reset')}>
            Reset
          </Button>
        </div>
      </div>
      {task === null ? null : <TaskDialog task={task} onClose={() => setTask(null)} />}
    </Card>
  );
}

function TaskDialog({ task, onClose }: { readonly task: Task; readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const [scope, setScope] = useState<'events' | 'snapshots' | 'all'>('events');
  const [typed, setTyped] = useState('');
  const run = useMutation({
    mutationFn: async (): Promise<unknown> =>
      task === 'cleanup' ? api.cleanupCommissions() : api.resetCommissions({ body: { scope } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries();
      onClose();
    },
  });
  const isReset = task === 'reset';
  return (
    <Dialog
      title={isReset ? 'Reset commission' : 'Clean up'}
      onClose={onClose}
      onSubmit={() => run.mutate()}
      action={{
        kind: 'danger',
        isBusy: run.isPending,
        disabled: isReset && typed.trim().toLowerCase() !== 'reset',
        children: isReset ? 'Delete' : 'Clean up',
      }}
      problem={run.error === null ? null : describeError(run.error).message}
    >
      {isReset ? (
        <>
          <Choice
            label="Delete"
            value={scope}
            choices={[
              ['events', 'commission'],
              ['snapshots', 'commission and deals'],
              ['all', 'commission, deals, assignments and quotas'],
            ]}
            onChange={({ currentTarget }) => setScope(currentTarget.value as typeof scope)}
          />
          <p>This cannot be undone. Approved periods stay.</p>
          <TextField
            label="Type reset to confirm"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </>
      ) : (
        <p>Lines of open periods whose rule no longer exists are deleted.</p>
      )}
    </Dialog>
  );
}
