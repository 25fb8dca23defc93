import { useQuery } from '@tanstack/react-query';
import { useChange } from '../../api/change.js';
import { api } from '../../api/client.js';
import { describeError } from '../../api/describe-error.js';
import { downloadExport, useDownload } from '../../api/download.js';
import { type ExportJob, evidenceQuery } from '../../api/settings-queries.js';
import { showMessage } from '../../app/messages.js';
import { usePersistedForm } from '../../app/persisted-state.js';
import blocks from '../../components/Blocks.module.css';
import { Button, RowButton } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { TextField } from '../../components/Field.js';
import { JobBadge } from '../../components/JobProgress.js';
import { Loaded } from '../../components/Loaded.js';
import { Card, Page } from '../../components/Page.js';
import { rowAction } from '../../components/row-keys.js';
import { formatDays, formatTimestamp, isEnteredRange } from '../../shared/format/dates.js';

const nothing = { from: '', to: '', size: '25', seed: '' };

/** Packets that auditors check without the service. */
export function EvidencePage() {
  const packets = useQuery(evidenceQuery);
  return (
    <Page
      title="Evidence"
      crumbs={[{ label: 'Evidence' }]}
      facts={['One file of everything that was decided, with a program that checks it without a network']}
    >
      <NewPacket />
      <Loaded query={packets} height={160}>
        {(jobs) =>
          jobs.length === 0 ? null : (
            <Card title="Packets" note="kept for one hour" isFlush>
              <DataTable
                caption="Packets of evidence"
                columns={columns}
                rows={jobs}
                rowKey={({ jobId }) => jobId}
                isInset
              />
            </Card>
          )
        }
      </Loaded>
    </Page>
  );
}

function NewPacket() {
  const { values, field, clear } = usePersistedForm('evidence', nothing);
  const { from, to, size, seed } = values;
  const create = useChange({
    send: () =>
      api.createEvidence({
        body: { from, to, ...(seed.trim() === '' ? {} : { sample: { size: Number(size), seed: seed.trim() } }) },
      }),
    onDone: () => {
      clear();
      showMessage('The packet is being made.');
    },
  });
  const isEntered = from !== '' && to !== '' && isEnteredRange(from, to);
  return (
    <Card title="New packet">
      <form
        className={blocks.stack}
        onSubmit={(event) => {
          event.preventDefault();
          create.send();
        }}
      >
        <div className={blocks.columns}>
          <TextField label="First day" type="date" {...field('from')} />
          <TextField
            label="Last day"
            type="date"
            hint="The packet shows what was known at its end, so choose a day after the approvals."
            {...field('to')}
          />
        </div>
        <div className={blocks.columns}>
          <TextField
            label="Seed of the sample"
            hint="Any text. The same text draws the same lines. Empty for no sample."
            {...field('seed')}
          />
          <TextField label="Lines in the sample" type="number" min={1} max={1000} {...field('size')} />
        </div>
        <span className={blocks.actions}>
          <Button type="submit" kind="primary" disabled={!isEntered} isBusy={create.isBusy}>
            Make the packet
          </Button>
        </span>
        {create.error === null ? null : (
          <p role="alert" className="negative">
            {describeError(create.error).message}
          </p>
        )}
      </form>
    </Card>
  );
}

function Save({ job: { jobId, from = '', to = '' } }: { readonly job: ExportJob }) {
  const { start, ratio } = useDownload((_kind, onProgress) => downloadExport(jobId, onProgress));
  return (
    <RowButton {...rowAction} disabled={ratio !== null} onClick={() => start()}>
      Save<span className="unseen">{` the packet of ${formatDays({ from, to }, 'year')}`}</span>
    </RowButton>
  );
}

const columns: readonly Column<ExportJob>[] = [
  { key: 'days', header: 'Days', cell: ({ from = '', to = '' }) => formatDays({ from, to }, 'year'), phone: 'title' },
  { key: 'at', header: 'Made', cell: ({ startedAt }) => formatTimestamp(startedAt), phone: 'note' },
  {
    key: 'state',
    header: 'State',
    cell: (job) => (
      <>
        <JobBadge status={job.status} />
        {job.error === undefined ? null : <span className="second">{job.error}</span>}
      </>
    ),
    phone: 'detail',
  },
  {
    key: 'manifest',
    header: 'SHA-256 of the manifest',
    cell: ({ file }) => file?.manifestSha256 ?? '–',
    phone: 'detail',
  },
  {
    key: 'file',
    header: 'File',
    cell: (job) => (job.file === undefined ? null : <Save job={job} />),
    phone: 'amount',
  },
];
