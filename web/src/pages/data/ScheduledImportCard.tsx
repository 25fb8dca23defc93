import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../api/change.js';
import { type Answer, api } from '../../api/client.js';
import { type ScheduledFile, type ScheduledImport, scheduledFilesQuery } from '../../api/scheduled-import-queries.js';
import { showMessage } from '../../app/messages.js';
import { useSession } from '../../app/session.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { type Column, DataTable } from '../../components/DataTable.js';
import { Loaded } from '../../components/Loaded.js';
import { Card } from '../../components/Page.js';
import { Badge } from '../../components/StatusBadge.js';
import { findFileToMatch } from '../../features/imports/scheduled.js';
import { formatTimestamp, zoneName } from '../../shared/format/dates.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';
import { plainMessage } from '../../shared/format/plain-message.js';
import { ColumnsInUse, MatchFile } from './MatchFile.js';

type Connection = Answer<'testScheduledImport'>;

/** The actions of a scheduled import, the file that waits for a person, and the latest files. */
export function ScheduledImportCard({ scheduled }: { readonly scheduled: ScheduledImport }) {
  const files = useQuery(scheduledFilesQuery(scheduled));
  const [connection, setConnection] = useState<Connection | null>(null);
  const { timezone } = useSession().workspace;
  return (
    <Card
      title={scheduled.name}
      note={describeNext(scheduled, timezone)}
      action={<Actions scheduled={scheduled} onTested={setConnection} />}
    >
      {scheduled.error === null ? null : <p role="alert">{plainMessage(scheduled.error)}</p>}
      {connection === null ? null : <ConnectionFound connection={connection} />}
      <Loaded query={files} height={160}>
        {({ files: all, count }) => {
          const toMatch = scheduled.isRunning ? undefined : findFileToMatch(scheduled, all);
          const latest = all.find(({ status }) => status === 'imported');
          return (
            <>
              {toMatch === undefined ? null : <MatchFile key={toMatch.fileId} scheduled={scheduled} file={toMatch} />}
              {toMatch !== undefined || latest === undefined || scheduled.source.kind === 'stripe' ? null : (
                <ColumnsInUse scheduled={scheduled} file={latest} />
              )}
              {count === 0 ? (
                <p className="dim">{scheduled.isRunning ? 'The source is being read …' : 'No file was found yet.'}</p>
              ) : (
                <DataTable
                  caption="Files"
                  columns={buildColumns(timezone)}
                  rows={all}
                  rowKey={({ fileId }) => fileId}
                  rowHeight={50}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

/** All times of the card are in the time zone of the workspace, as its schedule. */
function describeNext({ nextRunAt, isRunning }: ScheduledImport, timeZone: string): string {
  if (nextRunAt === null) return 'paused';
  return isRunning ? 'is being read' : `read next ${formatTimestamp(nextRunAt, timeZone)}, ${zoneName(timeZone)}`;
}

interface ActionsProps {
  readonly scheduled: ScheduledImport;
  readonly onTested: (connection: Connection) => void;
}

function Actions({ scheduled: { id, paused, isRunning }, onTested }: ActionsProps) {
  const params = { scheduledImportId: id };
  const test = useAction({ send: () => api.testScheduledImport({ params }), reloads: none, onDone: onTested });
  const run = useAction({ send: () => api.runScheduledImport({ params }) });
  const pause = useAction({
    send: () => api.updateScheduledImport({ params, body: { paused: !paused } }),
    onDone: () => showMessage(paused ? 'The schedule continues.' : 'The schedule is paused.'),
  });
  return (
    <span className={blocks.actions}>
      <Button isBusy={test.isBusy} onClick={() => test.send()}>
        Test connection
      </Button>
      <Button isBusy={pause.isBusy} onClick={() => pause.send()}>
        {paused ? 'Continue' : 'Pause'}
      </Button>
      <Button disabled={paused || isRunning} isBusy={run.isBusy} onClick={() => run.send()}>
        Run now
      </Button>
    </span>
  );
}

/** A test changes nothing that is displayed. */
const none = { predicate: () => false };

function ConnectionFound({ connection: { files, count, hostKey } }: { readonly connection: Connection }) {
  const [latest] = files;
  return (
    <p role="status">
      The connection works: {formatCount(count, 'CSV file')}
      {latest === undefined ? '' : `, the latest is ${latest.name}`}.
      {hostKey === null ? null : <span className="second">Key of the server: {hostKey}</span>}
    </p>
  );
}

const buildColumns = (timeZone: string): readonly Column<ScheduledFile>[] => [
  {
    key: 'name',
    header: 'File',
    phone: 'title',
    cell: ({ name, at, importId }) => (
      <>
        {importId === null ? (
          name
        ) : (
          <Link to="/imports" search={{ import: importId }}>
            {name}
          </Link>
        )}
        <span className="second">{formatTimestamp(at, timeZone)}</span>
      </>
    ),
  },
  {
    key: 'rows',
    header: 'Rows',
    align: 'right',
    cell: ({ sample }) => <span className="num">{formatNumber(sample.count)}</span>,
  },
  {
    key: 'accepted',
    header: 'New or changed',
    align: 'right',
    phone: 'detail',
    cell: ({ result }) => <span className="num">{result === null ? '' : formatNumber(result.accepted)}</span>,
  },
  {
    key: 'rejected',
    header: 'Rejected',
    phone: 'detail',
    cell: ({ result, error }) => <Rejected result={result} error={error} />,
  },
  {
    key: 'status',
    header: 'State',
    phone: 'note',
    cell: ({ status }) => {
      if (status === 'imported') return <Badge tone="good">Imported</Badge>;
      return status === 'failed' ? <Badge tone="negative">Failed</Badge> : <Badge tone="warning">Waits</Badge>;
    },
  },
];

function Rejected({ result, error }: Pick<ScheduledFile, 'result' | 'error'>) {
  if (error !== null) return <span className="dim">{plainMessage(error)}</span>;
  if (result === null || result.rejected === 0) return <span className="dim">none</span>;
  return (
    <details>
      <summary>{formatCount(result.rejected, 'row')}</summary>
      <ul>
        {result.reasons.map(({ row, reason }) => (
          <li key={row}>
            Row {row}: {plainMessage(reason)}
          </li>
        ))}
      </ul>
    </details>
  );
}
