import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.js';
import { type Answer, api } from '../../api/client.js';
import { type ImportRecord, importQuery, takeBackQuery } from '../../api/import-queries.js';
import { showMessage } from '../../app/messages.js';
import blocks from '../../components/Blocks.module.css';
import { Button } from '../../components/Button.js';
import { Dialog } from '../../components/Dialog.js';
import { EffectOfChange } from '../../components/EffectOfChange.js';
import { InfoDialog } from '../../components/InfoDialog.js';
import { Loaded } from '../../components/Loaded.js';
import { DealLink } from '../../components/links.js';
import { formatCounts, type ImportedDeal, importTitle, listValueChanges } from '../../features/imports/history.js';
import { formatTimestamp } from '../../shared/format/dates.js';
import { formatCount, formatNumber } from '../../shared/format/numbers.js';

interface ImportDialogProps {
  readonly importId: string;
  readonly onClose: () => void;
}

/** One import: its deals with their values before and after, and what was changed since. */
export function ImportDialog({ importId, onClose }: ImportDialogProps) {
  const [isTakingBack, setTakingBack] = useState(false);
  const query = useInfiniteQuery(importQuery(importId));
  const [first] = query.data?.pages ?? [];
  if (isTakingBack && first !== undefined) return <TakeBackDialog record={first.import} onClose={onClose} />;
  return (
    <InfoDialog title={first === undefined ? 'Import' : importTitle(first.import)} size={640} onClose={onClose}>
      <Loaded query={query} height={240}>
        {({ pages }) => {
          const [{ import: record, unchangedSince, changedSince } = noImport] = pages;
          if (record === null) return null;
          return (
            <div className={blocks.stack}>
              <p className="dim">
                {record.actorName ?? record.actor}, {formatTimestamp(record.at)}.{' '}
                {record.counts === null ? `${formatCount(record.rows, 'row')} changed` : formatCounts(record.counts)}.
              </p>
              {record.kind === 'deals' ? (
                <Deals deals={pages.flatMap(({ deals }) => deals)} changedSince={changedSince} />
              ) : (
                <p>
                  The rows are in the audit log. {formatCount(unchangedSince, nounOf(record))}{' '}
                  {unchangedSince === 1 ? 'was' : 'were'} not changed since.
                </p>
              )}
              <div className={blocks.saveLine}>
                <span>
                  {query.hasNextPage ? (
                    <Button isBusy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
                      More deals
                    </Button>
                  ) : null}
                </span>
                {unchangedSince === 0 || record.takenBackAt !== null ? null : (
                  <Button kind="danger" onClick={() => setTakingBack(true)}>
                    Take back
                  </Button>
                )}
              </div>
            </div>
          );
        }}
      </Loaded>
    </InfoDialog>
  );
}

/** What an import of the kind changes. */
function nounOf({ kind }: Pick<ImportRecord, 'kind'>): string {
  return kind === 'deals' || kind === 'lines' ? 'deal' : 'row';
}

const noImport = { import: null, unchangedSince: 0, changedSince: [] };

interface DealsProps {
  readonly deals: readonly ImportedDeal[];
  readonly changedSince: readonly string[];
}

function Deals({ deals, changedSince }: DealsProps) {
  return (
    <>
      {changedSince.length === 0 ? null : (
        <p>
          Changed or deleted since: {changedSince.slice(0, 10).join(', ')}
          {changedSince.length > 10 ? ' and more' : ''}.
        </p>
      )}
      {deals.length === 0 ? (
        <p className="dim">No deal has the values of this import any more.</p>
      ) : (
        <div className={blocks.lines}>
          {deals.map((deal) => (
            <div key={deal.dealId}>
              <DealLink dealId={deal.dealId} name={deal.after.name} />
              <span>
                {deal.before === null ? <span className="dim">new: </span> : null}
                {listValueChanges(deal).join(', ')}
              </span>
            </div>
          ))}
        </div>
      )}
    </>
  );
}

/** What taking the import back would do, before it happens. */
function TakeBackDialog({ record, onClose }: { readonly record: ImportRecord; readonly onClose: () => void }) {
  const { importId } = record;
  const dryRun = useQuery(takeBackQuery(importId));
  const effect = useQuery({ ...takeBackQuery(importId), select: ({ effect }) => effect ?? null });
  const change = useChange({
    send: () => api.takeBackImport({ params: { importId } }),
    onDone: ({ restored, removed }) => {
      showMessage(
        `${formatNumber(restored)} restored, ${formatNumber(removed)} deleted. Commission is calculated again.`,
      );
      onClose();
    },
  });
  const { data } = dryRun;
  const count = (number: number) => formatCount(number, nounOf(record));
  return (
    <Dialog
      title="Take the import back"
      onClose={onClose}
      onSubmit={() => change.send()}
      change={change}
      action={{ kind: 'danger', disabled: data === undefined, children: 'Take back' }}
    >
      {data === undefined ? null : (
        <>
          {data.restored === 0 ? null : <p>{count(data.restored)} will be as before the import again.</p>}
          {data.removed === 0 ? null : <p>{count(data.removed)} that the import created will be deleted.</p>}
          {data.changedSince.length === 0 ? null : (
            <p>
              These stay, because they were changed since: {data.changedSince.slice(0, 10).join(', ')}
              {data.changedSince.length > 10 ? ' and more' : ''}.
            </p>
          )}
          <RejectedRows rejected={data.rejected ?? []} />
        </>
      )}
      <EffectOfChange query={effect} what="change" />
    </Dialog>
  );
}

/** The rows that stay, with the reason of each. */
function RejectedRows({ rejected }: Required<Pick<Answer<'takeBackImport'>, 'rejected'>>) {
  if (rejected.length === 0) return null;
  return (
    <>
      <p>These rows stay:</p>
      <div className={blocks.lines}>
        {rejected.slice(0, 10).map(({ row, reason }) => (
          <div key={row}>
            <span>Row {formatNumber(row)}</span>
            <span>{reason}</span>
          </div>
        ))}
      </div>
      {rejected.length > 10 ? <p className="dim">And more.</p> : null}
    </>
  );
}
